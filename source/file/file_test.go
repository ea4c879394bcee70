package file_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/dubway-go/dubway/source"
	"github.com/dubway-go/dubway/source/file"
	"github.com/dubway-go/dubway/source/sourcetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	for name, o := range map[string]file.Options{
		"Notified": {Settle: 10 * time.Millisecond},
		"Polling":  {Settle: 10 * time.Millisecond, NoNotify: true, Poll: 20 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			sourcetest.Run(t, func(t *testing.T) sourcetest.World {
				base := t.TempDir()
				dir, away := filepath.Join(base, "rules"), filepath.Join(base, "away")
				must(t, os.Mkdir(dir, 0o755))
				s := open(t, dir, o)
				return sourcetest.World{
					Config: s, Rules: s,
					Break:   func() { must(t, os.Rename(dir, away)) },
					Restore: func() { must(t, os.Rename(away, dir)) },
					Far:     farStore{away},
				}
			})
		})
	}
}

// farStore changes the rules in a folder that the tested store lost sight of.
type farStore struct{ dir string }

func (f farStore) with(use func(*file.Store) error) error {
	dir := f.dir
	if _, err := os.Stat(dir); err != nil { // it is back under its name
		dir = filepath.Join(filepath.Dir(dir), "rules")
	}
	s, err := file.Open(dir, file.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	return use(s)
}

func (f farStore) Get(ctx context.Context, key string) (d source.Document, err error) {
	err = f.with(func(s *file.Store) error { d, err = s.Get(ctx, key); return err })
	return d, err
}

func (f farStore) Put(ctx context.Context, key, text string) error {
	return f.with(func(s *file.Store) error { return s.Put(ctx, key, text) })
}

func (f farStore) Delete(ctx context.Context, key string) error {
	return f.with(func(s *file.Store) error { return s.Delete(ctx, key) })
}

func (f farStore) Keys(ctx context.Context) (keys []string, err error) {
	err = f.with(func(s *file.Store) error { keys, err = s.Keys(ctx); return err })
	return keys, err
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string, o file.Options) *file.Store {
	t.Helper()
	s, err := file.Open(dir, o)
	must(t, err)
	t.Cleanup(s.Close)
	return s
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

// TestNames holds the rule how files and keys belong together.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		name, key string
		rank      int
		ok        bool
	}{
		{"order.tag-router.yaml", "order.tag-router", 0, true},
		{"order.tag-router.yml", "order.tag-router", 1, true},
		{"order.tag-router", "order.tag-router", 2, true},
		{"a.B:1.0:g.condition-router", "a.B:1.0:g.condition-router", 2, true},
		{"a.B%3A1.0%3ag.condition-router.yaml", "a.B:1.0:g.condition-router", 0, true},
		{"50%.tag-router", "50%.tag-router", 2, true},
		{"%2Ehidden.tag-router.yaml", ".hidden.tag-router", 0, true},
		{"anything.yaml", "anything", 0, true},
		{"README.md", "", 0, false},
		{"notes.txt", "", 0, false},
		{".order.tag-router.yaml.swp", "", 0, false},
		{".order.tag-router.yaml", "", 0, false},
		{"order.tag-router.yaml~", "", 0, false},
		{"order.tag-router~", "", 0, false},
		{"#order.tag-router.yaml#", "", 0, false},
		{"order.tag-router.yaml.bak", "", 0, false},
		{"order.tag-router.yaml.orig", "", 0, false},
		{"order.tag-router.yaml.tmp", "", 0, false},
		{"4913", "", 0, false},
		{".yaml", "", 0, false},
		{"..%2F..%2Fetc.yaml", "", 0, false},
		{"%2E%2E.yaml", "", 0, false},
		{"a%00b.yaml", "", 0, false},
		{"a%5Cb.yaml", "", 0, false},
	} {
		key, rank, ok := file.KeyOf(c.name)
		if ok != c.ok || ok && (key != c.key || rank != c.rank) {
			t.Errorf("KeyOf(%q) = %q, %d, %v, want %q, %d, %v", c.name, key, rank, ok, c.key, c.rank, c.ok)
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, seed := range []string{"order.tag-router", "a.B:1.0:g.condition-router", ".x", "#x#", "%", "%2", "%41", "..", "a%2Fb", "订单~"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, key string) {
		name, err := file.FileName(key)
		if err != nil {
			if !errors.Is(err, source.ErrKey) {
				t.Fatalf("FileName(%q): %v, want source.ErrKey", key, err)
			}
		} else {
			if name != filepath.Base(name) || strings.HasPrefix(name, ".") || len(name) > 255 {
				t.Fatalf("FileName(%q) = %q is not a plain visible file name", key, name)
			}
			if back, rank, ok := file.KeyOf(name); !ok || rank != 0 || back != key {
				t.Fatalf("KeyOf(FileName(%q)) = %q, %d, %v", key, back, rank, ok)
			}
		}
		if k, _, ok := file.KeyOf(key); ok && source.CheckKey(k) != nil {
			t.Fatalf("KeyOf(%q) gave the unusable key %q", key, k)
		}
	})
}

func TestFolderIsReadAsItIs(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.tag-router.yaml", "yaml")
	write(t, dir, "a.tag-router.yml", "yml")
	write(t, dir, "a.tag-router", "bare")
	write(t, dir, "b.tag-router.yml", "b")
	write(t, dir, "c.tag-router", "")
	write(t, dir, ".hidden.yaml", "x")
	write(t, dir, "README.md", "x")
	must(t, os.Mkdir(filepath.Join(dir, "sub.tag-router.yaml"), 0o755))
	must(t, os.Symlink("nowhere", filepath.Join(dir, "dangling.yaml")))
	s := open(t, dir, file.Options{})
	keys, err := s.Keys(t.Context())
	must(t, err)
	if want := []string{"a.tag-router", "b.tag-router", "c.tag-router"}; !slices.Equal(keys, want) {
		t.Errorf("keys %q, want %q", keys, want)
	}
	if d, _ := s.Get(t.Context(), "a.tag-router"); d.Text != "yaml" {
		t.Errorf(".yaml counts before .yml and the bare key, got %q", d.Text)
	}
	must(t, s.Put(t.Context(), "b.tag-router", "B"))
	if b, err := os.ReadFile(filepath.Join(dir, "b.tag-router.yml")); err != nil || string(b) != "B" {
		t.Errorf("Put of a key that has a file: %q, %v, want the same file changed", b, err)
	}
	must(t, s.Delete(t.Context(), "a.tag-router"))
	if left, _ := filepath.Glob(filepath.Join(dir, "a.*")); len(left) != 0 {
		t.Errorf("Delete left %q", left)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "plain", "")
	for path, want := range map[string]string{
		filepath.Join(dir, "missing"): "mkdir -p",
		filepath.Join(dir, "plain"):   "is a file",
	} {
		if _, err := file.Open(path, file.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%s): %v, want %q in it", path, err, want)
		}
	}
}

