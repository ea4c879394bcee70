package interop

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/internal/zktest"
)

const (
	insideEnv = "DUBWAY_INTEROP_INSIDE"  // set in the test process that runs in the namespace
	reasonEnv = "DUBWAY_INTEROP_MISSING" // why servers cannot be had, found out before
	host      = "198.18.0.1"             // of the benchmarking range: nobody's address
)

// TestMain builds what the tests start, while there is a network, and runs the tests in a network namespace.
func TestMain(m *testing.M) {
	if os.Getenv(insideEnv) != "" || os.Getenv(reasonEnv) != "" {
		code := m.Run()
		stopFleet()
		os.Exit(code)
	}
	if err := prepare(); err != nil {
		if os.Getenv(zktest.RequireEnv) == "1" {
			fmt.Fprintln(os.Stderr, "interop: "+zktest.RequireEnv+"=1, but:", err)
			os.Exit(1)
		}
		os.Exit(again(nil, reasonEnv+"="+err.Error()))
	}
	script := "ip link set lo up && ip addr add " + host + "/15 dev lo && exec \"$0\" \"$@\""
	os.Exit(again([]string{"unshare", "-n", "--", "sh", "-c", script}, insideEnv+"=1"))
}

// again runs this test binary once more, behind prefix, and returns its exit code.
func again(prefix []string, env string) int {
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		return 1
	}
	args := append(prefix, self)
	args = append(args, os.Args[1:]...)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		return 1
	}
	return 0
}

// prepare checks for the tools and builds the peers.
func prepare() error {
	for _, tool := range []string{"java", "mvn", "unshare", "ip"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is not installed: `make setup` installs it: %w", tool, err)
		}
	}
	if err := zktest.Available(); err != nil {
		return err
	}
	if out, err := exec.Command("unshare", "-n", "--", "ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		return fmt.Errorf("no network namespace can be made here (root is needed): %w: %s", err, out)
	}
	for _, project := range []string{dubbo33, dubbo27} {
		if err := buildJava(project); err != nil {
			return err
		}
	}
	if err := buildGo("dubbogo", "interop-dubbogo", "."); err != nil { // a module of its own
		return err
	}
	return buildGo("..", "interop-dubway", "./cmd/dubway")
}

// buildJava compiles a Maven project and writes its class path, unless nothing changed since.
func buildJava(project string) error {
	dir := filepath.Join("java", project)
	stamp := filepath.Join(dir, "target", "interop.stamp")
	if built, err := os.Stat(stamp); err == nil {
		newest := built.ModTime()
		stale := false
		for _, root := range []string{filepath.Join(dir, "pom.xml"), filepath.Join("java", "src")} {
			err := filepath.WalkDir(root, func(_ string, d os.DirEntry, err error) error {
				if err != nil {
					return err
				}
				info, err := d.Info()
				stale = stale || err == nil && info.ModTime().After(newest)
				return err
			})
			if err != nil {
				return err
			}
		}
		if !stale {
			return nil
		}
	}
	args := []string{"-q", "-B", "compile", "dependency:build-classpath", "-Dmdep.outputFile=target/classpath.txt"}
	var out []byte
	var err error
	for _, more := range [][]string{{"-o"}, nil} { // the network only when the local repository lacks something
		cmd := exec.Command("mvn", append(more, args...)...)
		cmd.Dir = dir
		if out, err = cmd.CombinedOutput(); err == nil {
			return os.WriteFile(stamp, nil, 0o644)
		}
	}
	return fmt.Errorf("mvn in interop/%s: %w:\n%s", dir, err, out)
}

// buildGo builds a command of the module in dir as bin/name.
func buildGo(dir, name, pkg string) error {
	out, err := filepath.Abs(filepath.Join("..", "bin", name))
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-o", out, pkg)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s in %s: %w:\n%s", pkg, dir, err, text)
	}
	return nil
}

// needServers skips the test where the real peers cannot be had.
func needServers(t testing.TB) {
	t.Helper()
	if reason := os.Getenv(reasonEnv); reason != "" {
		t.Skip("no real servers: " + strings.TrimSpace(reason))
	}
}
