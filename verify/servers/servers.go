// Package servers tells, at the end of a test run, which suites against real servers did not run
// and how to run them (docs/adr/0006).
package servers

import (
	"os/exec"
	"slices"
)

// Suite is a set of tests that needs programs beside Go.
type Suite struct {
	// Name is what the report calls it.
	Name string
	// Needs are the programs or files it cannot run without.
	Needs []string
}

// Suites returns every suite of the project that needs a real server.
func Suites() []Suite {
	return []Suite{
		{"zookeeper", []string{"java", "/usr/share/java/zookeeper.jar"}},
		{"interop (Dubbo Java, dubbo-go)", []string{"java", "mvn", "unshare", "ip", "/usr/share/java/zookeeper.jar"}},
	}
}

// Missing returns those needs of s that found says are not there, in the order of s.Needs.
func (s Suite) Missing(found func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(s.Needs), found)
}

// Found reports whether a program of that name is on the PATH, or a file of that absolute path exists
// and can be read or executed.
func Found(name string) bool {
	if name[0] == '/' {
		return exists(name)
	}
	_, err := exec.LookPath(name)
	return err == nil
}
