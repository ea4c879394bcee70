package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/dubway-go/dubway/admin"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/route"
)

// explanation prints the answer of explain for people.
func (s *streams) explanation(x *admin.ExplainResponse, q admin.CallRequest, all bool) {
	c := s.colours()
	p := func(format string, args ...any) { fmt.Fprintf(s.out, format, args...) }
	p("%s%s%s  %s\n", c.bold, clean(x.Service), c.off, describeCall(x.Method, q.Args, x.Attachments))
	p("%sas %s, %s, snapshot %d, %s old%s\n\n", c.dim, consumerText(x.Consumer), x.Dialect, x.Generation, age(x.AgeMillis), c.off)
	p("  %-12s %s\n", "registry", registryText(x))
	s.registries(x.Registries, c)
	place := ""
	for i := range x.Trace.Steps {
		t := &x.Trace.Steps[i]
		if t.Router == "registries" {
			continue // shown above
		}
		if at := placeText(t.Registry, t.Group); at != place {
			place = at
			p("  %s%s%s\n", c.bold, clean(at), c.off)
		}
		if all || t.Router != "mock" || t.In != t.Out { // mocks are rare: silence is enough
			s.step(t, x.Trace.Tag, c, all)
		}
	}
	s.excluded(x.Excluded, c, all)
	if len(x.Candidates) == 0 {
		p("\n%sno provider is left%s: %s\n", c.red, c.off, clean(first(reasonText(x), x.Trace.Short())))
		if x.Hint != "" {
			p("  next: %s\n", clean(x.Hint))
		}
	} else {
		p("\n%s%s left%s, %s chooses%s:\n", c.green, plural(len(x.Candidates), "provider"), c.off, x.LoadBalance, groupsText(x))
		s.table(candidateRows(x.Candidates))
		s.overridden(x, c)
	}
	if x.Absence != nil {
		p("\n%s%s%s\n", c.bold, clean(x.Absence.Message), c.off)
	}
	for _, r := range x.Rejected {
		if r.Findings.HasErrors() {
			p("\n%swarning%s: a newer %s (revision %s) was refused, the older state serves:\n", c.yellow, c.off, clean(r.Origin.Name), clean(r.Origin.Rev))
		} else {
			p("\n%swarning%s: %s has no effect:\n", c.yellow, c.off, clean(r.Origin.Name))
		}
		for _, d := range r.Findings {
			p("  %s\n", clean(d.Error()))
		}
	}
	for _, l := range x.Lost {
		if l.Registry != "" {
			l.Source += " " + clean(l.Registry)
		}
		p("\n%swarning%s: no contact to the %s since %s (%s): what it said last is explained\n", c.yellow, c.off, l.Source, l.Since.Local().Format(time.TimeOnly), clean(l.Error))
	}
}

// reasonText is the message of a call that fails now, without the service and method that the heading shows already.
func reasonText(x *admin.ExplainResponse) string {
	text := strings.TrimPrefix(x.Message, x.Code+": ")
	for _, name := range [...]string{x.Interface() + "." + x.Method + ": ", x.Interface() + ": ", "no provider left: "} {
		text = strings.TrimPrefix(text, name)
	}
	return text
}

// registries prints the choice among several registries.
func (s *streams) registries(list []directory.RegistryOutcome, c paint) {
	for _, r := range list {
		colour, text := c.dim, "not chosen: "+strings.ReplaceAll(r.Reason, "-", " ")
		if r.Reason == "not-chosen" {
			text = "not chosen"
		}
		if r.Chosen {
			colour, text = c.green, "chosen: "+strings.ReplaceAll(r.Reason, "-", " ")
		}
		if r.Share > 0 {
			text += fmt.Sprintf(", %.0f %% of the calls", r.Share)
		}
		zone := ""
		if r.Zone != "" {
			zone = ", zone " + r.Zone
		}
		fmt.Fprintf(s.out, "  %-12s %s%s%s\n", "", colour, clean(fmt.Sprintf("%s (%s%s): %s", r.Name, plural(r.Instances, "provider"), zone, text)), c.off)
	}
}

