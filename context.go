package dubway

import (
	"context"

	"github.com/dubway-go/dubway/rpc"
)

// request is what a context knows about Dubbo calls. It is immutable: every With makes a changed copy.
type request struct {
	tag      string
	outgoing rpc.Attachments
	incoming rpc.Attachments
}

type requestKey struct{}

func requestOf(ctx context.Context) request {
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		return *r
	}
	return request{}
}

// WithTag returns a context whose calls carry tag as the attachment "dubbo.tag", which tag rules look at. The tag holds for
// every call made with the context, and the providers called pass it on (see Propagation). An empty
// tag takes the tag away, also one that came with a served call.
func WithTag(ctx context.Context, tag string) context.Context {
	r := requestOf(ctx)
	r.tag = tag
	return context.WithValue(ctx, requestKey{}, &r)
}

// Tag returns the tag that calls made with ctx carry, "" when there is none.
func Tag(ctx context.Context) string { return requestOf(ctx).tag }

// WithAttachment returns a context whose calls carry one more attachment. The key "dubbo.tag" is WithTag's.
// Attachments are for the calls made with this context only: a provider does not pass them on.
func WithAttachment(ctx context.Context, key, value string) context.Context {
	if key == rpc.TagKey {
		return WithTag(ctx, value)
	}
	r := requestOf(ctx)
	r.outgoing = r.outgoing.With(key, value)
	return context.WithValue(ctx, requestKey{}, &r)
}

// Attachments returns what came with the call that ctx serves, nil outside a served call. The caller must not change it.
func Attachments(ctx context.Context) rpc.Attachments { return requestOf(ctx).incoming }

// Propagation says what a served call passes on to the calls made with its context. The zero value is PropagateTag.
//
// Dubbo's versions differ here: some lose the tag after the first hop, some keep it by accident of a thread.
// dubway has one rule: the tag belongs to the request, so every hop keeps it, and it ends with the context.
type Propagation uint8

// The kinds of propagation.
const (
	// PropagateTag passes on the tag, and whether it is forced, but no other attachment.
	PropagateTag Propagation = iota
	// PropagateNothing passes on nothing: each call starts without a tag.
	PropagateNothing
)

// served returns the context of a handler for a call that came with the attachments in.
func served(ctx context.Context, in rpc.Attachments, p Propagation) context.Context {
	r := request{incoming: in}
	if p == PropagateTag {
		r.tag, _ = in.Get(rpc.TagKey)
		if force, ok := in.Get(rpc.ForceTagKey); ok {
			r.outgoing = rpc.Attachments{{Key: rpc.ForceTagKey, Value: force}}
		}
	}
	return context.WithValue(ctx, requestKey{}, &r)
}

// outgoing returns the attachments of a call made with ctx: those of the context, under those given, which win.
func outgoing(ctx context.Context, given rpc.Attachments) rpc.Attachments {
	r, ok := ctx.Value(requestKey{}).(*request)
	if !ok || r.tag == "" && len(r.outgoing) == 0 {
		return given
	}
	out := make(rpc.Attachments, 0, len(given)+len(r.outgoing)+1)
	out = append(out, given...)
	add := func(key string, value any) {
		for i := range given {
			if given[i].Key == key {
				return
			}
		}
		out = append(out, rpc.Attachment{Key: key, Value: value})
	}
	if r.tag != "" {
		add(rpc.TagKey, r.tag)
	}
	for _, a := range r.outgoing {
		add(a.Key, a.Value)
	}
	return out
}
