package script

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"modernc.org/quickjs"
)

//go:embed prelude/guard.js
var guardSource string

//go:embed prelude/java.js
var javaSource string

//go:embed prelude/host.js
var hostSource string

// code is what every machine of a script starts from. The byte code was made in this process.
type code struct {
	prelude, script []byte
	lines           int
}

// job is one call for a machine.
type job struct {
	call   *call
	chosen string
	// end is when the call goes on without an answer.
	end time.Time
}

// answer is what finish of the prelude told, or why it did not get there.
type answer struct {
	text string
	// same says that the script looked at nothing but the providers and the consumer.
	same bool
	err  error
}

// machine is one JavaScript virtual machine. One goroutine at a time uses it.
type machine struct {
	vm                         *quickjs.VM
	code                       code
	time                       time.Duration
	begin, finish, clean, load quickjs.Value
	bound                      *providers
	broken                     bool

	// mu guards job: a machine that was given up must not look at a call that has returned.
	mu  sync.Mutex
	job *job
}

// compileJavaScript compiles a script and returns the machine that it was compiled on.
func compileJavaScript(text string, l Limits) (_ code, _ *machine, err error) {
	defer recovered(&err)
	vm, err := newVM(l)
	if err != nil {
		return code{}, nil, err
	}
	defer func() { _ = vm.Close() }()
	c := code{lines: strings.Count(text, "\n") + 1}
	// The script alone must be a program: what follows wraps it in a block, which keeps its names from one call to the next apart.
	whole, err := vm.Compile(text, quickjs.EvalGlobal)
	if err != nil {
		return code{}, nil, syntaxError(text, err)
	}
	if c.script, err = vm.Compile("{"+text+"\n}", quickjs.EvalGlobal); err != nil {
		c.script = whole
	}
	if c.prelude, err = prelude(); err != nil {
		return code{}, nil, err
	}
	m, err := newMachine(c, l)
	return c, m, err
}

// prelude is the byte code of the part that all scripts share: a constant that is worked out on first use.
var prelude = sync.OnceValues(func() (_ []byte, err error) {
	defer recovered(&err)
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errEngine, err)
	}
	defer func() { _ = vm.Close() }()
	b, err := vm.Compile("(function () { 'use strict';\n"+guardSource+javaSource+hostSource+"\n})()", quickjs.EvalGlobal)
	if err != nil {
		return nil, fmt.Errorf("%w: prelude: %w", errEngine, err)
	}
	return b, nil
})

func newVM(l Limits) (*quickjs.VM, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errEngine, err)
	}
	vm.SetMemoryLimit(uintptr(l.Memory))
	return vm, nil
}

func newMachine(c code, l Limits) (_ *machine, err error) {
	defer recovered(&err)
	vm, err := newVM(l)
	if err != nil {
		return nil, err
	}
	m := &machine{vm: vm, code: c, time: l.Time}
	if err := m.prepare(); err != nil {
		m.close()
		return nil, fmt.Errorf("%w: %w", errEngine, err)
	}
	return m, nil
}

func (m *machine) prepare() error {
	if err := m.vm.RegisterHostFunc("__column", m.column); err != nil {
		return err
	}
	if err := m.vm.RegisterHostFunc("__call", m.part); err != nil {
		return err
	}
	api, err := m.vm.EvalBytecodeValue(m.code.prelude)
	if err != nil {
		return err
	}
	defer api.Free()
	for name, to := range map[string]*quickjs.Value{"begin": &m.begin, "finish": &m.finish, "clean": &m.clean, "bind": &m.load} {
		atom, err := m.vm.NewAtom(name)
		if err != nil {
			return err
		}
		if *to, err = api.GetPropertyValue(atom); err != nil {
			return err
		}
	}
	return nil
}

func (m *machine) close() {
	var err error
	defer recovered(&err)
	for _, v := range []*quickjs.Value{&m.begin, &m.finish, &m.clean, &m.load} {
		v.Free()
	}
	_ = m.vm.Close() // it can only tell that the memory was not all free
}

// bind loads the providers, unless they are loaded.
func (m *machine) bind(p *providers) (err error) {
	if m.bound == p {
		return nil
	}
	defer recovered(&err)
	_ = m.vm.SetEvalTimeout(0)
	m.bound = p
	if _, err := m.load.Call(quickjs.UndefinedValue, p.set.Len()); err != nil {
		return runError(err, m.code.lines)
	}
	return nil
}

func (m *machine) start(j *job) {
	m.mu.Lock()
	m.job = j
	m.mu.Unlock()
}

// abandon stops the script from another goroutine.
func (m *machine) abandon() {
	m.mu.Lock()
	m.job = nil
	m.mu.Unlock()
	m.vm.Interrupt()
}

