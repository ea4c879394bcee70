package script

type expression struct{}

func newExpression(text string, l Limits) (*expression, error) { return nil, &SyntaxError{Message: "no"} }

func (x *expression) run(e *Engine, c *call, in []uint32) Result { return Result{} }
