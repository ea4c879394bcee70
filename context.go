package dubway

import (
	"context"
	"slices"

	"github.com/dubway-go/dubway/rpc"
)

// request is what a context knows about Dubbo calls. It is immutable: every With makes a changed copy.
type request struct {
	outgoing rpc.Attachments // of the calls made, the tag among them
	incoming rpc.Attachments
	answer   *answer // of the served call, else nil
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
	if tag != "" {
		r.outgoing = r.outgoing.With(rpc.TagKey, tag)
	} else {
		r.outgoing = slices.DeleteFunc(slices.Clone(r.outgoing), func(a rpc.Attachment) bool { return a.Key == rpc.TagKey })
	}
	return context.WithValue(ctx, requestKey{}, &r)
}

// Tag returns the tag that calls made with ctx carry, "" when there is none.
func Tag(ctx context.Context) string {
	tag, _ := requestOf(ctx).outgoing.Get(rpc.TagKey)
	return tag
}

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

// outgoing returns the attachments of a call made with ctx: those of the context, under those given, which win. Neither is copied
// when the other is empty: nobody changes the attachments of a call.
func outgoing(ctx context.Context, given rpc.Attachments) rpc.Attachments {
	r, ok := ctx.Value(requestKey{}).(*request)
	switch {
	case !ok || len(r.outgoing) == 0:
		return given
	case len(given) == 0:
		return slices.Clip(r.outgoing)
	}
	out := append(make(rpc.Attachments, 0, len(given)+len(r.outgoing)), given...)
	for _, a := range r.outgoing {
		if !slices.ContainsFunc(given, func(g rpc.Attachment) bool { return g.Key == a.Key }) {
			out = append(out, a)
		}
	}
	return out
}
