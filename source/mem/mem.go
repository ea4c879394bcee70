// Package mem is the embedded registry and config centre: everything lives in this process. It is what
// `dubway demo` runs on, and the fake that tests of directories and applications use.
package mem

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source"
)

// Store is a registry (it is a source.Registry, source.Registrar and source.Lister), a rule store
// (source.RuleStore), and, through Rules, a source.ConfigCenter. All methods are safe for use by many goroutines,
// none leaves a goroutine behind, and no writer ever waits for a watcher.
type Store struct {
	mu       sync.Mutex
	rev      uint64 // counts every change of anything
	services map[string]*folder
	docs     map[string]*document
	holds    map[string]*registration
	link     source.Cell[link]
}

var (
	_ source.Registry     = (*Store)(nil)
	_ source.Registrar    = (*Store)(nil)
	_ source.Lister       = (*Store)(nil)
	_ source.RuleStore    = (*Store)(nil)
	_ source.RuleStore    = Rules{}
	_ source.ConfigCenter = Rules{}
)

// New returns an empty Store. There is nothing to close.
func New() *Store {
	return &Store{
		services: make(map[string]*folder),
		docs:     make(map[string]*document),
		holds:    make(map[string]*registration),
	}
}

// registration is one URL that Register put in, with the contexts that keep it.
type registration struct {
	place   source.Place
	holders map[*holder]struct{} // empty for a persistent URL
}

// holder is one context that keeps a registration.
type holder struct{ stop func() bool }

// Register implements source.Registrar. It never blocks.
func (s *Store) Register(ctx context.Context, u durl.URL) error {
	place, err := source.PlaceOf(u)
	if err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	text := u.String()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.holds[text]
	if r == nil {
		r = &registration{place: place, holders: make(map[*holder]struct{})}
		s.holds[text] = r
	}
	s.put(place, text)
	if !place.Persistent {
		h := &holder{}
		h.stop = context.AfterFunc(ctx, func() { s.release(text, r, h) })
		r.holders[h] = struct{}{}
	}
	return nil
}

// release ends one holder's claim; the URL goes with the last.
func (s *Store) release(text string, r *registration, h *holder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(r.holders, h)
	if len(r.holders) > 0 || s.holds[text] != r {
		return // someone else keeps it, or Unregister came first
	}
	delete(s.holds, text)
	s.remove(r.place, text)
}

// forget ends all claims on text; the caller holds mu and takes text out of its folder.
func (s *Store) forget(text string) {
	if r := s.holds[text]; r != nil {
		delete(s.holds, text)
		for h := range r.holders {
			h.stop()
		}
	}
}

// Unregister implements source.Registrar. It never blocks.
func (s *Store) Unregister(_ context.Context, u durl.URL) error {
	place, err := source.PlaceOf(u)
	if err != nil {
		return err
	}
	text := u.String()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(text)
	s.remove(place, text)
	return nil
}

// Replace makes the service interface hold exactly the given texts, in whatever state it was: what was
// registered under it is forgotten, its consumers included. The texts are not parsed, so a test can
// offer a directory URLs that are broken. It copies and sorts the slices.
func (s *Store) Replace(iface string, state source.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for text, r := range s.holds {
		if r.place.Interface == iface {
			s.forget(text)
		}
	}
	f := s.folder(iface)
	for _, c := range source.Categories() {
		f.of(c).reset(nil)
	}
	f.of(source.Providers).reset(state.Providers)
	f.of(source.Routers).reset(state.Routers)
	f.of(source.Configurators).reset(state.Configurators)
	s.touch(f)
	s.tidy(iface)
}

// Services implements source.Lister: interfaces that hold at least one URL.
func (s *Store) Services(ctx context.Context) ([]string, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, 0, len(s.services))
	for name, f := range s.services {
		if !f.empty() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Watch implements source.Registry. It runs in the calling goroutine.
func (s *Store) Watch(ctx context.Context, key service.Key, yield func(source.Event[source.State])) error {
	if key.Interface == "" {
		return fmt.Errorf("watch a service: the key %+v has no interface", key)
	}
	s.mu.Lock()
	f := s.folder(key.Interface)
	f.watchers++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		f.watchers--
		s.tidy(key.Interface)
	}()
	return watch(ctx, s, func() (source.State, uint64, <-chan struct{}) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return f.state(), f.rev, f.changed
	}, yield)
}

// put adds text to its category. The caller holds mu.
func (s *Store) put(p source.Place, text string) {
	f := s.folder(p.Interface)
	if f.of(p.Category).add(text) {
		s.touch(f)
	}
}

// remove takes text out of its category. The caller holds mu.
func (s *Store) remove(p source.Place, text string) {
	f, ok := s.services[p.Interface]
	if ok && f.of(p.Category).drop(text) {
		s.touch(f)
		s.tidy(p.Interface)
	}
}

// folder returns the folder of iface, made when missing. The caller holds mu.
func (s *Store) folder(iface string) *folder {
	f, ok := s.services[iface]
	if !ok {
		f = &folder{changed: make(chan struct{})}
		s.services[iface] = f
	}
	return f
}

// tidy forgets a folder that nobody fills or watches. The caller holds mu.
func (s *Store) tidy(iface string) {
	if f, ok := s.services[iface]; ok && f.watchers == 0 && f.empty() {
		delete(s.services, iface)
	}
}

// touch gives f a new revision and wakes its watchers. The caller holds mu.
func (s *Store) touch(f *folder) {
	s.rev++
	f.rev = s.rev
	close(f.changed)
	f.changed = make(chan struct{})
}
