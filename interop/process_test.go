package interop

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The Maven projects under java/, one a Dubbo version.
const (
	dubbo33 = "dubbo33"
	dubbo27 = "dubbo27"
)

// process is a peer that was started. Its standard input stays open as long as it is wanted.
type process struct {
	name  string
	cmd   *exec.Cmd
	stdin io.Closer
	lines chan string // of its standard output
	log   logBuffer
	ended chan struct{}
}

// logBuffer keeps the last part of what a process writes to standard error.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.b.Len() > 256<<10 {
		l.b.Reset()
	}
	return l.b.Write(p)
}

func (l *logBuffer) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.b.Bytes()
	return string(b[max(0, len(b)-6000):])
}

func start(name string, cmd *exec.Cmd) (*process, error) {
	p := &process{name: name, cmd: cmd, lines: make(chan string, 4096), ended: make(chan struct{})}
	cmd.Stderr = &p.log
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.stdin = in
	go func() {
		scan := bufio.NewScanner(out)
		scan.Buffer(nil, 4<<20)
		for scan.Scan() {
			p.lines <- scan.Text()
		}
		close(p.lines)
		_ = cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// waitFor returns the first line of output that begins with prefix.
func (p *process) waitFor(prefix string, limit time.Duration) (string, error) {
	timeout := time.After(limit)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				return "", fmt.Errorf("%s ended before it printed %q; its log:\n%s", p.name, prefix, p.log.tail())
			}
			if strings.HasPrefix(line, prefix) {
				return line, nil
			}
		case <-timeout:
			return "", fmt.Errorf("%s did not print %q within %v; its log:\n%s", p.name, prefix, limit, p.log.tail())
		}
	}
}

// rest returns the lines until the process ends.
func (p *process) rest(limit time.Duration) ([]string, error) {
	var out []string
	timeout := time.After(limit)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				<-p.ended
				return out, nil
			}
			out = append(out, line)
		case <-timeout:
			p.kill()
			return out, fmt.Errorf("%s did not end within %v; its log:\n%s", p.name, limit, p.log.tail())
		}
	}
}

// kill ends the process at once, as a crash would.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	go func() {
		for range p.lines { // let the reader end
		}
	}()
	<-p.ended
}

// javaCommand runs a class of a Maven project with a small JVM.
func javaCommand(project, class string, properties map[string]string, args ...string) (*exec.Cmd, error) {
	target := filepath.Join("java", project, "target")
	path, err := os.ReadFile(filepath.Join(target, "classpath.txt"))
	if err != nil {
		return nil, err
	}
	all := []string{"-Xmx128m", "-Xms32m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Djava.net.preferIPv4Stack=true"}
	for _, opened := range []string{"java.base/java.lang", "java.base/java.util", "java.base/java.math", "java.base/java.time", "java.base/java.lang.reflect"} {
		all = append(all, "--add-opens", opened+"=ALL-UNNAMED")
	}
	for k, v := range properties {
		all = append(all, "-D"+k+"="+v)
	}
	all = append(all, "-cp", filepath.Join(target, "classes")+":"+strings.TrimSpace(string(path)), "com.example.interop."+class)
	cmd := exec.Command("java", append(all, args...)...)
	cmd.Env = append(os.Environ(), "DUBBO_IP_TO_REGISTRY="+host, "DUBBO_IP_TO_BIND="+host)
	return cmd, nil
}

// launchJava starts a provider and waits until it serves.
func launchJava(name, project string, properties map[string]string) (*process, error) {
	cmd, err := javaCommand(project, "Provider", properties)
	if err != nil {
		return nil, err
	}
	p, err := start(name, cmd)
	if err != nil {
		return nil, err
	}
	if _, err := p.waitFor("READY", 60*time.Second); err != nil {
		p.kill()
		return nil, err
	}
	return p, nil
}

// runJava runs a class to its end and returns its output.
func runJava(t *testing.T, project, class string, properties map[string]string, stdin io.Reader, args ...string) ([]string, *process) {
	t.Helper()
	cmd, err := javaCommand(project, class, properties, args...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := start(project+" "+class, cmd)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if stdin != nil {
			if w, ok := p.stdin.(io.Writer); ok {
				_, _ = io.Copy(w, stdin)
			}
		}
		_ = p.stdin.Close()
	}()
	lines, err := p.rest(90 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return lines, p
}
