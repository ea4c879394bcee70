// Package zktest starts a real ZooKeeper server (Debian's package) for tests, on a free port, and can kill,
// restart and freeze it.
package zktest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Environment variables that steer the tests.
const (
	// RequireEnv set to "1" makes a missing server a failure instead of a skip.
	RequireEnv = "DUBWAY_REQUIRE_SERVERS"
	// HostEnv is the address to listen on when 127.0.0.1 will not do (a network namespace of its own).
	HostEnv = "DUBWAY_ZOOKEEPER_HOST"
	// JarsEnv is the folder of the jars when it is not /usr/share/java.
	JarsEnv = "DUBWAY_ZOOKEEPER_JARS"
)

const (
	startTimeout = 30 * time.Second
	defaultJars  = "/usr/share/java"
)

// jars are what the server needs; the netty ones only because its classes name them.
func jars() []string {
	return []string{"zookeeper.jar", "log4j-1.2.jar", "slf4j-log4j12.jar", "netty-codec.jar", "netty-resolver.jar"}
}

// Available tells why no server can be started here, or nil.
func Available() error {
	if _, err := exec.LookPath("java"); err != nil {
		return fmt.Errorf("no java on the path (`make test` sets everything up): %w", err)
	}
	for _, jar := range jars() {
		if _, err := os.Stat(filepath.Join(jarFolder(), jar)); err != nil {
			return fmt.Errorf("ZooKeeper is not installed (`make test` sets everything up): %w", err)
		}
	}
	return nil
}

func jarFolder() string {
	if dir := os.Getenv(JarsEnv); dir != "" {
		return dir
	}
	return defaultJars
}

// Server is one running ZooKeeper. Its methods are for one goroutine at a time.
type Server struct {
	dir, host string
	port      int
	cmd       *exec.Cmd
	exited    chan struct{}
}

// Start starts a server whose data lives as long as the test and stops it at the test's end. Where none
// can be started it skips the test with the reason, or fails it when RequireEnv is "1".
func Start(t testing.TB) *Server {
	t.Helper()
	if err := Available(); err != nil {
		if os.Getenv(RequireEnv) == "1" {
			t.Fatalf("%s=1 but no ZooKeeper can be started: %v", RequireEnv, err)
		}
		t.Skipf("needs a real ZooKeeper: %v", err)
	}
	s, err := Launch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Launch starts a server with its configuration, log and data in dir. The caller stops it.
func Launch(dir string) (*Server, error) {
	s := &Server{dir: dir, host: os.Getenv(HostEnv)}
	if s.host == "" {
		s.host = "127.0.0.1"
	}
	if err := os.WriteFile(filepath.Join(dir, "log4j.properties"), []byte(logging), 0o600); err != nil {
		return nil, fmt.Errorf("start ZooKeeper: %w", err)
	}
	var last error
	for range 3 { // the free port may be gone when the server wants it
		if s.port, last = freePort(s.host); last != nil {
			break
		}
		if last = s.configure(); last != nil {
			break
		}
		if last = s.run(); last == nil {
			return s, nil
		}
	}
	return nil, fmt.Errorf("start ZooKeeper: %w", last)
}

const logging = `log4j.rootLogger=WARN, console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %-5p %c{1}: %m%n
`

func (s *Server) configure() error {
	text := fmt.Sprintf(`tickTime=500
initLimit=10
syncLimit=5
dataDir=%s
clientPort=%d
clientPortAddress=%s
admin.enableServer=false
4lw.commands.whitelist=*
minSessionTimeout=1000
maxClientCnxns=0
`, filepath.Join(s.dir, "data"), s.port, s.host)
	return os.WriteFile(s.configPath(), []byte(text), 0o600)
}

func (s *Server) configPath() string { return filepath.Join(s.dir, "zoo.cfg") }
func (s *Server) logPath() string    { return filepath.Join(s.dir, "server.log") }

func freePort(host string) (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// run starts the process and waits until it serves.
func (s *Server) run() error {
	path := s.dir
	for _, jar := range jars() {
		path += string(os.PathListSeparator) + filepath.Join(jarFolder(), jar)
	}
	out, err := os.OpenFile(s.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	s.cmd = exec.Command("java", "-Xmx256m", "-Xms32m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-Dzookeeper.closeSessionTxn.enabled=false", "-Djute.maxbuffer=33554432",
		"-cp", path, "org.apache.zookeeper.server.quorum.QuorumPeerMain", s.configPath())
	s.cmd.Stdout, s.cmd.Stderr = out, out
	s.cmd.SysProcAttr = dieWithParent()
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.exited = make(chan struct{})
	go func(cmd *exec.Cmd, exited chan struct{}) {
		_ = cmd.Wait() // how it ended is in its log
		close(exited)
	}(s.cmd, s.exited)
	if err := s.ready(); err != nil {
		s.Stop()
		return err
	}
	return nil
}

// ready waits until the server answers requests, not only its port.
func (s *Server) ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	for {
		answer, err := s.ask(ctx, "srvr")
		if err == nil && strings.Contains(answer, "Mode:") {
			return nil
		}
		select {
		case <-time.After(30 * time.Millisecond):
		case <-s.exited:
			return errors.New("the server ended at once; its log:\n" + s.Log())
		case <-ctx.Done():
			return fmt.Errorf("not ready after %v (%w); its log:\n%s", startTimeout, errors.Join(err, ctx.Err()), s.Log())
		}
	}
}

// ask sends one of the server's four-letter words.
func (s *Server) ask(ctx context.Context, word string) (string, error) {
	d := net.Dialer{Timeout: time.Second}
	c, err := d.DialContext(ctx, "tcp", s.Address())
	if err != nil {
		return "", err
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(2 * time.Second))
	if _, err := io.WriteString(c, word); err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(c, 1<<20))
	return string(b), err
}

// Ask returns the answer to one of the server's four-letter words ("srvr", "cons", "dump").
func (s *Server) Ask(t testing.TB, word string) string {
	t.Helper()
	answer, err := s.ask(t.Context(), word)
	if err != nil {
		t.Fatalf("ZooKeeper, %s: %v", word, err)
	}
	return answer
}

// Address returns "host:port"; it stays the same over Restart.
func (s *Server) Address() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// Stop kills the server at once (kill -9), as a lost machine would; its data stay for Restart. Stopping
// a stopped server does nothing.
func (s *Server) Stop() {
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	_ = s.cmd.Process.Kill() // an error says that it ended already
	<-s.exited
}

// Restart starts a stopped server again, and kills it first when it runs: same address, same data.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.Stop()
	var err error
	for range 5 { // connections of before may hold the port for a moment
		if err = s.run(); err == nil {
			return
		}
	}
	t.Fatalf("restart ZooKeeper: %v", err)
}

// Pause freezes the server: connections stay, nothing is answered. Resume ends it.
func (s *Server) Pause(t testing.TB) {
	t.Helper()
	if err := freeze(s.cmd.Process); err != nil {
		t.Fatalf("pause ZooKeeper: %v", err)
	}
}

// Resume ends Pause.
func (s *Server) Resume(t testing.TB) {
	t.Helper()
	if err := thaw(s.cmd.Process); err != nil {
		t.Fatalf("resume ZooKeeper: %v", err)
	}
}

// Log returns the last part of what the server wrote.
func (s *Server) Log() string {
	b, err := os.ReadFile(s.logPath())
	if err != nil {
		return err.Error()
	}
	if len(b) > 4000 {
		b = b[len(b)-4000:]
	}
	return string(bytes.TrimSpace(b))
}
