package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/route"
	"github.com/dubway-go/dubway/rpc"
)

// failure returns an *rpc.Error of a call that reached no provider.
func failure(code rpc.Code, inv *rpc.Invocation, message string, cause error) error {
	if cause != nil {
		message += ": " + cause.Error()
	}
	return &rpc.Error{Code: code, Service: inv.Service, Method: inv.Method, Message: message, Cause: cause}
}

// errNoOther ends the tries of a call whose remaining candidates have all said that they do not have the service.
var errNoOther = errors.New("no other provider is left to try")

// noProvider is the error for a directory that returns no candidates and no error.
func noProvider(list route.Candidates, inv *rpc.Invocation) error {
	return failure(rpc.NoProvider, inv, "no provider is available ("+list.Why().String()+")", nil)
}

// final reports whether a failed call must not be tried again: the provider's method raised an exception, the provider has the interface but
// not the method, or the caller gave up. Everything else is tried again, as in Dubbo, also errors after which the provider may have run
// the call: a method that is not idempotent needs retries=0 or failfast.
func final(ctx context.Context, err error) bool {
	switch rpc.CodeOf(err) {
	case rpc.Business, rpc.Canceled:
		return true
	case rpc.MethodNotFound:
		if !errors.Is(err, rpc.ErrNotExported) {
			return true
		}
	}
	return ctx.Err() != nil
}

// shownAddresses bounds the addresses that an error names.
const shownAddresses = 10

// exhausted returns the error of a call whose tries all failed: the last error's code, how many tries on which
// addresses, and the last error as the cause. A single try's error is returned as it is. left says why there were no more
// tries, nil when their number was reached.
func exhausted(inv *rpc.Invocation, tried *triedList, last, left error) error {
	if tried.n <= 1 && left == nil {
		return asError(inv, last)
	}
	var b strings.Builder
	b.WriteString("failed after ")
	b.WriteString(strconv.Itoa(tried.n))
	b.WriteString(" tries on ")
	if tried.n == 1 {
		b.Reset()
		b.WriteString("failed after 1 try on ")
	}
	for i := range min(tried.n, shownAddresses) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(tried.at(i).Address())
	}
	if tried.n > shownAddresses {
		b.WriteString(", …")
	}
	if left != nil {
		fmt.Fprintf(&b, "; then: %s", briefly(left))
	}
	fmt.Fprintf(&b, "; last error: %s", briefly(last))
	return &rpc.Error{
		Code: rpc.CodeOf(last), Service: inv.Service, Method: inv.Method,
		Instance: tried.at(tried.n - 1).Address(), Message: b.String(), Cause: last,
	}
}

// briefly returns an error's own words without the service, which the outer error names.
func briefly(err error) string {
	e, ok := errors.AsType[*rpc.Error](err)
	if !ok {
		return err.Error()
	}
	short := *e
	short.Service.Interface = ""
	return short.Error()
}

// asError makes any error of an invoker an *rpc.Error.
func asError(inv *rpc.Invocation, err error) error {
	if _, ok := errors.AsType[*rpc.Error](err); ok {
		return err
	}
	return &rpc.Error{Code: rpc.CodeOf(err), Service: inv.Service, Method: inv.Method, Message: err.Error(), Cause: err}
}
