package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// release is one published version of Dubbo and the sources that drive its classes.
type release struct {
	version, group, snakeyaml string
	sources                   []string
}

func releases() []release {
	return []release{
		{"2.6.12", "com.alibaba", "1.33", []string{"common", "v26"}},
		{"2.7.23", "org.apache.dubbo", "1.33", []string{"common", "apache", "v27"}},
		{"3.1.11", "org.apache.dubbo", "1.33", []string{"common", "apache", "v3"}},
		{"3.3.1", "org.apache.dubbo", "1.33", []string{"common", "apache", "v3"}},
		{"3.3.6", "org.apache.dubbo", "2.4", []string{"common", "apache", "v3"}},
	}
}

// build compiles the driver of one release into dir and returns its class path.
func (r release) build(ctx context.Context, home, dir string) (string, error) {
	file := filepath.Join(dir, r.version+".classpath")
	path, err := os.ReadFile(file)
	if err != nil {
		mvn := exec.CommandContext(ctx, "mvn", "-q", "-B", "dependency:build-classpath", "-Ddubbo.group="+r.group, "-Ddubbo.version="+r.version,
			"-Dsnakeyaml.version="+r.snakeyaml, "-Dmdep.outputFile="+file)
		mvn.Dir = home
		if out, err := mvn.CombinedOutput(); err != nil {
			return "", fmt.Errorf("class path of %s: %w\n%s", r.version, err, out)
		}
		if path, err = os.ReadFile(file); err != nil {
			return "", err
		}
	}
	classes := filepath.Join(dir, r.version)
	if err := os.MkdirAll(classes, 0o755); err != nil {
		return "", err
	}
	done := filepath.Join(classes, "done")
	if _, err := os.Stat(done); err == nil {
		return classes + string(os.PathListSeparator) + strings.TrimSpace(string(path)), nil
	}
	args := []string{"-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", classes, "-cp", strings.TrimSpace(string(path))}
	for _, s := range r.sources {
		err := filepath.WalkDir(filepath.Join(home, "java", s), func(p string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(p, ".java") {
				args = append(args, p)
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	if out, err := exec.CommandContext(ctx, "javac", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("javac for %s: %w\n%s", r.version, err, out)
	}
	if err := os.WriteFile(done, nil, 0o644); err != nil {
		return "", err
	}
	return classes + string(os.PathListSeparator) + strings.TrimSpace(string(path)), nil
}
