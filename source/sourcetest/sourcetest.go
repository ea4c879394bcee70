// Package sourcetest is the contract of package source as a test: every adapter passes Run, whoever
// wrote it.
package sourcetest

import (
	"context"
	"testing"
	"time"

	"github.com/dubway-go/dubway/source"
)

// World is one fresh, empty registry and config centre, as seen by one client. Parts that the adapter does
// not have are nil, and what needs them is not run.
type World struct {
	Registry  source.Registry
	Registrar source.Registrar
	Lister    source.Lister
	Config    source.ConfigCenter
	Rules     source.RuleStore

	// Break cuts the client's contact and Restore mends it; the client keeps its registrations unless
	// contact is away for long. Both are set or neither.
	Break, Restore func()
	// Expire does the same as Break and Restore, with so long a loss in between that the far side drops
	// what the client registered. It returns when contact may come back.
	Expire func()
	// Far is a second way to the same rules that works while contact is broken, to change them behind the client's back.
	// It is nil when there is none.
	Far source.RuleStore
	// FarRegistrar is the same for URLs.
	FarRegistrar source.Registrar
}

// Factory makes a World for one test, isolated from every other, and takes it apart with t.Cleanup.
type Factory func(t *testing.T) World

// Wait is how long the contract test waits for something that should happen soon. It is generous,
// because machines that run tests are slow at times; no test passes by waiting for it.
const Wait = 20 * time.Second

// Run checks an adapter against the contract of package source.
func Run(t *testing.T, factory Factory) {
	t.Helper()
	probe := factory(t)
	if probe.Registry != nil {
		runRegistry(t, factory)
	}
	if probe.Config != nil {
		runConfig(t, factory)
	}
	if probe.Rules != nil {
		runStore(t, factory)
	}
	if probe.Break != nil {
		runFaults(t, factory)
	}
}

type check struct {
	name string
	run  func(t *testing.T, w World)
}

func runAll(t *testing.T, group string, factory Factory, checks []check) {
	t.Helper()
	t.Run(group, func(t *testing.T) {
		for _, c := range checks {
			t.Run(c.name, func(t *testing.T) { c.run(t, factory(t)) })
		}
	})
}

// within returns a context for calls that should be quick.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Wait)
	t.Cleanup(cancel)
	return ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