// recorder collects the events of a watch in a bubble.
type recorder struct {
	mu  sync.Mutex
	log []string
}

func record(t *testing.T, s *file.Store, key string) *recorder {
	t.Helper()
	r := &recorder{}
	go func() {
		_ = s.Watch(t.Context(), key, func(e source.Event[source.Document]) {
			r.mu.Lock()
			defer r.mu.Unlock()
			switch {
			case e.Err != nil:
				r.log = append(r.log, "error: "+e.Err.Error())
			case !e.Value.Exists:
				r.log = append(r.log, "absent")
			default:
				r.log = append(r.log, fmt.Sprintf("%q", e.Value.Text))
			}
		})
	}()
	return r
}

func (r *recorder) all() string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.log, " ")
}

const (
	settle  = 50 * time.Millisecond
	absence = 500 * time.Millisecond
	poll    = 10 * time.Millisecond
)

// inBubble opens a polling store where time is under the test's control.
func inBubble(t *testing.T, run func(t *testing.T, dir string, s *file.Store)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, err := file.Open(dir, file.Options{NoNotify: true, Poll: poll})
		must(t, err)
		defer s.Close()
		run(t, dir, s)
	})
}

func TestHalfWrittenFileIsNotRead(t *testing.T) {
	inBubble(t, func(t *testing.T, dir string, s *file.Store) {
		got := record(t, s, "a.tag-router")
		text := ""
		for range 20 { // written in pieces, faster than it settles
			text += "line\n"
			write(t, dir, "a.tag-router.yaml", text)
			time.Sleep(settle / 2)
		}
		if all := got.all(); all != "absent" {
			t.Fatalf("while the file is being written: %s", all)
		}
		time.Sleep(2 * settle)
		if all, want := got.all(), fmt.Sprintf("absent %q", text); all != want {
			t.Errorf("after it: %s, want %s", all, want)
		}
	})
}

