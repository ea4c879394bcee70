package file

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dubway-go/dubway/source"
)

// fingerprint is what a file looks like from outside; two looks at a file that nobody wrote to are equal. The
// zero fingerprint is that of a file that is not there.
type fingerprint struct {
	name string
	size int64
	time int64 // of the last change, ns
	info fs.FileInfo
}

func (p fingerprint) absent() bool { return p.info == nil }

func (p fingerprint) same(q fingerprint) bool {
	if p.absent() || q.absent() {
		return p.absent() == q.absent()
	}
	return p.name == q.name && p.size == q.size && p.time == q.time && os.SameFile(p.info, q.info)
}

var errNotRegular = errors.New("not a regular file")

// fingerprintOf looks at a file, through symbolic links: mounted config maps consist of them.
func fingerprintOf(dir, name string) (fingerprint, error) {
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		return fingerprint{}, err
	}
	if !info.Mode().IsRegular() {
		return fingerprint{}, errNotRegular
	}
	return newFingerprint(name, info), nil
}

func newFingerprint(name string, info fs.FileInfo) fingerprint {
	return fingerprint{name: name, size: info.Size(), time: info.ModTime().UnixNano(), info: info}
}

// look returns the file that counts for each key of the folder.
func (s *Store) look() (map[string]fingerprint, error) {
	list, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("read rule folder: %w", err)
	}
	found := make(map[string]fingerprint, len(list))
	ranks := make(map[string]int, len(list))
	for _, f := range list {
		key, rank, ok := KeyOf(f.Name())
		if !ok || f.IsDir() {
			continue
		}
		if other, ok := ranks[key]; ok && other <= rank {
			continue
		}
		p, err := fingerprintOf(s.dir, f.Name())
		if err != nil {
			continue // gone since, a link to nowhere, or a folder behind a link
		}
		found[key], ranks[key] = p, rank
	}
	return found, nil
}

// load reads everything as it is, at the start.
func (s *Store) load() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.look()
	if err != nil {
		return err
	}
	for key, p := range found {
		s.apply(key, s.entry(key), p)
	}
	if list, err := os.ReadDir(s.dir); err == nil {
		s.sweep(list)
	}
	return nil
}

// scan compares the folder with what was taken over and takes over what has settled. It returns when to
// look again at what has not, 0 for never.
func (s *Store) scan(now time.Time) (again time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.look()
	s.report(err)
	if err != nil {
		return 0
	}
	for key := range found {
		s.entry(key)
	}
	for key, e := range s.entries {
		p := found[key]
		if p.same(e.applied) {
			e.seen, e.since = fingerprint{}, time.Time{}
			s.tidy(key, e)
			continue
		}
		if e.since.IsZero() || !p.same(e.seen) {
			e.seen, e.since = p, now
		}
		need := s.o.Settle
		if p.absent() || p.size == 0 {
			need = s.o.Absence
		}
		left := need - now.Sub(e.since)
		if left <= 0 {
			if s.apply(key, e, p); !p.same(e.applied) {
				left = s.o.Settle // it changed under our hands
			}
		}
		if left > 0 {
			if again == 0 || left < again {
				again = left
			}
			continue
		}
		s.tidy(key, e)
	}
	return again
}

// report makes the state of the folder known, once a change.
func (s *Store) report(err error) {
	f, _ := s.fault.Load()
	switch {
	case err != nil && f.err == nil:
		s.o.Logger.Warn("the rule folder cannot be read; the last rules keep serving", "error", err)
		s.fault.Store(fault{err: err, loss: f.loss + 1})
	case err == nil && f.err != nil:
		s.o.Logger.Info("the rule folder can be read again", "folder", s.dir)
		s.fault.Store(fault{loss: f.loss})
	}
}

// apply takes over a file, or its absence. The caller holds mu.
func (s *Store) apply(key string, e *entry, p fingerprint) {
	if p.absent() {
		e.take(p, reading{})
		return
	}
	last, _ := e.cell.Load()
	text, err := readFile(s.dir, p)
	switch {
	case errors.Is(err, errChanging):
		return // its fingerprint is another now: the next look begins to wait again
	case err != nil:
		s.o.Logger.Warn("a rule file cannot be taken over; the last rule keeps serving", "key", key, "file", p.name, "error", err)
		e.take(p, reading{doc: last.doc, rev: last.rev, err: fmt.Errorf("rule file %s: %w", p.name, err)})
	default:
		e.take(p, reading{doc: source.Document{Text: text, Exists: true}, rev: revision(text)})
	}
}

// take makes a reading the present one.
func (e *entry) take(p fingerprint, r reading) {
	e.applied, e.seen, e.since = p, fingerprint{}, time.Time{}
	if last, _ := e.cell.Load(); last.doc != r.doc || last.rev != r.rev || last.err != nil || r.err != nil {
		e.cell.Store(r)
	}
}

var errChanging = errors.New("file changes while it is read")

// readFile reads what p describes, and nothing else.
func readFile(dir string, p fingerprint) (string, error) {
	if p.size > source.MaxDocument {
		return "", fmt.Errorf("%w: %d bytes, at most %d are allowed; split the rule or shorten its lists", source.ErrTooLarge, p.size, source.MaxDocument)
	}
	f, err := os.Open(filepath.Join(dir, p.name))
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return "", errChanging
		}
		return "", err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, source.MaxDocument+1))
	if err != nil {
		return "", err
	}
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !newFingerprint(p.name, info).same(p) || int64(len(b)) != p.size {
		return "", errChanging
	}
	return string(b), nil
}

// revision identifies a text for display.
func revision(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
