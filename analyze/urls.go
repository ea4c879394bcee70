package analyze

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
)

// provider analyses a provider URL.
func (l *linter) provider(u durl.URL, line string) {
	if _, ok := u.Param("tag"); ok && u.Get("dubbo.tag", "") == "" {
		l.add(diag.Warning, TagLabel, param(line, "tag"), "the tag of a provider is the parameter dubbo.tag; \"tag\" is a label like any other", "write dubbo.tag="+u.Get("tag", ""))
	}
	if v, ok := u.Param("warmup"); ok {
		l.add(diag.Warning, WarmupIgnored, param(line, "warmup"), "warmup="+v+" has no effect for interface-level Dubbo 3 consumers: they do not see when the provider started",
			"use application-level discovery, or let the consumer ramp up", dialect.Dubbo31, dialect.Dubbo33)
	}
}

// consumer analyses a consumer URL.
func (l *linter) consumer(u durl.URL, line string) {
	if g := u.Group(); g == "*" || strings.Contains(g, ",") {
		l.add(diag.Warning, SeveralGroups, param(line, "group"), "a reference to several groups is routed group by group: rules of this reference do not choose among the groups", "make one reference a group where rules shall decide")
	}
	for _, name := range strings.Split(u.Get("router", ""), ",") {
		switch strings.TrimSpace(name) {
		case "condition", "script", "file":
			l.add(diag.Error, RouterParameter, param(line, "router"), "router="+name+" makes Dubbo 3 fail with \"Illegal route rule!\" while it builds the chain", "leave it out: these routers need no naming", dialect.Dubbo31, dialect.Dubbo33)
		}
	}
	if _, ok := u.Param("dubbo.force.tag"); ok {
		l.add(diag.Warning, ForceTagParameter, param(line, "dubbo.force.tag"), "dubbo.force.tag on a reference has no effect from Dubbo 2.7.6 to 2.7.23", "send it as an attachment of the call", dialect.Dubbo27)
	}
	for key, value := range u.All() {
		if ordinary(key) || strings.Contains(key, ".") {
			continue
		}
		for _, p := range l.o.World.Providers {
			if theirs, ok := p.Param(key); ok && theirs != value {
				l.add(diag.Error, ConsumerHidesLabels, param(line, key), "in Dubbo 2.x this replaces the label "+strconv.Quote(key)+" of every provider, so that rules cannot tell them apart",
					"give the consumer's parameter another name", dialect.Dubbo26, dialect.Dubbo27)
				break
			}
		}
	}
}

// ordinary are parameters that consumers and providers both have, and that no rule is about.
func ordinary(key string) bool {
	return slices.Contains([]string{"application", "interface", "side", "category", "methods", "version", "group", "timestamp", "pid", "dubbo", "release", "check", "timeout", "retries",
		"register.ip", "revision", "qos.enable", "generic", "loadbalance", "cluster", "protocol", "weight", "deprecated", "dynamic", "anyhost"}, key)
}

// override analyses an override URL.
func (l *linter) override(u durl.URL, line string) {
	if u.Get("configVersion", "") != "" && u.Side() == "" {
		l.add(diag.Error, diag.OverrideNoSide, param(line, "configVersion"), "an override with configVersion and without side never applies (Dubbo 2.7+)", "add side=consumer or side=provider",
			dialect.Standard, dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33)
	}
	if query := line[strings.IndexByte(line, '?')+1:]; strings.ContainsAny(query, ";#") {
		at := strings.IndexAny(line, ";#")
		l.add(diag.Error, diag.OverrideUnencoded, columns(at, at+1), "from Dubbo 2.7 on this character ends the parameter, before 2.7 it is part of it", "write it as %3B or %23",
			dialect.Standard, dialect.Dubbo27, dialect.Dubbo31, dialect.Dubbo33)
	}
	if u.Group() != "" || u.Version() != "" || u.Interface() == "*" {
		return
	}
	for _, p := range l.o.World.Providers {
		if p.Interface() == u.Interface() && (p.Group() != "" || p.Version() != "") {
			l.add(diag.Error, OverrideNoVersion, param(line, ""), "the service has providers of group "+strconv.Quote(p.Group())+", version "+strconv.Quote(p.Version())+": from Dubbo 3.2 on an override without them does not apply",
				"add group= and version= of the service", dialect.Standard, dialect.Dubbo33)
			return
		}
	}
}

// weights looks at the providers of the list together (spec §12.2 L30).
func (l *linter) weights(providers []durl.URL, lines []string) {
	seen := map[string]bool{}
	for _, p := range providers {
		key := p.ServiceKey()
		if seen[key] {
			continue
		}
		seen[key] = true
		if p.Get("weight", "") != "" {
			continue
		}
		for _, q := range providers {
			if q.ServiceKey() != key || q.Get("weight", "") == "" {
				continue
			}
			l.atLine(q, lines, func(text string) {
				l.add(diag.Warning, WeightOnSome, param(text, "weight"), "the first provider of the service has no weight: random balancing in Dubbo 3 then looks at nobody's", "give every provider a weight", dialect.Dubbo31, dialect.Dubbo33)
			})
			break
		}
	}
}
