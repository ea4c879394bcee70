package zktest_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/internal/zktest"
)

func TestServerKeepsItsAddressOverARestart(t *testing.T) {
	s := zktest.Start(t)
	before := s.Address()
	if answer := s.Ask(t, "ruok"); answer != "imok" {
		t.Fatalf("ruok: %q", answer)
	}
	s.Restart(t)
	if s.Address() != before {
		t.Errorf("address %s became %s", before, s.Address())
	}
	s.Pause(t)
	s.Resume(t)
	if answer := s.Ask(t, "srvr"); !strings.Contains(answer, "standalone") {
		t.Errorf("srvr: %q", answer)
	}
}

func TestMissingJarsAreNamed(t *testing.T) {
	t.Setenv(zktest.JarsEnv, t.TempDir())
	err := zktest.Available()
	if err == nil || !strings.Contains(err.Error(), "make test") {
		t.Fatalf("Available: %v, want the way to get the server", err)
	}
	if _, missing := exec.LookPath("java"); missing == nil && !strings.Contains(err.Error(), "zookeeper.jar") {
		t.Errorf("Available: %v, want the missing jar", err)
	}
}
