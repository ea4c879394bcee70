package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// release is one published version of Dubbo and the folders of sources that drive its classes.
type release struct {
	version, group string
	sources        []string
}

func releases() []release {
	return []release{
		{"2.6.12", "com.alibaba", []string{"shared", "dubbo26"}},
		{"2.7.23", "org.apache.dubbo", []string{"shared", "apache", "dubbo27"}},
		{"3.1.11", "org.apache.dubbo", []string{"shared", "apache", "dubbo3"}},
		{"3.3.1", "org.apache.dubbo", []string{"shared", "apache", "dubbo3"}},
	}
}

// home is this package's folder, which holds the Java sources.
func home() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return "."
	}
	return filepath.Dir(file)
}

// build compiles the driver of one release into dir and returns its class path. Maven runs only where dir has no class path yet.
func (r release) build(ctx context.Context, dir string) (string, error) {
	file := filepath.Join(dir, r.version+".classpath")
	path, err := os.ReadFile(file)
	if err != nil {
		mvn := exec.CommandContext(ctx, "mvn", "-q", "-B", "dependency:build-classpath",
			"-Ddubbo.group="+r.group, "-Ddubbo.version="+r.version, "-Dmdep.outputFile="+file)
		mvn.Dir = home()
		if out, err := mvn.CombinedOutput(); err != nil {
			return "", fmt.Errorf("class path of %s: %w\n%s", r.version, err, out)
		}
		if path, err = os.ReadFile(file); err != nil {
			return "", err
		}
	}
	sources, changed, err := r.collect(filepath.Join(dir, r.version+".sources"))
	if err != nil {
		return "", err
	}
	classes := filepath.Join(dir, r.version)
	full := classes + string(os.PathListSeparator) + strings.TrimSpace(string(path))
	if _, err := os.Stat(filepath.Join(classes, "com")); err == nil && !changed {
		return full, nil
	}
	if err := os.MkdirAll(classes, 0o755); err != nil {
		return "", err
	}
	args := append([]string{"-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", classes, "-cp", strings.TrimSpace(string(path))}, sources...)
	if out, err := exec.CommandContext(ctx, "javac", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("javac for %s: %w\n%s", r.version, err, out)
	}
	return full, nil
}

// collect copies the sources to dir and returns the files and whether any is new. 2.6 has the classes that are shared under
// another package name.
func (r release) collect(dir string) (out []string, changed bool, err error) {
	for _, s := range r.sources {
		root := filepath.Join(home(), "java", s)
		err := filepath.WalkDir(root, func(p string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(p, ".java") {
				return err
			}
			raw, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, p)
			if err != nil {
				return err
			}
			to := filepath.Join(dir, s, rel)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			out = append(out, to)
			content := strings.ReplaceAll(string(raw), "org.apache.dubbo.", r.packages())
			if old, err := os.ReadFile(to); err == nil && string(old) == content {
				return nil
			}
			changed = true
			return os.WriteFile(to, []byte(content), 0o644)
		})
		if err != nil {
			return nil, false, err
		}
	}
	return out, changed, nil
}

// packages is the package that the release's classes are in, with a dot.
func (r release) packages() string {
	if r.group == "com.alibaba" {
		return "com.alibaba.dubbo."
	}
	return r.group + "."
}
