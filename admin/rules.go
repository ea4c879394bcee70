package admin

import (
	"errors"
	"net/http"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/source"
)

// Check parses a document as key's kind of document and returns what is to say about it, and the same with lines and carets.
func Check(key, text string, d dialect.Dialect) (diag.List, string) {
	var list diag.List
	if err := source.CheckKey(key); err != nil {
		list = diag.List{{Code: diag.BadRuleKey, File: key, Message: err.Error()}}
	} else if err := source.CheckText(text); err != nil {
		list = diag.List{{Code: diag.DocumentTooLong, File: key, Message: err.Error()}}
	} else {
		_, list = rule.Parse(key, text, d)
	}
	var b strings.Builder
	_ = list.Render(&b, text)
	return list, b.String()
}

// store answers by itself and returns nil when there is none.
func (s *Server) store(w http.ResponseWriter) source.RuleStore {
	if s.o.Rules == nil {
		fail(w, Problem{Code: "no-rules", Title: "There is no config centre", Status: http.StatusNotFound,
			Hint: "start the daemon with a registry that keeps rules, or with --rules"})
	}
	return s.o.Rules
}

func (s *Server) rules(w http.ResponseWriter, r *http.Request) {
	store := s.store(w)
	if store == nil {
		return
	}
	keys, err := store.Keys(r.Context())
	if err != nil {
		fail(w, storeProblem(err))
		return
	}
	list := []Rule{}
	for _, k := range keys {
		list = append(list, describe(k))
	}
	reply(w, http.StatusOK, map[string]any{"rules": list})
}

func describe(key string) Rule {
	r := Rule{Key: key, Kind: "unknown", Exists: true}
	if k, err := rule.ParseKey(key); err == nil {
		r.Kind, r.Target = k.Kind.String(), k.Target
	}
	return r
}

func (s *Server) getRule(w http.ResponseWriter, r *http.Request) {
	store := s.store(w)
	if store == nil {
		return
	}
	key := r.PathValue("key")
	doc, err := store.Get(r.Context(), key)
	if err != nil {
		fail(w, storeProblem(err))
		return
	}
	if !doc.Exists {
		fail(w, Problem{Code: "no-rule", Title: "No such rule", Status: http.StatusNotFound, Detail: "there is no rule " + key,
			Hint: "`dubway rule list` shows the rules"})
		return
	}
	out := describe(key)
	out.Text = doc.Text
	reply(w, http.StatusOK, out)
}

func (s *Server) checkRule(w http.ResponseWriter, r *http.Request) {
	var body RuleWrite
	if !read(w, r, &body) {
		return
	}
	out := RuleResult{Key: r.PathValue("key"), New: body.Text}
	out.Diagnostics, out.Rendered = Check(out.Key, body.Text, s.o.Dialect)
	out.Refused = out.Diagnostics.HasErrors()
	reply(w, http.StatusOK, out)
}

func (s *Server) putRule(w http.ResponseWriter, r *http.Request) {
	store := s.store(w)
	if store == nil {
		return
	}
	var body RuleWrite
	if !read(w, r, &body) {
		return
	}
	out := RuleResult{Key: r.PathValue("key"), New: body.Text}
	out.Diagnostics, out.Rendered = Check(out.Key, body.Text, s.o.Dialect)
	old, err := store.Get(r.Context(), out.Key)
	if err != nil && !errors.Is(err, source.ErrKey) {
		fail(w, storeProblem(err))
		return
	}
	out.Old, out.Existed = old.Text, old.Exists
	if out.Diagnostics.HasErrors() && !body.Force {
		out.Refused = true
		reply(w, http.StatusUnprocessableEntity, out)
		return
	}
	if err := store.Put(r.Context(), out.Key, body.Text); err != nil {
		fail(w, storeProblem(err))
		return
	}
	out.Stored = true
	s.o.Logger.Info("rule stored", "key", out.Key, "bytes", len(body.Text), "forced", body.Force, "replaced", old.Exists)
	reply(w, http.StatusOK, out)
}

func (s *Server) deleteRule(w http.ResponseWriter, r *http.Request) {
	store := s.store(w)
	if store == nil {
		return
	}
	key := r.PathValue("key")
	old, err := store.Get(r.Context(), key)
	if err == nil && !old.Exists {
		fail(w, Problem{Code: "no-rule", Title: "No such rule", Status: http.StatusNotFound, Detail: "there is no rule " + key,
			Hint: "`dubway rule list` shows the rules"})
		return
	}
	if err == nil {
		err = store.Delete(r.Context(), key)
	}
	if err != nil {
		fail(w, storeProblem(err))
		return
	}
	s.o.Logger.Info("rule deleted", "key", key)
	reply(w, http.StatusOK, RuleResult{Key: key, Stored: true, Old: old.Text, Existed: true})
}

func storeProblem(err error) Problem {
	switch {
	case errors.Is(err, source.ErrKey):
		return Problem{Code: "bad-key", Title: "The rule key cannot be used", Status: http.StatusBadRequest, Detail: err.Error()}
	case errors.Is(err, source.ErrTooLarge):
		return Problem{Code: "too-large", Title: "The document is too large", Status: http.StatusRequestEntityTooLarge, Detail: err.Error()}
	}
	return Problem{Code: "registry", Title: "The config centre could not be used", Status: http.StatusServiceUnavailable, Detail: err.Error(),
		Hint: "nothing was changed unless the connection broke while writing: read the rule again to be sure"}
}
