package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/app"
	"github.com/dubway-go/dubway/cli"
)

// TestTour types what README.md and documents under docs say was typed, each against a demo of its own, and compares what is printed. What differs from run to run (ports,
// times, revisions, which of several providers took a call) is the same for the comparison; so is a line "…" in the document and any lines in its place.
func TestTour(t *testing.T) {
	for document, least := range map[string]int{"README.md": 6, "docs/tour.md": 12, "docs/gateway.md": 1, "docs/cli.md": 5} {
		t.Run(filepath.Base(document), func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", document))
			if err != nil {
				t.Fatal(err)
			}
			tour := newTour(t)
			typed := 0
			for _, c := range consoleCommands(string(text)) {
				if tour.run(c) {
					typed++
				}
			}
			if typed < least {
				t.Errorf("only %d commands were typed: has the form of the document changed?", typed)
			}
		})
	}
}

// consoleCommand is one command of a document with the output that is shown below it.
type consoleCommand struct{ line, output string }

func consoleCommands(text string) (out []consoleCommand) {
	block, console := false, false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "```"):
			block = !block
			console = block && (line == "```\n" || line == "```console\n")
			out = append(out, consoleCommand{}) // what comes before the first command of a block is output of none
		case console && strings.HasPrefix(line, "$ "):
			out = append(out, consoleCommand{line: strings.TrimSpace(line[2:])})
		case console:
			out[len(out)-1].output += line
		}
	}
	return out
}

// tour is a demo and a folder to type in.
type tour struct {
	t     *testing.T
	ports *strings.Replacer // from the demo's to those of the documents
	own   *strings.Replacer // and back
}

func newTour(t *testing.T) *tour {
	d, base := startInARow(t)
	pairs := []string{"127.0.0.1:20990", d.App().AdminAddress(), "127.0.0.1:20980", d.App().GatewayAddress()}
	for i := range demoProviders() {
		pairs = append(pairs, fmt.Sprintf("127.0.0.1:%d", app.DefaultBasePort+i), fmt.Sprintf("127.0.0.1:%d", base+i))
	}
	back := slices.Clone(pairs)
	slices.Reverse(back)
	r := &tour{t, strings.NewReplacer(back...), strings.NewReplacer(pairs...)}
	examples, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(examples) == 0 {
		t.Fatal(examples, err)
	}
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "examples"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range examples {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "examples", filepath.Base(name)), []byte(r.own.Replace(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
	t.Setenv("DUBWAY_ADMIN", d.App().AdminAddress())
	return r
}

// demoProviders names the demo's providers in the order of their ports.
func demoProviders() (out []string) {
	for _, group := range []struct {
		name string
		n    int
	}{{"order", 5}, {"user", 3}, {"stock", 4}} {
		for i := range group.n {
			out = append(out, fmt.Sprintf("%s-%d", group.name, i+1))
		}
	}
	return out
}

// startInARow starts a demo whose providers have ports in a row of five digits, as in the documents: lists by address are in the same order then.
func startInARow(t *testing.T) (*app.Demo, int) {
	for range 20 {
		base := 20_000 + rand.IntN(10_000)
		d, err := app.StartDemo(t.Context(), app.DemoOptions{Admin: "127.0.0.1:0", Gateway: "127.0.0.1:0", BasePort: base, Rate: 50, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		inARow := true
		for i, name := range demoProviders() {
			inARow = inARow && d.ProviderAddress(name) == fmt.Sprintf("127.0.0.1:%d", base+i)
		}
		end := func() {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			if err := d.Shutdown(ctx); err != nil {
				t.Error(err)
			}
		}
		if inARow {
			t.Cleanup(end)
			return d, base
		}
		end()
	}
	t.Fatal("no twelve free ports in a row")
	return nil, 0
}

// run types a command until it prints what the document shows, at most 20 s: the demo takes a moment to follow a rule. It reports whether
// there was something to type.
func (r *tour) run(c consoleCommand) bool {
	r.t.Helper()
	words := shellWords(r.own.Replace(c.line))
	if len(words) == 0 {
		return false
	}
	var do func() (string, error)
	switch {
	case strings.HasPrefix(c.line, "go run "), strings.Contains(c.line, " | "):
		return false // starting the demo, and its summary: testdata/script/demo.txtar
	case words[0] == "cat":
		// The document is where the file comes from.
		if err := os.WriteFile(words[1], []byte(strings.TrimRight(c.output, "\n")+"\n"), 0o600); err != nil {
			r.t.Fatal(err)
		}
		return false
	case words[0] == "dubway":
		do = func() (string, error) {
			var out bytes.Buffer
			cli.Run(r.t.Context(), words[1:], strings.NewReader(""), &out, &out)
			return out.String(), nil
		}
	case words[0] == "curl":
		do = func() (string, error) { return curl(r.t.Context(), words[1:]) }
	default:
		r.t.Errorf("do not know how to type %q", c.line)
		return false
	}
	want := pattern(c.output)
	if strings.TrimSpace(c.output) == "" {
		want = regexp.MustCompile(`^[^!]*$`) // the document leaves the output out
	}
	got := ""
	for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(50 * time.Millisecond) {
		printed, err := do()
		if err != nil {
			r.t.Errorf("%s: %v", c.line, err)
			return true
		}
		if got = r.ports.Replace(printed); want.MatchString(strings.TrimSpace(same(got))) {
			return true
		}
		if words[0] == "dubway" && words[1] == "rule" {
			break // not to be repeated
		}
	}
	r.t.Errorf("$ %s\nprinted:\n%s\nthe document shows:\n%s", c.line, got, c.output)
	return true
}

// shellWords takes quoted texts together; the commands of the documents have no more of the shell than that.
func shellWords(line string) (out []string) {
	for _, w := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1) {
		out = append(out, strings.Trim(w, "'"))
	}
	return out
}

// What differs from run to run, and what stands for it.
var differing = []struct{ what, as string }{
	{`snapshot \d+`, "snapshot N"},
	{`\d+(\.\d+)?(ns|µs|ms|s) old`, "T old"},
	{`made \S+ ago in \S+`, "made T ago in T"},
	{`revision \d+`, "revision N"},
	{`"provider": ?"order-\d"`, `"provider":"order-N"`},
}

func same(text string) string {
	for _, d := range differing {
		text = regexp.MustCompile(d.what).ReplaceAllString(text, d.as)
	}
	return text
}

// pattern matches what the document shows.
func pattern(output string) *regexp.Regexp {
	text := regexp.QuoteMeta(strings.TrimSpace(same(output)))
	return regexp.MustCompile(`\A` + strings.ReplaceAll(text, "…\n", "(?s:.*\n)") + `\z`)
}

// curl makes one request with the options that the documents use.
func curl(ctx context.Context, words []string) (string, error) {
	var body io.Reader
	header := http.Header{}
	url := ""
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "-s":
		case "-d":
			i++
			body = strings.NewReader(words[i])
		case "-H":
			i++
			key, value, ok := strings.Cut(words[i], ": ")
			if !ok {
				return "", fmt.Errorf("the header %q has no value", words[i])
			}
			header.Set(key, value)
		default:
			url = words[i]
		}
	}
	if body == nil || url == "" {
		return "", errors.New("only requests with a body are known here")
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
	if err != nil {
		return "", err
	}
	q.Header = header
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return "", err
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	return string(text), err
}
