package app

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/service"
)

// ParseConfig reads a configuration file over the defaults. Every problem of the file is reported with its place; an unknown key is
// an error with the key that was probably meant. The Config counts only when the list has no errors.
func ParseConfig(file, text string) (Config, diag.List) {
	c := DefaultConfig()
	r := &reader{file: file}
	root, ok := r.parse(text)
	if ok && root.kind != "null" {
		r.mapping(root, "the file", fields{
			"application": r.text(&c.Application), "dialect": r.dialect(&c.Dialect),
			"registry": r.text(&c.Registry), "rules": r.text(&c.Rules),
			"registries": r.registries(&c.Registries), "registryCluster": r.text(&c.RegistryCluster),
			"admin": r.nested(fields{"listen": r.text(&c.Admin.Listen), "token": r.text(&c.Admin.Token), "tokenFile": r.text(&c.Admin.TokenFile)}),
			"gateway": r.nested(fields{"listen": r.text(&c.Gateway.Listen), "maxBody": r.number(&c.Gateway.MaxBody, 1, 1<<30),
				"maxResult":   r.count(&c.Gateway.MaxResult, 1, 1<<30),
				"maxInFlight": r.count(&c.Gateway.MaxInFlight, 1, 1_000_000),
				"timeout":     r.duration(&c.Gateway.Timeout), "maxTimeout": r.duration(&c.Gateway.MaxTimeout)}),
			"consumer": r.nested(fields{"host": r.text(&c.Consumer.Host), "tag": r.text(&c.Consumer.Tag),
				"zone": r.text(&c.Consumer.Zone), "forceZone": r.flag(&c.Consumer.ForceZone),
				"parameters": r.texts(&c.Consumer.Parameters), "timeout": r.duration(&c.Consumer.Timeout)}),
			"services": r.services(&c.Services), "idle": r.duration(&c.Idle), "maxServices": r.count(&c.MaxServices, 1, 1_000_000),
			"shutdownTimeout": r.duration(&c.ShutdownTimeout),
			"scripts": r.nested(fields{"enabled": r.flag(&c.Scripts.Enabled), "time": r.duration(&c.Scripts.Time),
				"memory": r.count(&c.Scripts.Memory, leastScriptMemory, mostScriptMemory), "parallel": r.count(&c.Scripts.Parallel, 1, mostParallel)}),
			"log": r.nested(fields{"level": r.word(&c.Log.Level, "debug", "info", "warn", "error"), "format": r.word(&c.Log.Format, "text", "json")}),
		})
	}
	slices.SortStableFunc(r.findings, func(a, b diag.Diagnostic) int {
		if a.Span.Line != b.Span.Line {
			return a.Span.Line - b.Span.Line
		}
		return a.Span.Col - b.Span.Col
	})
	return c, r.findings
}

// fields are the keys that a mapping may have, each with what reads its value.
type fields map[string]func(node)

func (r *reader) mapping(n node, where string, known fields) {
	if n.kind == "null" {
		return
	}
	if n.kind != "map" {
		r.add(diag.WrongType, n.span, where+" must be a mapping of keys to values", "")
		return
	}
	for _, e := range n.entries {
		if read, ok := known[e.key.text]; ok {
			read(e.value)
			continue
		}
		names := slices.Sorted(maps.Keys(known))
		hint := "known keys are " + strings.Join(names, ", ")
		if near := nearest(e.key.text, names); near != "" {
			hint = "did you mean " + near + "?"
		}
		r.add(diag.UnknownField, e.key.span, fmt.Sprintf("there is no key %q", e.key.text), hint)
	}
}

func (r *reader) nested(known fields) func(node) {
	return func(n node) { r.mapping(n, "this", known) }
}

func (r *reader) scalar(n node, what string) (string, bool) {
	if n.kind == "text" {
		return n.text, true
	}
	if n.kind != "null" {
		r.add(diag.WrongType, n.span, what+" is expected here", "")
	}
	return "", false
}

func (r *reader) text(to *string) func(node) {
	return func(n node) {
		if s, ok := r.scalar(n, "text"); ok {
			*to = s
		}
	}
}

func (r *reader) word(to *string, allowed ...string) func(node) {
	return func(n node) {
		s, ok := r.scalar(n, "one of "+strings.Join(allowed, ", "))
		if ok && !slices.Contains(allowed, s) {
			r.add(diag.WrongType, n.span, fmt.Sprintf("%q is none of %s", s, strings.Join(allowed, ", ")), "")
			return
		}
		if ok {
			*to = s
		}
	}
}

