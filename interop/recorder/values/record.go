package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
)

// buildEnv names a folder that keeps the class paths and classes for the next run.
const buildEnv = "VALUES_BUILD"

// answers are what the releases said, by version and in the order of the cases; nil where a case does not apply.
type answers map[string][]json.RawMessage

// ask runs every case on every release, one process each, at most two at a time.
func ask(ctx context.Context, cases []*valueCase) (answers, error) {
	dir := os.Getenv(buildEnv)
	if dir == "" {
		made, err := os.MkdirTemp("", "values")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(made)
		dir = made
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(dir) // Maven runs in another folder
	if err != nil {
		return nil, err
	}
	var input bytes.Buffer
	for _, c := range cases {
		bare := valueCase{id: c.id, in: c.in}
		if err := bare.write(&input); err != nil {
			return nil, err
		}
	}
	out := answers{}
	var failed error
	var lock sync.Mutex
	var running sync.WaitGroup
	slots := make(chan struct{}, 2)
	for _, r := range releases() {
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			list, err := r.run(ctx, dir, input.Bytes(), len(cases))
			lock.Lock()
			defer lock.Unlock()
			out[r.version] = list
			failed = errors.Join(failed, err)
		})
	}
	running.Wait()
	return out, failed
}

// run hands the cases to one process of the release and reads as many answers.
func (r release) run(ctx context.Context, dir string, input []byte, n int) ([]json.RawMessage, error) {
	path, err := r.build(ctx, dir)
	if err != nil {
		return nil, err
	}
	hosts, err := hostsFile(dir)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "java", "-Djdk.net.hosts.file="+hosts, "-Xmx700m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
		"--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=java.base/java.util=ALL-UNNAMED",
		"--add-opens=java.base/java.math=ALL-UNNAMED", "--add-opens=java.base/java.net=ALL-UNNAMED",
		"-Ddubbo.json-framework.prefer=gson", "-Dfile.encoding=UTF-8", "-cp", path, "com.example.recorder.Main")
	cmd.Stdin = bytes.NewReader(input)
	var log bytes.Buffer
	cmd.Stderr = &log
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var out []json.RawMessage
	scan := bufio.NewScanner(pipe)
	scan.Buffer(nil, maxLine)
	for scan.Scan() {
		line := bytes.Clone(scan.Bytes())
		if string(line) == "null" {
			line = nil
		}
		out = append(out, line)
	}
	_, _ = io.Copy(io.Discard, pipe)
	if err := cmd.Wait(); err != nil || len(out) != n {
		return nil, fmt.Errorf("%s: %d answers to %d cases, %w; its log ends:\n%s", r.version, len(out), n, err, tail(log.Bytes()))
	}
	return out, scan.Err()
}

// hostsFile writes the only names that the processes may resolve: a case asks no name server.
func hostsFile(dir string) (string, error) {
	name, err := os.Hostname()
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "hosts")
	return file, os.WriteFile(file, []byte("127.0.0.1 localhost\n127.0.0.1 "+name+"\n"), 0o644)
}

func tail(b []byte) []byte { return b[max(0, len(b)-4000):] }

// flatten puts the cases of all areas into one list, by area: one process a release answers them all.
func flatten(byArea map[string][]*valueCase) []*valueCase {
	var out []*valueCase
	for _, area := range slices.Sorted(maps.Keys(byArea)) {
		out = append(out, byArea[area]...)
	}
	return out
}

// record writes the cases of a folder with their answers to another.
func record(ctx context.Context, in, out string) error {
	byArea, err := load(in)
	if err != nil {
		return err
	}
	cases := flatten(byArea)
	got, err := ask(ctx, cases)
	if err != nil {
		return err
	}
	for i, c := range cases {
		c.expect = map[string]json.RawMessage{}
		for version, list := range got {
			if list[i] != nil {
				c.expect[version] = list[i]
			}
		}
	}
	for _, area := range slices.Sorted(maps.Keys(byArea)) {
		count := map[string]int{}
		for _, c := range byArea[area] {
			for version := range c.expect {
				count[version]++
			}
		}
		if err := save(out, area, byArea[area]); err != nil {
			return err
		}
		fmt.Printf("%-16s %d cases, answers %v\n", area, len(byArea[area]), count)
	}
	return nil
}