// placeText names a registry and group; it is empty where there is one of each.
func placeText(registry, group string) string {
	var parts []string
	if registry != "" {
		parts = append(parts, "registry "+registry)
	}
	if group != "" {
		parts = append(parts, "group "+group)
	}
	return strings.Join(parts, ", ")
}

// groupsText says how a call to several groups goes on.
func groupsText(x *admin.ExplainResponse) string {
	switch {
	case len(x.Groups) == 0:
		return ""
	case x.Merger != "":
		return fmt.Sprintf(" in each group, merger %s joins the answers", clean(x.Merger))
	}
	return " in the first group"
}

// overridden prints which override set which parameters, those that one override set on several providers together.
func (s *streams) overridden(x *admin.ExplainResponse, c paint) {
	var order []string
	seen := map[string]int{}
	note := func(who string, list []directory.Overridden) {
		byPlace := map[string][]string{}
		var places []string
		for i := range list {
			o := &list[i]
			place := o.By.String()
			if byPlace[place] == nil {
				places = append(places, place)
			}
			text := o.Key + "=" + o.Value
			if o.Before != "" {
				text += " (was " + o.Before + ")"
			}
			byPlace[place] = append(byPlace[place], text)
		}
		for _, place := range places {
			line := who + strings.Join(byPlace[place], ", ") + " by " + place
			if seen[line]++; seen[line] == 1 {
				order = append(order, line)
			}
		}
	}
	note("consumer: ", x.ConsumerOverridden)
	for i := range x.Candidates {
		note("", x.Candidates[i].Overridden)
	}
	for i, line := range order {
		if i == 0 {
			fmt.Fprintln(s.out, "\noverridden:")
		}
		if n := seen[line]; n > 1 {
			line += fmt.Sprintf(", on %d providers", n)
		}
		fmt.Fprintf(s.out, "  %s%s%s\n", c.dim, clean(line), c.off)
	}
}

func consumerText(u string) string {
	host, application := "", ""
	if _, rest, ok := strings.Cut(u, "://"); ok {
		host, _, _ = strings.Cut(rest, "/")
		_, query, _ := strings.Cut(rest, "?")
		for part := range strings.SplitSeq(query, "&") {
			if v, ok := strings.CutPrefix(part, "application="); ok {
				application = v
			}
		}
	}
	return clean(fmt.Sprintf("%s from %s", first(application, "a consumer"), first(host, "nowhere")))
}

