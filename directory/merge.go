package directory

import (
	"slices"
	"strings"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
)

// providerLocal are the parameters of a provider that mean nothing to its consumers and are dropped at
// the merge, with their "default." twins (spec §1.6; "async" stays, as recorded from 2.6.12 to 3.3.1).
var providerLocal = [...]string{
	"threadname", "threadpool", "corethreads", "threads", "queues", "alive", "transporter",
	"default.threadname", "default.threadpool", "default.corethreads", "default.threads", "default.queues",
	"default.alive", "default.transporter",
}

// merger merges provider URLs with one consumer's parameters (spec §1.6). It is immutable.
type merger struct {
	dialect dialect.Dialect
	// always win over the provider; unless win only where the provider has none. Both are sorted by key.
	always, unless []durl.Param
	// lists are joined, the provider's part first.
	lists [2]string
}

// listKeys are the parameters that 2.7 and later join instead of replacing.
var listKeys = [2]string{"reference.filter", "invoker.listener"}

func newMerger(d dialect.Dialect, consumer durl.URL) *merger {
	m := &merger{dialect: d}
	for k, v := range consumer.All() {
		p := durl.Param{Key: k, Value: v}
		switch {
		case d == dialect.Dubbo26:
			switch k {
			case "dubbo", "version", "group", "methods":
				m.unless = append(m.unless, p)
			default:
				m.always = append(m.always, p)
			}
			continue
		case k == listKeys[0] && v != "":
			m.lists[0] = v
			continue
		case k == listKeys[1] && v != "":
			m.lists[1] = v
			continue
		case k == "remote.application":
			continue // says the provider's application, or nothing
		}
		switch k {
		case "release", "dubbo", "methods", "timestamp", "dubbo.tag":
			// the provider's, or nobody's
		case "group", "version", "generic":
			m.unless = append(m.unless, p)
		default:
			m.always = append(m.always, p)
		}
	}
	return m
}

// effect tells what mergeProvider has to do with a parameter that the provider has.
func (m *merger) effect(key string) durl.Effect {
	switch key {
	case "application", "remote.application", "interface", "reference.filter", "invoker.listener": // the path that some providers lack comes from the interface
		return durl.Looks
	case "timestamp", "remote.timestamp":
		if m.dialect == dialect.Dubbo26 {
			return durl.Looks
		}
	}
	if m.dialect == dialect.Dubbo26 && (strings.HasPrefix(key, "default.") || hasKey(m.unless, key)) {
		return durl.Looks // it stands in for others, or is asked whether it is empty
	}
	if isProviderLocal(key) || hasKey(m.always, key) {
		return durl.Replaces
	}
	return durl.Keeps
}

// hasKey reports whether a list that is sorted by key has one.
func hasKey(list []durl.Param, key string) bool {
	_, ok := slices.BinarySearchFunc(list, key, func(p durl.Param, key string) int { return strings.Compare(p.Key, key) })
	return ok
}

func isProviderLocal(key string) bool {
	for i := range providerLocal {
		if providerLocal[i] == key {
			return true
		}
	}
	return false
}

// merge returns the provider's URL as this consumer uses it, before overrides.
func (m *merger) merge(provider durl.URL) durl.URL {
	params := make([]durl.Param, 0, len(m.always)+len(m.unless)+3)
	params = append(params, m.always...)
	for _, p := range m.unless {
		v, ok := provider.Param(p.Key)
		// 2.6 restores only what is not empty; later versions look at presence.
		if !ok || (v == "" && m.dialect == dialect.Dubbo26) {
			params = append(params, p)
		}
	}
	if m.dialect == dialect.Dubbo26 {
		if ts := provider.Get("timestamp", ""); ts != "" {
			params = append(params, durl.Param{Key: "remote.timestamp", Value: ts})
		}
		return provider.Without(providerLocal[:]...).WithParams(params...)
	}
	for i, own := range m.lists {
		if own == "" {
			continue
		}
		if theirs := provider.Get(listKeys[i], ""); theirs != "" {
			own = theirs + "," + own
		}
		params = append(params, durl.Param{Key: listKeys[i], Value: own})
	}
	if app, ok := provider.Param("application"); ok {
		params = append(params, durl.Param{Key: "remote.application", Value: app})
	}
	return provider.Without(providerLocal[:]...).Without("remote.application").WithParams(params...)
}

// Merge returns the URL of a provider as a consumer with the parameters of the URL consumer uses it, before overrides (spec §1.6).
func Merge(provider, consumer durl.URL, d dialect.Dialect) durl.URL {
	return newMerger(d, consumer).merge(provider)
}
