// Package file is a config centre that is a folder of rule files, one a key. Changes made by people,
// editors, deployment tools and mounted config maps are picked up while they happen, and half-written files are not.
package file

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dubway-go/dubway/source"
)

// ErrClosed is returned by a Store that was closed.
var ErrClosed = errors.New("rule folder is closed")

// Options tune a Store. The zero value is good.
type Options struct {
	// Settle is how long a changed file must stay as it is before it is read; 0 is 50 ms. It hides the
	// halves of a file that is written in place.
	Settle time.Duration
	// Absence is the same for a file that became empty or vanished, which is what an editor that truncates or
	// replaces a file shows in between; 0 is ten times Settle. A rule that is deleted by hand goes after this time.
	Absence time.Duration
	// Poll is how often the folder is looked through even when the system reports no change; 0 is 2 s,
	// or 250 ms where the system cannot report changes.
	Poll time.Duration
	// NoNotify switches the system's reports off (network file systems that lose them).
	NoNotify bool
	// Logger gets what goes wrong with single files; nil discards.
	Logger *slog.Logger
}

const (
	defaultSettle  = 50 * time.Millisecond
	defaultPoll    = 2 * time.Second
	blindPoll      = 250 * time.Millisecond
	absenceSettles = 10
)

// Store is a folder of rules: a source.ConfigCenter and a source.RuleStore. All methods are safe for use by
// many goroutines.
type Store struct {
	dir string
	o   Options

	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{}

	mu      sync.Mutex // guards entries and everything on disk that Put and Delete change
	entries map[string]*entry

	fault source.Cell[fault]
}

// fault is whether the folder as a whole can be read.
type fault struct {
	err  error
	loss uint64 // counts the losses
}

// entry is one key; it stays while it exists or is watched. The Store's lock guards it, but for the cell.
type entry struct {
	users   int
	applied fingerprint // the file whose text was taken over
	seen    fingerprint // the file as it looked last, when that is another
	since   time.Time   // when it looked so first
	cell    source.Cell[reading]
}

type reading struct {
	doc source.Document
	rev string
	err error // the file cannot be taken over; doc is the last good one
}

var (
	_ source.ConfigCenter = (*Store)(nil)
	_ source.RuleStore    = (*Store)(nil)
)

// Open reads the folder and begins to watch it. It fails when dir is no folder that can be read; files that
// cannot be read are reported to who watches their keys. The caller closes the store.
func Open(dir string, o Options) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open rule folder: %w", err)
	}
	info, err := os.Stat(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("open rule folder: %w; make it with: mkdir -p %q", err, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open rule folder: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("open rule folder: %s is a file; give the folder that holds the rule files", dir)
	}
	s := &Store{dir: dir, o: o.filled(), done: make(chan struct{}), entries: make(map[string]*entry)}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	reports, err := s.reports()
	if err != nil {
		s.o.Logger.Warn("the system reports no file changes; looking often instead", "folder", dir, "error", err)
	}
	if s.o.Poll == 0 {
		if s.o.Poll = defaultPoll; reports == nil {
			s.o.Poll = blindPoll
		}
	}
	if err := s.load(); err != nil {
		s.cancel(ErrClosed)
		reports.close()
		return nil, fmt.Errorf("open rule folder: %w", err)
	}
	go s.follow(reports)
	return s, nil
}