func age(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < time.Second:
		return d.String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

func registryText(x *admin.ExplainResponse) string {
	text := plural(x.Trace.Instances, "provider")
	if n := len(x.Excluded); n > 0 {
		text += fmt.Sprintf(", %d more take no part", n)
	}
	return text
}

// step prints what one rule did.
func (s *streams) step(t *route.Step, tag string, c paint, all bool) {
	counts := fmt.Sprintf("%d → %d", t.In, t.Out)
	colour := c.dim
	switch {
	case t.Out == 0 && t.In > 0:
		colour = c.red
	case t.Out < t.In:
		colour = c.yellow
	}
	fmt.Fprintf(s.out, "  %-12s %s%-9s%s %s\n", routerName(t.Router), colour, counts, c.off, clean(stepText(t, tag)))
	if place := ruleText(t); place != "" {
		fmt.Fprintf(s.out, "  %-22s %s%s%s\n", "", c.dim, clean(place), c.off)
	}
	s.drops(t.Dropped, c, all)
}

func routerName(router string) string {
	if router == "provider-application" {
		return "provider-app"
	}
	return router
}

// stepText says in a sentence what a step did.
func stepText(t *route.Step, tag string) string {
	quoted := ""
	if t.Router == "tag" && tag != "" {
		quoted = fmt.Sprintf(" %q", tag)
	}
	if t.Text != "" {
		quoted = fmt.Sprintf(" %q", t.Text)
	}
	detail := ""
	if t.Detail != "" {
		detail = ": " + t.Detail
	}
	switch t.Reason {
	case route.ReasonKept:
		return "kept what matches" + quoted
	case route.ReasonNotMatched:
		return "does not concern this call" + quoted + detail
	case route.ReasonDisabled:
		return "the rule is switched off" + quoted
	case route.ReasonInputEmpty:
		return "nothing left to decide about"
	case route.ReasonFellBack:
		return "nothing matches, and force is off: all may pass" + quoted
	case route.ReasonForced:
		return "nothing matches, and force is on" + quoted
	case route.ReasonBlacklisted:
		return "the call is blocked by" + quoted
	case route.ReasonTagListed:
		return "the tag rule lists providers for tag" + quoted
	case route.ReasonTagStatic:
		return "kept providers that carry tag" + quoted
	case route.ReasonTagFallback:
		return "no provider has tag" + quoted + ": untagged ones take the call"
	case route.ReasonTagForced:
		return "no provider has tag" + quoted + ", and others are not allowed"
	case route.ReasonUntagged:
		return "the call has no tag: providers with a tag are left out"
	case route.ReasonMockExcluded:
		return "mock providers are left out"
	case route.ReasonMockOnly:
		return "the call asks for mock providers"
	case route.ReasonScripted:
		return fmt.Sprintf("the script keeps %d of %d", t.Out, t.In) + detail
	case route.ReasonScriptIgnored:
		return "the script gave no answer, all may pass" + detail
	case route.ReasonScriptFailed:
		return "the script failed" + detail
	case route.ReasonScriptsOff:
		return "there is a script rule, and script rules are switched off"
	case route.ReasonPassed:
		return "no rule" + detail
	}
	return string(t.Reason) + quoted + detail
}

// ruleText says which rule, and where in it.
func ruleText(t *route.Step) string {
	if t.Rule == "" {
		return ""
	}
	text := t.Rule
	if t.Line > 0 {
		text += fmt.Sprintf(":%d:%d", t.Line, t.Col)
	}
	if t.Rev != "" {
		text += " revision " + t.Rev
	}
	if t.Source != "" {
		text += " (" + t.Source + ")"
	}
	return text
}

// shownDrops is how many addresses of one kind of drop are named.
const shownDrops = 4

// drops prints who a step took out, those that failed the same test together.
func (s *streams) drops(list []route.Drop, c paint, all bool) {
	type kind struct{ reason, value string }
	order, members := []kind{}, map[kind][]string{}
	for _, d := range list {
		k := kind{d.Reason, d.Value}
		if members[k] == nil {
			order = append(order, k)
		}
		members[k] = append(members[k], d.Address)
	}
	for _, k := range order {
		fmt.Fprintf(s.out, "  %-22s %s- %s: %s%s\n", "", c.dim, clean(addresses(members[k], all)), clean((&route.Drop{Reason: k.reason, Value: k.value}).Text()), c.off)
	}
}

func addresses(list []string, all bool) string {
	if all || len(list) <= shownDrops {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:shownDrops], ", "), len(list)-shownDrops)
}

// excluded prints URLs that no rule got to see.
func (s *streams) excluded(list []directory.Excluded, c paint, all bool) {
	for i, e := range list {
		if i == shownDrops && !all {
			fmt.Fprintf(s.out, "  %-12s %sand %d more%s\n", "", c.dim, len(list)-i, c.off)
			return
		}
		text := fmt.Sprintf("%s takes no part: %s", first(e.Address, e.URL), e.Reason)
		if e.Detail != "" {
			text += " (" + e.Detail + ")"
		}
		fmt.Fprintf(s.out, "  %-12s %s%s%s\n", "", c.dim, clean(text), c.off)
	}
}

func candidateRows(list []admin.Provider) [][]string {
	rows := make([][]string, 0, len(list))
	for _, p := range list {
		tag := "untagged"
		if p.Tag != "" {
			tag = "tag " + p.Tag
		}
		var labels []string
		for _, k := range sortedKeys(p.Labels) {
			labels = append(labels, k+"="+p.Labels[k])
		}
		row := []string{"  " + p.Address}
		if at := placeText(p.Registry, p.Group); at != "" {
			row = append(row, at)
		}
		rows = append(rows, append(row, p.Application, fmt.Sprintf("weight %d", p.Weight), fmt.Sprintf("%.0f %%", p.Share), tag, strings.Join(labels, " ")))
	}
	return rows
}