func TestTruncateAndWriteShowsNoEmptyRule(t *testing.T) {
	inBubble(t, func(t *testing.T, dir string, s *file.Store) {
		must(t, s.Put(t.Context(), "a.tag-router", "old\n"))
		got := record(t, s, "a.tag-router")
		write(t, dir, "a.tag-router.yaml", "")
		time.Sleep(absence - 5*poll)
		write(t, dir, "a.tag-router.yaml", "new text\n")
		time.Sleep(2 * absence)
		if all := got.all(); all != `"old\n" "new text\n"` {
			t.Errorf("events: %s", all)
		}
		write(t, dir, "a.tag-router.yaml", "")
		time.Sleep(2 * absence)
		if all := got.all(); all != `"old\n" "new text\n" ""` {
			t.Errorf("a file that stays empty is an empty rule; events: %s", all)
		}
	})
}

func TestMoveAwayAndWriteShowsNoDeletion(t *testing.T) {
	inBubble(t, func(t *testing.T, dir string, s *file.Store) {
		must(t, s.Put(t.Context(), "a.tag-router", "old\n"))
		got := record(t, s, "a.tag-router")
		path := filepath.Join(dir, "a.tag-router.yaml")
		must(t, os.Rename(path, path+"~")) // as some editors save
		time.Sleep(absence - 5*poll)
		write(t, dir, "a.tag-router.yaml", "new text\n")
		time.Sleep(2 * absence)
		must(t, os.Remove(path))
		time.Sleep(2 * absence)
		if all := got.all(); all != `"old\n" "new text\n" absent` {
			t.Errorf("events: %s", all)
		}
	})
}

func TestWriteThenRenameIsOneChange(t *testing.T) {
	inBubble(t, func(t *testing.T, dir string, s *file.Store) {
		must(t, s.Put(t.Context(), "a.tag-router", "old\n"))
		got := record(t, s, "a.tag-router")
		write(t, dir, ".a.tmp", "new text\n")
		must(t, os.Rename(filepath.Join(dir, ".a.tmp"), filepath.Join(dir, "a.tag-router.yaml")))
		time.Sleep(settle + 3*poll)
		if all := got.all(); all != `"old\n" "new text\n"` {
			t.Errorf("events: %s", all)
		}
	})
}

func TestMountedConfigMapIsFollowed(t *testing.T) {
	inBubble(t, func(t *testing.T, dir string, s *file.Store) {
		version := func(name, text string) {
			must(t, os.Mkdir(filepath.Join(dir, name), 0o755))
			write(t, filepath.Join(dir, name), "a.tag-router.yaml", text)
			must(t, os.Symlink(name, filepath.Join(dir, "..tmp")))
			must(t, os.Rename(filepath.Join(dir, "..tmp"), filepath.Join(dir, "..data")))
		}
		version("..one", "one\n")
		must(t, os.Symlink(filepath.Join("..data", "a.tag-router.yaml"), filepath.Join(dir, "a.tag-router.yaml")))
		got := record(t, s, "a.tag-router")
		time.Sleep(3 * settle)
		version("..two", "two two\n")
		time.Sleep(3 * settle)
		if all := got.all(); all != `absent "one\n" "two two\n"` {
			t.Errorf("events: %s", all)
		}
	})
}

func TestTooLargeFileLeavesTheLastRule(t *testing.T) {
	inBubble(t, func(t *testing.T, dir string, s *file.Store) {
		must(t, s.Put(t.Context(), "a.tag-router", "old\n"))
		got := record(t, s, "a.tag-router")
		write(t, dir, "a.tag-router.yaml", strings.Repeat("x", source.MaxDocument+1))
		time.Sleep(3 * settle)
		if all := got.all(); !strings.Contains(all, "too large") || strings.Count(all, "error") != 1 {
			t.Errorf("events: %.300s", all)
		}
		if d, err := s.Get(t.Context(), "a.tag-router"); err != nil || d.Text != "old\n" {
			t.Errorf("Get: %.100q, %v", d.Text, err)
		}
		write(t, dir, "a.tag-router.yaml", "fine\n")
		time.Sleep(3 * settle)
		if all := got.all(); !strings.HasSuffix(all, `"fine\n"`) {
			t.Errorf("events: %.300s", all)
		}
	})
}