func (o Options) filled() Options {
	if o.Settle <= 0 {
		o.Settle = defaultSettle
	}
	if o.Absence <= 0 {
		o.Absence = absenceSettles * o.Settle
	}
	if o.Poll < 0 {
		o.Poll = 0
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Close ends all watches with ErrClosed. Closing twice is fine.
func (s *Store) Close() {
	s.cancel(ErrClosed)
	<-s.done
}

// Dir returns the absolute path of the folder.
func (s *Store) Dir() string { return s.dir }

// Watch implements source.ConfigCenter. It runs in the calling goroutine.
func (s *Store) Watch(ctx context.Context, key string, yield func(source.Event[source.Document])) error {
	if _, err := FileName(key); err != nil {
		return err
	}
	e := s.acquire(key)
	defer s.release(key, e)
	var (
		sent            bool
		rev, complained string
		loss            uint64
	)
	for {
		if err := s.ended(ctx); err != nil {
			return err
		}
		f, folderChanged := s.fault.Load()
		r, changed := e.cell.Load()
		switch {
		case f.err != nil:
			if loss != f.loss {
				loss, sent = f.loss, false
				yield(source.Event[source.Document]{Err: f.err})
			}
		case r.err != nil:
			if complained != r.err.Error() {
				complained, sent = r.err.Error(), false
				yield(source.Event[source.Document]{Err: r.err})
			}
		case !sent || r.rev != rev:
			sent, rev, complained = true, r.rev, ""
			yield(source.Event[source.Document]{Value: r.doc, Rev: r.rev})
		}
		select {
		case <-changed:
		case <-folderChanged:
		case <-ctx.Done():
		case <-s.ctx.Done():
		}
	}
}

func (s *Store) ended(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return context.Cause(s.ctx)
}

func (s *Store) acquire(key string) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entry(key)
	e.users++
	return e
}

func (s *Store) release(key string, e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.users--
	s.tidy(key, e)
}

// entry returns the entry of key, made when missing. The caller holds mu.
func (s *Store) entry(key string) *entry {
	e, ok := s.entries[key]
	if !ok {
		e = &entry{}
		s.entries[key] = e
	}
	return e
}

// tidy forgets a key that neither exists nor is watched. The caller holds mu.
func (s *Store) tidy(key string, e *entry) {
	if e.users == 0 && e.applied.absent() && e.seen.absent() && s.entries[key] == e {
		delete(s.entries, key)
	}
}

// Get implements source.RuleStore: what watchers of the key saw last.
func (s *Store) Get(ctx context.Context, key string) (source.Document, error) {
	if _, err := FileName(key); err != nil {
		return source.Document{}, err
	}
	if err := s.ended(ctx); err != nil {
		return source.Document{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries[key]
	if !ok {
		return source.Document{}, nil
	}
	r, _ := e.cell.Load()
	return r.doc, nil
}

// Keys implements source.RuleStore.
func (s *Store) Keys(ctx context.Context) ([]string, error) {
	if err := s.ended(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := make([]string, 0, len(s.entries))
	for key, e := range s.entries {
		if r, _ := e.cell.Load(); r.doc.Exists {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// Put implements source.RuleStore. The file is replaced in one step: whatever happens, a reader finds the
// old text or the new one, and after Put returned nil the new one also survives a power cut. A key that has a
// file keeps its name.
func (s *Store) Put(ctx context.Context, key, text string) error {
	name, err := FileName(key)
	if err != nil {
		return err
	}
	if err := source.CheckText(text); err != nil {
		return err
	}
	if err := s.ended(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entry(key)
	if !e.applied.absent() {
		name = e.applied.name
	}
	if err := replace(s.dir, name, text); err != nil {
		s.tidy(key, e)
		return fmt.Errorf("put rule %s: %w", key, err)
	}
	p, err := fingerprintOf(s.dir, name)
	if err != nil {
		return fmt.Errorf("put rule %s: %w", key, err)
	}
	e.take(p, reading{doc: source.Document{Text: text, Exists: true}, rev: revision(text)})
	return nil
}

// Delete implements source.RuleStore: all files that name the key go.
func (s *Store) Delete(ctx context.Context, key string) error {
	if _, err := FileName(key); err != nil {
		return err
	}
	if err := s.ended(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("delete rule %s: %w", key, err)
	}
	gone := false
	for _, f := range list {
		if k, _, ok := KeyOf(f.Name()); !ok || k != key {
			continue
		}
		if err := os.Remove(filepath.Join(s.dir, f.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("delete rule %s: %w", key, err)
		}
		gone = true
	}
	if gone {
		if err := syncFolder(s.dir); err != nil {
			return fmt.Errorf("delete rule %s: %w", key, err)
		}
	}
	if e, ok := s.entries[key]; ok {
		e.take(fingerprint{}, reading{})
		s.tidy(key, e)
	}
	return nil
}

// replace writes dir/name in one step.
func replace(dir, name, text string) (err error) {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(dir, tempPrefix+"*"+tempSuffix)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // may be closed already
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.WriteString(text); err != nil {
		return err
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), filepath.Join(dir, name)); err != nil {
		return err
	}
	return syncFolder(dir)
}

// Names of files that are being written; hidden, so nobody takes them for rules.
const (
	tempPrefix = ".dubway-"
	tempSuffix = ".tmp"
	tempAge    = time.Hour
)

// sweep removes what a process that died while writing left behind.
func (s *Store) sweep(list []os.DirEntry) {
	for _, f := range list {
		if !strings.HasPrefix(f.Name(), tempPrefix) || !strings.HasSuffix(f.Name(), tempSuffix) {
			continue
		}
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > tempAge {
			if err := os.Remove(filepath.Join(s.dir, f.Name())); err != nil {
				s.o.Logger.Warn("cannot remove an old temporary file", "file", f.Name(), "error", err)
			}
		}
	}
}
