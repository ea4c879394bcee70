package file

import (
	"os"
	"time"

	"github.com/fsnotify/fsnotify"
)

// reports are the system's reports that something in the folder changed. A nil *reports never reports.
type reports struct{ w *fsnotify.Watcher }

func (s *Store) reports() (*reports, error) {
	if s.o.NoNotify {
		return nil, nil
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	if err := w.Add(s.dir); err != nil {
		_ = w.Close()
		return nil, err
	}
	return &reports{w}, nil
}

func (r *reports) close() {
	if r != nil {
		_ = r.w.Close() // nothing depends on it any more
	}
}

func (r *reports) events() <-chan fsnotify.Event {
	if r == nil {
		return nil
	}
	return r.w.Events
}

func (r *reports) errors() <-chan error {
	if r == nil {
		return nil
	}
	return r.w.Errors
}

// follow scans the folder after each report, when something is about to settle, and every Poll. What a report
// says does not matter: a config map that is mounted anew reports hidden names only. Reports during a
// burst cost one scan each quarter of Settle.
func (s *Store) follow(r *reports) {
	defer close(s.done)
	defer r.close()
	timer := time.NewTimer(s.o.Poll)
	defer timer.Stop()
	at := time.Now().Add(s.o.Poll) // when timer fires
	sooner := func(d time.Duration) {
		if next := time.Now().Add(d); next.Before(at) {
			at = next
			timer.Reset(d)
		}
	}
	folder, _ := os.Stat(s.dir)
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-r.events():
			sooner(s.o.Settle / 4)
		case err := <-r.errors(): // a report was lost, at worst
			s.o.Logger.Debug("file change reports", "error", err)
			sooner(s.o.Settle / 4)
		case <-timer.C:
			wait := s.o.Poll
			if again := s.scan(time.Now()); again > 0 {
				wait = min(wait, again)
			}
			if f, _ := s.fault.Load(); f.err != nil {
				wait = min(wait, absenceSettles*s.o.Settle)
			} else {
				folder = s.renew(r, folder)
			}
			at = time.Now().Add(wait)
			timer.Reset(wait)
		}
	}
}

// renew asks for reports again when the folder is another one now, of the same name.
func (s *Store) renew(r *reports, known os.FileInfo) os.FileInfo {
	now, err := os.Stat(s.dir)
	if err != nil || r == nil {
		return known
	}
	if known != nil && os.SameFile(known, now) && len(r.w.WatchList()) > 0 {
		return known
	}
	_ = r.w.Remove(s.dir) // usually gone already
	if err := r.w.Add(s.dir); err != nil {
		s.o.Logger.Warn("no reports of file changes; polling", "folder", s.dir, "error", err)
		return known
	}
	return now
}
