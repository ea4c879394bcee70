package interop

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dubway-go/dubway/service"
)

// daemon is `dubway serve` on the fleet's ZooKeeper.
type daemon struct {
	t       *testing.T
	p       *process
	binary  string
	admin   string // as --admin takes it
	gateway string // base URL
}

func startDaemon(t *testing.T, f *fleet) *daemon {
	t.Helper()
	binary, err := filepath.Abs(filepath.Join("..", "bin", "interop-dubway"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "serve", "--registry", f.registry(), "--gateway", "127.0.0.1:0", "--admin", "127.0.0.1:0")
	cmd.Dir = t.TempDir()
	p, err := start("dubway serve", cmd)
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{t: t, p: p, binary: binary}
	t.Cleanup(func() {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		if _, err := p.rest(20 * time.Second); err != nil {
			t.Error(err)
		}
		if code := p.cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("the daemon ended with %d; its log:\n%s", code, p.log.tail())
		}
	})
	for _, line := range []struct {
		prefix string
		to     *string
	}{{"admin", &d.admin}, {"gateway", &d.gateway}} { // in the order in which they are printed
		text, err := p.waitFor(line.prefix, 20*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		*line.to = strings.TrimSpace(strings.TrimPrefix(text, line.prefix))
	}
	return d
}

// run runs a dubway command against the daemon and returns its output and exit code.
func (d *daemon) run(args ...string) (string, int) {
	d.t.Helper()
	cmd := exec.Command(d.binary, append(args, "--admin", strings.TrimPrefix(d.admin, "http://"))...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		d.t.Fatal(err)
	}
	if errs.Len() > 0 {
		d.t.Logf("%s: %s", strings.Join(args, " "), errs.String())
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// post sends a call through the gateway.
func (d *daemon) post(path, body string, headers ...string) (int, string) {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, d.gateway+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return resp.StatusCode, strings.TrimSpace(string(b))
}

// TestDaemonOnAForeignFleet runs the daemon and its commands on providers of other implementations.
func TestDaemonOnAForeignFleet(t *testing.T) {
	f := theFleet(t)
	f.waitForProviders(t, f.zookeeper(t), service.Key{Interface: echo}, addr33, addr27, addrGo)
	d := startDaemon(t, f)
	t.Run("explain", func(t *testing.T) { d.t = t; explains(t, d) })
	t.Run("call", func(t *testing.T) { d.t = t; commandCalls(t, d) })
	t.Run("gateway", func(t *testing.T) { d.t = t; gatewayCalls(t, d) })
	d.t = t
}

func explains(t *testing.T, d *daemon) {
	for tag, want := range map[string][]string{"": {addr33, addrGo}, grayTag: {addr27}} {
		args := []string{"explain", echo, "--method", "whoami", "--output", "json"}
		if tag != "" {
			args = append(args, "--attach", "dubbo.tag="+tag)
		}
		out, code := d.run(args...)
		var answer struct {
			Trace struct{ Left []string }
		}
		if err := json.Unmarshal([]byte(out), &answer); err != nil || code != 0 {
			t.Errorf("explain: exit code %d, %v: %s", code, err, out)
			continue
		}
		slices.Sort(answer.Trace.Left)
		if !slices.Equal(answer.Trace.Left, want) {
			t.Errorf("tag %q: explain leaves %v, want %v", tag, answer.Trace.Left, want)
		}
	}
}

func commandCalls(t *testing.T, d *daemon) {
	out, code := d.run("call", echo, "whoami", "--attach", "dubbo.tag="+grayTag)
	if code != 0 || !strings.Contains(out, addr27+"|gray|echo-27") {
		t.Errorf("call of the gray provider: exit code %d: %s", code, out)
	}
	out, code = d.run("call", echo, "over", "--types", "String,int", "x", "7", "--attach", "dubbo.tag="+grayTag)
	if code != 0 || !strings.Contains(out, "(String,int)x7") {
		t.Errorf("call of an overload: exit code %d: %s", code, out)
	}
	if out, code = d.run("call", echo, "failChecked", "no stock", "--attach", "dubbo.tag="+grayTag); code != 1 {
		t.Errorf("a failing call: exit code %d: %s", code, out)
	}
}

func gatewayCalls(t *testing.T, d *daemon) {
	gray := []string{"Dubbo-Tag", grayTag}
	order := `[{"@type":"com.example.interop.Order","id":7,"customer":"c","tier":"GOLD","lines":[{"product":"pen","quantity":3,"price":"1.50"}]}]`
	for _, c := range []struct {
		path, body string
		headers    []string
		status     int
		want       string
	}{
		{"/" + echo + "/whoami", "[]", gray, 200, addr27 + "|gray|echo-27"},
		{"/" + echo + "/echoInt", "[42]", nil, 200, "42"},
		{"/" + echo + "/echoString", `["Müller 世界 😀"]`, nil, 200, "Müller 世界 😀"},
		{"/" + echo + "/echoOrder", order, gray, 200, `"customer":"c"`},
		{"/" + echo + "/failRuntime", `["broken"]`, gray, 500, "broken"},
		{"/com.example.NoSuchService/x", "[]", nil, 503, "no-provider"},
	} {
		status, body := d.post(c.path, c.body, c.headers...)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %s; want %d with %s", c.path, c.body, status, body, c.status, c.want)
		}
	}
}
