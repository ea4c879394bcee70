package mem

import (
	"context"
	"slices"

	"github.com/dubway-go/dubway/source"
)

// document is one rule key; it stays while it exists or is watched. The Store's lock guards it.
type document struct {
	value    source.Document
	rev      uint64
	changed  chan struct{}
	watchers int
}

// Rules is the config centre of a Store: a source.ConfigCenter and source.RuleStore. It is a view; copies are equal.
type Rules struct{ s *Store }

// Rules returns the config centre of the store.
func (s *Store) Rules() Rules { return Rules{s} }

// Watch implements source.ConfigCenter. It runs in the calling goroutine.
func (r Rules) Watch(ctx context.Context, key string, yield func(source.Event[source.Document])) error {
	if err := source.CheckKey(key); err != nil {
		return err
	}
	s := r.s
	s.mu.Lock()
	d := s.document(key)
	d.watchers++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		d.watchers--
		if d.watchers == 0 && !d.value.Exists {
			delete(s.docs, key)
		}
	}()
	return watch(ctx, s, func() (source.Document, uint64, <-chan struct{}) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return d.value, d.rev, d.changed
	}, yield)
}

// Get implements source.RuleStore.
func (r Rules) Get(ctx context.Context, key string) (source.Document, error) {
	return r.s.Get(ctx, key)
}

// Put implements source.RuleStore.
func (r Rules) Put(ctx context.Context, key, text string) error { return r.s.Put(ctx, key, text) }

// Delete implements source.RuleStore.
func (r Rules) Delete(ctx context.Context, key string) error { return r.s.Delete(ctx, key) }

// Keys implements source.RuleStore.
func (r Rules) Keys(ctx context.Context) ([]string, error) { return r.s.Keys(ctx) }

// Get implements source.RuleStore.
func (s *Store) Get(ctx context.Context, key string) (source.Document, error) {
	if err := check(ctx, key); err != nil {
		return source.Document{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, ok := s.docs[key]; ok {
		return d.value, nil
	}
	return source.Document{}, nil
}

// Put implements source.RuleStore.
func (s *Store) Put(ctx context.Context, key, text string) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	if err := source.CheckText(text); err != nil {
		return err
	}
	s.set(key, source.Document{Text: text, Exists: true})
	return nil
}

// Delete implements source.RuleStore.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	s.set(key, source.Document{})
	return nil
}

// Keys implements source.RuleStore.
func (s *Store) Keys(ctx context.Context) ([]string, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := make([]string, 0, len(s.docs))
	for key, d := range s.docs {
		if d.value.Exists {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

func check(ctx context.Context, key string) error {
	if err := source.CheckKey(key); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// set stores a document and wakes its watchers, unless nothing changes.
func (s *Store) set(key string, v source.Document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.document(key)
	if d.value != v {
		s.rev++
		d.value, d.rev = v, s.rev
		close(d.changed)
		d.changed = make(chan struct{})
	}
	if d.watchers == 0 && !d.value.Exists {
		delete(s.docs, key)
	}
}

// document returns the entry of key, made when missing. The caller holds mu.
func (s *Store) document(key string) *document {
	d, ok := s.docs[key]
	if !ok {
		d = &document{changed: make(chan struct{})}
		s.docs[key] = d
	}
	return d
}
