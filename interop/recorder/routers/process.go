package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// caseTime is how long one case may take before its process is ended: a script may never end.
const caseTime = 20 * time.Second

// process is a running recorder of one release.
type process struct {
	classpath string
	cmd       *exec.Cmd
	in        io.WriteCloser
	lines     chan []byte
}

func (p *process) start(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "java", "-Xss2m", "-Xmx700m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
		"--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=java.base/java.util=ALL-UNNAMED",
		"-Ddubbo.application.logger=jdk", "-Ddubbo.json-framework.prefer=gson", "-Dfile.encoding=UTF-8",
		"-Djdk.net.hosts.file="+os.DevNull, // no look-up of host names: answers must not depend on a name server
		"-cp", p.classpath, "com.example.recorder.Main")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		scan := bufio.NewScanner(out)
		scan.Buffer(nil, maxLine)
		for scan.Scan() {
			lines <- append([]byte(nil), scan.Bytes()...)
		}
	}()
	p.cmd, p.in, p.lines = cmd, in, lines
	return nil
}

// stop ends the process.
func (p *process) stop() {
	if p.cmd == nil {
		return
	}
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	for range p.lines { // the reader must end before Wait closes the pipe
		continue
	}
	_ = p.cmd.Wait()
	p.cmd = nil
}

var errNoAnswer = errors.New("the recorder gave no answer in time")

// answer runs one case; an error is about the recorder, not about Dubbo.
func (p *process) answer(ctx context.Context, c *routerCase) (json.RawMessage, error) {
	if p.cmd == nil {
		if err := p.start(ctx); err != nil {
			return nil, err
		}
	}
	bare := *c
	bare.Expect = nil
	line, err := json.Marshal(&bare)
	if err != nil {
		return nil, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		p.stop()
		return nil, err
	}
	timer := time.NewTimer(caseTime)
	defer timer.Stop()
	var reply []byte
	select {
	case reply = <-p.lines:
	case <-timer.C:
	}
	if reply == nil {
		p.stop()
		return nil, errNoAnswer
	}
	var out struct {
		ID     string          `json:"id"`
		Answer json.RawMessage `json:"answer"`
		Broken string          `json:"broken"`
	}
	if err := json.Unmarshal(reply, &out); err != nil {
		return nil, err
	}
	if out.Broken != "" {
		return nil, fmt.Errorf("broken: %s", out.Broken)
	}
	return out.Answer, nil
}