// run runs the script once.
func (m *machine) run(j *job) (a answer) {
	m.broken = true // until the end says otherwise
	defer func() {
		var err error
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errEngine, p)
			a = answer{err: err}
		}
		m.start(nil)
	}()
	_ = m.vm.SetEvalTimeout(left(j.end))
	if _, err := m.begin.Call(quickjs.UndefinedValue, j.call.method, j.chosen); err != nil {
		return answer{err: runError(err, m.code.lines)}
	}
	_ = m.vm.SetEvalTimeout(left(j.end))
	value, err := m.vm.EvalBytecodeValue(m.code.script)
	if err == nil {
		defer value.Free()
		_ = m.vm.SetEvalTimeout(left(j.end))
		var text any
		if text, err = m.finish.Call(quickjs.UndefinedValue, value.Dup()); err == nil {
			s, ok := text.(string)
			if !ok || len(s) < 3 {
				return answer{err: errEngine}
			}
			m.broken = s[0] != '+'
			return answer{text: s[2:], same: !m.broken && s[1] == '='}
		}
	}
	err = runError(err, m.code.lines)
	if errors.Is(err, ErrThrown) {
		_ = m.vm.SetEvalTimeout(m.time)
		clean, failure := m.clean.Call(quickjs.UndefinedValue)
		m.broken = failure != nil || clean != true
	}
	return answer{err: err}
}

// left is the time until end, at least a moment: 0 would be no limit.
func left(end time.Time) time.Duration { return max(time.Until(end), time.Millisecond) }

// column is called from the prelude for a property of all providers.
func (m *machine) column(args []any) (any, error) {
	if len(args) != 2 || m.bound == nil {
		return nil, errEngine
	}
	kind, _ := args[0].(string)
	name, _ := args[1].(string)
	return m.bound.column(kind, name), nil
}

// part is called from the prelude for a part of the call.
func (m *machine) part(args []any) (any, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.job == nil || len(args) != 1 {
		return nil, ErrTime
	}
	kind, _ := args[0].(string)
	return m.job.call.part(kind)
}

// recovered turns a panic of the engine into an error: a script must not end the process.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", errEngine, p)
	}
}

// runError says why a run of a script of some lines ended.
func runError(err error, lines int) error {
	var e *quickjs.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%w: %w", ErrThrown, err)
	}
	text := shorten(e.Error())
	if e.Name == "InternalError" {
		switch {
		case strings.Contains(e.Message, "interrupted"):
			return ErrTime
		case strings.Contains(e.Message, "memory"), strings.Contains(e.Message, "string too long"):
			return ErrMemory
		case strings.Contains(e.Message, "stack overflow"):
			return ErrStack
		}
	}
	if line := placeOf(e.Stack, lines); line > 0 {
		text += " at line " + strconv.Itoa(line)
	}
	if text == "" || text == "null" {
		return ErrMemory // there was not even memory for the message
	}
	return &thrownError{text, placeOf(e.Stack, lines)}
}

// thrownError is an exception of a script: an ErrThrown with its line, 0 when that is not known.
type thrownError struct {
	text string
	line int
}

// Error implements error.
func (e *thrownError) Error() string { return ErrThrown.Error() + ": " + e.text }

// Unwrap returns ErrThrown.
func (*thrownError) Unwrap() error { return ErrThrown }

const maxMessage = 300

func shorten(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return s
}

var placePattern = regexp.MustCompile(`<eval>:([0-9]+)`)

// placeOf returns the innermost line of a stack that can be the script's; the prelude's own frames come before it.
func placeOf(stack string, lines int) int {
	for _, m := range placePattern.FindAllStringSubmatch(stack, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil && n <= lines {
			return n
		}
	}
	return 0
}

var (
	forEachPattern = regexp.MustCompile(`\bfor\s+each\s*\(`)
	groovyPattern  = regexp.MustCompile(`(?m)^\s*(?:def\s+\w+|import\s+[\w.]+)`)
)

// syntaxError turns a compiler's error into ours.
func syntaxError(text string, err error) error {
	out := &SyntaxError{Message: shorten(err.Error()), Hint: "scripts are JavaScript (ES2023)"}
	var e *quickjs.Error
	if errors.As(err, &e) {
		out.Message, out.Line, out.Column = shorten(e.Message), e.LineNumber, e.ColumnNumber
	}
	if at := forEachPattern.FindStringIndex(text); at != nil {
		before := text[:at[0]]
		out.Line = strings.Count(before, "\n") + 1
		out.Column = len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
		out.Message, out.Hint = "\"for each\" is no JavaScript", "write for (var x of list)"
	} else if groovyPattern.MatchString(text) {
		out.Hint = "this looks like Groovy or Java, which are not run: write the rule in JavaScript"
	}
	return out
}