func TestUnreadableFileLeavesTheLastRule(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	inBubble(t, func(t *testing.T, dir string, s *file.Store) {
		must(t, s.Put(t.Context(), "a.tag-router", "old\n"))
		got := record(t, s, "a.tag-router")
		path := filepath.Join(dir, "a.tag-router.yaml")
		must(t, os.WriteFile(path, []byte("longer text\n"), 0o644))
		must(t, os.Chmod(path, 0))
		time.Sleep(3 * settle)
		if all := got.all(); !strings.Contains(all, "permission denied") {
			t.Errorf("events: %s", all)
		}
	})
}

func TestOldTemporaryFilesAreSwept(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, ".dubway-old.tmp", "half")
	write(t, dir, ".dubway-new.tmp", "half")
	long := time.Now().Add(-2 * time.Hour)
	must(t, os.Chtimes(filepath.Join(dir, ".dubway-old.tmp"), long, long))
	open(t, dir, file.Options{})
	left, _ := filepath.Glob(filepath.Join(dir, ".dubway-*"))
	if len(left) != 1 || filepath.Base(left[0]) != ".dubway-new.tmp" {
		t.Errorf("left: %q", left)
	}
}

// TestReadersSeeWholeTextsOnly writes in place of Put's contract: no reader of the file itself ever finds a part.
func TestReadersSeeWholeTextsOnly(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, file.Options{})
	texts := []string{strings.Repeat("a", 200_000), strings.Repeat("b", 300_000)}
	must(t, s.Put(t.Context(), "k.tag-router", texts[0]))
	stop := make(chan struct{})
	var readers sync.WaitGroup
	readers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			b, err := os.ReadFile(filepath.Join(dir, "k.tag-router.yaml"))
			if err != nil || !slices.Contains(texts, string(b)) {
				t.Errorf("read %d bytes, %v", len(b), err)
				return
			}
		}
	})
	for i := range 60 {
		must(t, s.Put(t.Context(), "k.tag-router", texts[i%2]))
	}
	close(stop)
	readers.Wait()
}

// TestFolderOfTheSameNameIsFollowed replaces the whole folder, as deployments do, where only the system's reports
// can tell of later changes in time.
func TestFolderOfTheSameNameIsFollowed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "rules")
	must(t, os.Mkdir(dir, 0o755))
	write(t, dir, "a.tag-router.yaml", "one\n")
	s := open(t, dir, file.Options{Settle: 10 * time.Millisecond, Poll: time.Hour})
	texts := make(chan string, 100)
	done := make(chan error)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		done <- s.Watch(ctx, "a.tag-router", func(e source.Event[source.Document]) { texts <- e.Value.Text })
	}()
	await := func(want string) {
		t.Helper()
		limit := time.After(sourcetest.Wait)
		for {
			select {
			case got := <-texts:
				if got == want {
					return
				}
			case <-limit:
				t.Fatalf("no event with %q", want)
			}
		}
	}
	await("one\n")
	next := dir + ".next"
	must(t, os.Mkdir(next, 0o755))
	write(t, next, "a.tag-router.yaml", "two two\n")
	must(t, os.Rename(dir, dir+".old"))
	must(t, os.Rename(next, dir))
	await("two two\n")
	write(t, dir, "a.tag-router.yaml", "three three three\n")
	await("three three three\n")
	cancel()
	<-done
}

func TestCloseEndsWatches(t *testing.T) {
	s, err := file.Open(t.TempDir(), file.Options{})
	must(t, err)
	done := make(chan error)
	begun := make(chan struct{})
	go func() {
		done <- s.Watch(context.Background(), "a.tag-router", func(source.Event[source.Document]) { close(begun) })
	}()
	<-begun
	s.Close()
	s.Close()
	if err := <-done; !errors.Is(err, file.ErrClosed) {
		t.Errorf("Watch returned %v", err)
	}
	if err := s.Put(t.Context(), "a.tag-router", ""); !errors.Is(err, file.ErrClosed) {
		t.Errorf("Put returned %v", err)
	}
}

func ExampleOpen() {
	dir, _ := os.MkdirTemp("", "rules")
	defer func() { _ = os.RemoveAll(dir) }()
	_ = os.WriteFile(filepath.Join(dir, "order.tag-router.yaml"), []byte("force: true\n"), 0o644)

	rules, err := file.Open(dir, file.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rules.Close()
	document, _ := rules.Get(context.Background(), "order.tag-router")
	fmt.Print(document.Text)
	// Output: force: true
}
