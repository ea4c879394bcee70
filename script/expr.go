package script

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/service"
)

const maxExprLength = 4096

// allowedBuiltins are the functions of the language that cost no more than their input is long.
var allowedBuiltins = []string{"len", "all", "any", "one", "none", "filter", "find", "count", "first", "last", "abs", "ceil", "floor", "round",
	"int", "float", "string", "lower", "upper", "trim", "trimPrefix", "trimSuffix", "hasPrefix", "hasSuffix", "indexOf", "lastIndexOf", "max", "min", "type", "get"}

// expression is a compiled script of type expr: one truth for each provider, or one list.
type expression struct {
	program *vm.Program
	list    bool
	same    bool // it looks at providers and the consumer only
	limits  Limits
}

// ExprProvider is a provider in an expression: an entry of providers.
type ExprProvider struct {
	index uint32
	url   durl.URL

	Host        string `expr:"host"`
	Port        int    `expr:"port"`
	Protocol    string `expr:"protocol"`
	Path        string `expr:"path"`
	Address     string `expr:"address"`
	Application string `expr:"application"`
	Tag         string `expr:"tag"`
}

// Param returns a parameter of the provider, "" when it is absent.
func (p *ExprProvider) Param(name string) string { return p.url.Get(name, "") }

// exprEnv is what an expression sees.
type exprEnv struct {
	*ExprProvider
	Providers   []*ExprProvider                    `expr:"providers"`
	Method      string                             `expr:"method"`
	Args        []any                              `expr:"args"`
	Attachments map[string]any                     `expr:"attachments"`
	ParamOf     func(name string) string           `expr:"param"`
	Attachment  func(name string) string           `expr:"attachment"`
	Consumer    func(name string) string           `expr:"consumer"`
	Tick        func() (bool, error)               `expr:"__tick"`
	Number      func(text string) (float64, error) `expr:"number"`
}

func newExpression(text string, l Limits) (*expression, error) {
	if len(text) > maxExprLength {
		return nil, &SyntaxError{Message: fmt.Sprintf("expression of %d bytes is too long: the limit is %d", len(text), maxExprLength)}
	}
	options := []expr.Option{expr.Env(exprEnv{}), expr.DisableAllBuiltins(), expr.Patch(exprClock{})}
	for _, name := range allowedBuiltins {
		options = append(options, expr.EnableBuiltin(name))
	}
	program, err := expr.Compile(text, options...)
	if err != nil {
		return nil, exprError(err)
	}
	check := &exprCheck{}
	node := program.Node()
	ast.Walk(&node, check)
	if check.fault != "" {
		return nil, &SyntaxError{Message: check.fault, Hint: "see docs/scripts.md for what expressions can do"}
	}
	x := &expression{program: program, limits: l, same: !check.call}
	switch t := node.Type(); {
	case t == nil || t.Kind() == reflect.Bool || t.Kind() == reflect.Interface && !check.providers:
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Interface:
		x.list = true
	default:
		return nil, &SyntaxError{Message: "expression gives " + t.String(), Hint: "give true or false for each provider, or a list such as filter(providers, .host == \"10.0.0.1\")"}
	}
	if check.providers != x.list {
		return nil, &SyntaxError{Message: "expression mixes one provider and the list", Hint: "give true or false without using providers, or a list of providers"}
	}
	return x, nil
}

func exprError(err error) error {
	out := &SyntaxError{Message: err.Error()}
	var e *file.Error
	if errors.As(err, &e) {
		out.Message, out.Line, out.Column = e.Message, e.Line, e.Column+1
	}
	return out
}

// sameNames are the names of an expression that mean the same for every call.
var sameNames = []string{"providers", "host", "port", "protocol", "path", "address", "application", "tag", "param", "consumer", "number", "__tick"}

// exprClock makes every condition on a list look at the clock first.
type exprClock struct{}

// Visit implements ast.Visitor.
func (exprClock) Visit(node *ast.Node) {
	if n, ok := (*node).(*ast.PredicateNode); ok {
		n.Node = &ast.BinaryNode{Operator: "&&", Left: &ast.CallNode{Callee: &ast.IdentifierNode{Value: "__tick"}}, Right: n.Node}
	}
}

// exprCheck refuses what could run for long or grow: the language has no limit on time.
type exprCheck struct {
	fault     string
	providers bool
	call      bool // it looks at something else than the providers and the consumer
}

func (c *exprCheck) say(text string) {
	if c.fault == "" {
		c.fault = text
	}
}