func (r *reader) dialect(to *dialect.Dialect) func(node) {
	return func(n node) {
		if s, ok := r.scalar(n, "the name of a dialect"); ok {
			d, err := dialect.Parse(s)
			if err != nil {
				r.add(diag.WrongType, n.span, err.Error(), "")
				return
			}
			*to = d
		}
	}
}

func (r *reader) duration(to *time.Duration) func(node) {
	return func(n node) {
		s, ok := r.scalar(n, "a time span such as 10s")
		if !ok {
			return
		}
		d, err := time.ParseDuration(s)
		if err != nil || d <= 0 {
			r.add(diag.WrongType, n.span, fmt.Sprintf("%q is no time span above zero", s), "write for example 500ms, 10s or 5m")
			return
		}
		*to = d
	}
}

func (r *reader) number(to *int64, least, most int64) func(node) {
	return func(n node) {
		s, ok := r.scalar(n, "a whole number")
		if !ok {
			return
		}
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil || v < least || v > most {
			r.add(diag.WrongType, n.span, fmt.Sprintf("%q is no whole number from %d to %d", s, least, most), "")
			return
		}
		*to = v
	}
}

func (r *reader) count(to *int, least, most int64) func(node) {
	return func(n node) {
		v := int64(*to)
		r.number(&v, least, most)(n)
		*to = int(v)
	}
}

func (r *reader) texts(to *map[string]string) func(node) {
	return func(n node) {
		if n.kind == "null" {
			return
		}
		if n.kind != "map" {
			r.add(diag.WrongType, n.span, "a mapping of names to texts is expected here", "")
			return
		}
		out := make(map[string]string, len(n.entries))
		for _, e := range n.entries {
			if s, ok := r.scalar(e.value, "text"); ok {
				out[e.key.text] = s
			}
		}
		*to = out
	}
}

func (r *reader) list(to *[]string) func(node) {
	return func(n node) {
		if n.kind == "null" {
			return
		}
		if n.kind != "list" {
			r.add(diag.WrongType, n.span, "a list is expected here", "write [a, b], or one - item a line")
			return
		}
		for _, e := range n.list {
			if s, ok := r.scalar(e, "text"); ok {
				*to = append(*to, s)
			}
		}
	}
}

func (r *reader) services(to *[]ServiceConfig) func(node) {
	return func(n node) {
		if n.kind == "null" {
			return
		}
		if n.kind != "list" {
			r.add(diag.WrongType, n.span, "a list of services is expected here", "write - name: com.example.OrderService")
			return
		}
		for _, e := range n.list {
			var s ServiceConfig
			r.mapping(e, "a service", fields{"name": r.text(&s.Name), "cluster": r.text(&s.Cluster), "loadBalance": r.text(&s.LoadBalance),
				"merger": r.text(&s.Merger), "registries": r.list(&s.Registries),
				"timeout": r.duration(&s.Timeout), "retries": r.count(&s.Retries, -1, 1000), "direct": r.list(&s.Direct), "parameters": r.texts(&s.Parameters)})
			if s.Name == "" {
				r.add(diag.MissingField, e.span, "the service has no name", "write name: com.example.OrderService")
			} else if _, err := service.ParseKey(s.Name); err != nil {
				r.add(diag.WrongType, e.span, err.Error(), "")
			}
			*to = append(*to, s)
		}
	}
}

// registries reads the list of registries.
func (r *reader) registries(to *[]RegistryConfig) func(node) {
	return func(n node) {
		if n.kind == "null" {
			return
		}
		if n.kind != "list" {
			r.add(diag.WrongType, n.span, "a list of registries is expected here", "write - name: hangzhou, and below it address: zookeeper://10.0.0.1:2181")
			return
		}
		for _, e := range n.list {
			one := RegistryConfig{}
			weight := -1
			r.mapping(e, "a registry", fields{"name": r.text(&one.Name), "address": r.text(&one.Address), "zone": r.text(&one.Zone),
				"preferred": r.flag(&one.Preferred), "weight": r.count(&weight, 0, 1_000_000)})
			if weight >= 0 {
				one.Weight = weightOf(weight)
			}
			if one.Address == "" {
				r.add(diag.MissingField, e.span, "the registry has no address", "write address: zookeeper://10.0.0.1:2181")
			}
			*to = append(*to, one)
		}
	}
}

// flag reads true or false.
func (r *reader) flag(to *bool) func(node) {
	return func(n node) {
		text := strconv.FormatBool(*to)
		r.word(&text, "true", "false")(n)
		*to = text == "true"
	}
}

// nearest returns the known name that is at most two edits away from name, "" when none is.
func nearest(name string, known []string) string {
	best, distance := "", 3
	for _, k := range known {
		if d := edits(strings.ToLower(name), strings.ToLower(k)); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// edits is the number of letters to insert, delete or change from a to b.
func edits(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
