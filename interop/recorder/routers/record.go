package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// home is the folder of the Java sources: this package's.
func home() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return "."
	}
	return filepath.Dir(file)
}

// answers are what one process said, by case id.
type answers map[string]map[string]json.RawMessage

// ask runs every case on every version that it applies to. A case that a process could not run is in broken, by id.
func ask(ctx context.Context, cases []*routerCase) (out answers, broken map[string]string, err error) {
	build, err := os.MkdirTemp("", "routers")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(build)
	if keep := os.Getenv("ROUTERS_BUILD"); keep != "" {
		build = keep
		if err := os.MkdirAll(build, 0o755); err != nil {
			return nil, nil, err
		}
	}
	work := map[string][]*routerCase{}
	for _, c := range cases {
		for _, v := range c.versions() {
			work[c.process(v)] = append(work[c.process(v)], c)
		}
	}
	classpaths := map[string]string{}
	for _, r := range releases() {
		affinity := r.version + "+affinity"
		if len(work[r.version])+len(work[affinity]) == 0 {
			continue
		}
		path, err := r.build(ctx, home(), build)
		if err != nil {
			return nil, nil, err
		}
		classpaths[r.version] = path
		classpaths[affinity] = filepath.Join(home(), "java", "affinity") + string(os.PathListSeparator) + path
	}
	out, broken = answers{}, map[string]string{}
	var lock sync.Mutex
	var running sync.WaitGroup
	for name, list := range work {
		running.Go(func() {
			p := &process{classpath: classpaths[name]}
			defer p.stop()
			version := strings.TrimSuffix(name, "+affinity")
			begin := time.Now()
			defer func() {
				fmt.Fprintf(os.Stderr, "%s: %d cases in %v\n", name, len(list), time.Since(begin).Round(time.Second))
			}()
			for _, c := range list {
				answer, err := p.answer(ctx, c)
				lock.Lock()
				switch {
				case err != nil:
					broken[c.ID] = version + ": " + err.Error()
				case out[c.ID] == nil:
					out[c.ID] = map[string]json.RawMessage{version: answer}
				default:
					out[c.ID][version] = answer
				}
				lock.Unlock()
			}
		})
	}
	running.Wait()
	return out, broken, nil
}

func flatten(byArea map[string][]*routerCase) []*routerCase {
	var out []*routerCase
	for _, a := range sortedKeys(byArea) {
		out = append(out, byArea[a]...)
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func record(in, out string) error {
	byArea, err := load(in)
	if err != nil {
		return err
	}
	for _, area := range sortedKeys(byArea) {
		for _, c := range byArea[area] {
			if err := c.identify(); err != nil {
				return err
			}
		}
		got, broken, err := ask(context.Background(), byArea[area])
		if err != nil {
			return err
		}
		var kept []*routerCase
		for _, c := range byArea[area] {
			if broken[c.ID] != "" {
				continue
			}
			c.Expect = got[c.ID]
			kept = append(kept, c)
		}
		if err := save(out, area, kept); err != nil {
			return err
		}
		fmt.Printf("%-18s %d cases recorded, %d left out\n", area, len(kept), len(byArea[area])-len(kept))
		for _, id := range sortedKeys(broken) {
			fmt.Printf("left out: %s %s\n", id, broken[id])
		}
	}
	return nil
}