// Visit implements ast.Visitor.
func (c *exprCheck) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		c.providers = c.providers || n.Value == "providers"
		c.call = c.call || !slices.Contains(sameNames, n.Value)
	case *ast.VariableDeclaratorNode:
		c.say("an expression has no variables")
	case *ast.BinaryNode:
		switch n.Operator {
		case "..":
			c.say("an expression has no ranges")
		case "+":
			if !numeric(n.Left) || !numeric(n.Right) {
				c.say("\"+\" adds numbers only")
			}
		case "matches":
			if _, ok := n.Right.(*ast.ConstantNode); !ok {
				if _, ok := n.Right.(*ast.StringNode); !ok {
					c.say("a pattern must be a text in quotes")
				}
			}
		}
	case *ast.PredicateNode:
		inner := &exprDepth{}
		ast.Walk(&n.Node, inner)
		if inner.predicates > 0 {
			c.say("a condition on a list stands inside another one")
		}
	}
}

type exprDepth struct{ predicates int }

// Visit implements ast.Visitor.
func (d *exprDepth) Visit(node *ast.Node) {
	if _, ok := (*node).(*ast.PredicateNode); ok {
		d.predicates++
	}
}

func numeric(n ast.Node) bool {
	t := n.Type()
	if t == nil {
		return false
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64:
		return true
	}
	return false
}

// exprProviders makes the entries once for each set.
func (p *providers) exprProviders() []*ExprProvider {
	p.once.Do(func() {
		p.entries = make([]*ExprProvider, p.set.Len())
		for i := range p.entries {
			p.entries[i] = exprProvider(uint32(i), p.set.At(i))
		}
	})
	return p.entries
}

func exprProvider(index uint32, in *service.Instance) *ExprProvider {
	return &ExprProvider{index: index, url: in.URL, Host: in.Host(), Port: in.Port(), Protocol: in.URL.Scheme(), Path: in.URL.Path(),
		Address: in.Address(), Application: in.Application(), Tag: in.Tag()}
}

func (x *expression) run(e *Engine, c *call, in []uint32) (r Result) {
	defer func() {
		if p := recover(); p != nil { // a library's fault must not end the process
			r = Result{Outcome: Ignored, Err: fmt.Errorf("%w: %v", errEngine, p)}
		}
	}()
	all := e.providers.exprProviders()
	offered := all
	if in != nil {
		offered = make([]*ExprProvider, len(in))
		for i, n := range in {
			offered[i] = all[n]
		}
	}
	env := &exprEnv{Providers: offered, Method: c.method, Args: c.args, Attachments: map[string]any{}, Number: decimalOf}
	for _, a := range c.attachments {
		env.Attachments[a.Key] = a.Value
	}
	env.ParamOf = func(name string) string {
		if env.ExprProvider == nil {
			return ""
		}
		return env.Param(name)
	}
	env.Attachment = func(name string) string { s, _ := c.attachments.Get(name); return s }
	end := time.Now().Add(x.limits.Time)
	env.Tick = func() (bool, error) {
		if time.Now().After(end) {
			return false, ErrTime
		}
		return true, nil
	}
	env.Consumer = func(name string) string { return e.providers.consumer.Get(name, "") }
	machine := vm.VM{}
	if x.list {
		out, err := machine.Run(x.program, env)
		if err != nil {
			return exprFailed(err)
		}
		r = x.listed(e, out, in)
		r.Same = x.same && r.Outcome == Kept
		return r
	}
	kept := make([]uint32, 0, len(offered))
	for _, p := range offered {
		env.ExprProvider = p
		out, err := machine.Run(x.program, env)
		if err != nil {
			return exprFailed(err)
		}
		yes, ok := out.(bool)
		if !ok {
			return Result{Outcome: Failed, Err: fmt.Errorf("%w: the expression gave %T for a provider, not true or false", ErrNotAList, out)}
		}
		if yes {
			kept = append(kept, p.index)
		}
		if time.Now().After(end) {
			return Result{Outcome: Ignored, Err: ErrTime}
		}
	}
	return Result{Kept: kept, Same: x.same}
}

func exprFailed(err error) Result {
	if errors.Is(err, ErrTime) {
		return Result{Outcome: Ignored, Err: ErrTime}
	}
	return Result{Outcome: Ignored, Err: fmt.Errorf("%w: %s", ErrThrown, shorten(err.Error()))}
}

// listed reads the result of an expression over the list.
func (x *expression) listed(e *Engine, out any, in []uint32) Result {
	kept := []uint32{}
	switch out := out.(type) {
	case []*ExprProvider:
		for _, p := range out {
			kept = append(kept, p.index)
		}
	case []any:
		for _, v := range out {
			p, ok := v.(*ExprProvider)
			if !ok {
				return Result{Outcome: Failed, Err: fmt.Errorf("%w: its list has a %T", ErrNotAList, v)}
			}
			kept = append(kept, p.index)
		}
	default:
		return Result{Outcome: Failed, Err: fmt.Errorf("%w: it gave a %T", ErrNotAList, out)}
	}
	return e.result(kept, in, false)
}

func decimalOf(text string) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no number", shorten(text))
	}
	return f, nil
}
