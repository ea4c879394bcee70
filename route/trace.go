package route

import (
	"fmt"
	"strconv"
	"strings"
)

// Reason says what a step did with its input: a closed list.
type Reason string

// The reasons.
const (
	// ReasonKept: the step applied and kept the matching part of its input.
	ReasonKept Reason = "kept"
	// ReasonNotMatched: the condition's left side does not match this call; input passed on.
	ReasonNotMatched Reason = "not-matched"
	// ReasonDisabled: the rule is switched off; input passed on.
	ReasonDisabled Reason = "disabled"
	// ReasonInputEmpty: nothing was left to decide about.
	ReasonInputEmpty Reason = "input-empty"
	// ReasonFellBack: nothing would be left and force is off; input passed on (spec §2.8).
	ReasonFellBack Reason = "fell-back"
	// ReasonForced: nothing is left and force is on.
	ReasonForced Reason = "forced"
	// ReasonSplit: one of the weighted destinations was drawn.
	ReasonSplit Reason = "split"
	// ReasonPreferred: enough providers have the consumer's value of an affinity key; the others are left out.
	ReasonPreferred Reason = "preferred"
	// ReasonTooFew: too few providers have the consumer's value; input passed on.
	ReasonTooFew Reason = "too-few"
	// ReasonSubset: the subsets that mesh rules drew.
	ReasonSubset Reason = "subset"
	// ReasonFailed: Dubbo fails on this call; nothing is left.
	ReasonFailed Reason = "failed"
	// ReasonBlacklisted: the condition's right side is empty or false; nothing is left.
	ReasonBlacklisted Reason = "blacklisted"
	// ReasonTagListed: the tag rule lists providers for the request tag.
	ReasonTagListed Reason = "tag-listed"
	// ReasonTagStatic: providers whose own tag equals the request tag.
	ReasonTagStatic Reason = "tag-static"
	// ReasonTagFallback: no provider has the request tag; untagged providers take the call.
	ReasonTagFallback Reason = "tag-fallback"
	// ReasonTagForced: no provider has the request tag and falling back is not allowed.
	ReasonTagForced Reason = "tag-forced"
	// ReasonUntagged: a request without a tag stays with untagged providers.
	ReasonUntagged Reason = "untagged"
	// ReasonMockExcluded: mock providers are left out (spec §6.1).
	ReasonMockExcluded Reason = "mock-excluded"
	// ReasonMockOnly: the call asks for mock providers.
	ReasonMockOnly Reason = "mock-only"
	// ReasonScripted: a script named the providers to keep.
	ReasonScripted Reason = "scripted"
	// ReasonScriptIgnored: a script threw, hit a limit or does not compile; input passed on.
	ReasonScriptIgnored Reason = "script-ignored"
	// ReasonScriptFailed: a script gave no list of providers, or was deleted in dubbo-3.3; nothing is left, but dubbo-2.6 passes its input on.
	ReasonScriptFailed Reason = "script-failed"
	// ReasonScriptsOff: there is a script rule, and scripts are switched off; input passed on.
	ReasonScriptsOff Reason = "scripts-off"
	// ReasonPassed: the router has nothing to say about this call.
	ReasonPassed Reason = "passed"
)

// Drop is one instance that a step took out.
type Drop struct {
	// Address is the provider's host:port.
	Address string `json:"address"`
	// Reason is the test it failed, in the words of the rule: `region=hz`, `tag gray`, `untagged`, …
	Reason string `json:"reason"`
	// Value is what the provider has there; empty when it has nothing.
	Value string `json:"value,omitempty"`
	// Rule, Line and Col name the part of the rule that took it out, where the step's own do not: the mesh rules of one application among
	// several, or the tag that lists the provider.
	Rule string `json:"rule,omitempty"`
	Line int    `json:"line,omitempty"`
	Col  int    `json:"col,omitempty"`
}

// Reasons of drops that are no tests of the provider.
const (
	dropBlocked       = "blacklisted call"
	dropUntagged      = "untagged"
	dropListed        = "listed by tag "
	dropNoDestination = "in no destination"
	dropMeshFails     = "call that the mesh rules fail on"
	dropNoAnswer      = "no mesh rule of its application"
	dropUnlisted      = "a place in the script's list"
)

// Text says in words why the provider went: "wanted region=hz, has \"bj\"".
func (d *Drop) Text() string {
	switch {
	case d.Reason == dropBlocked:
		return "the rule blocks this call, whichever the provider"
	case d.Reason == dropNoDestination:
		return "is in no destination of the rule"
	case d.Reason == dropMeshFails:
		return "the mesh rules fail on this call"
	case d.Reason == dropNoAnswer:
		return fmt.Sprintf("the mesh rules of its application %q say nothing about this call, and those of another do", d.Value)
	case d.Reason == dropUnlisted:
		return "the script's list does not have it"
	case strings.HasPrefix(d.Reason, dropListed):
		return fmt.Sprintf("the tag rule lists it under tag %q", d.Reason[len(dropListed):])
	case d.Reason == dropUntagged && d.Value != "":
		return fmt.Sprintf("carries tag %q", d.Value)
	case d.Value == "":
		return "wanted " + d.Reason + ", has nothing there"
	}
	return fmt.Sprintf("wanted %s, has %q", d.Reason, d.Value)
}

// Step is what one rule did.
type Step struct {
	// Registry and Group say where: which registry's providers and which group's, when a service has several. Directories and clients
	// fill them in.
	Registry string `json:"registry,omitempty"`
	Group    string `json:"group,omitempty"`
	// Router is the kind of rule: mock, url, mesh, tag, affinity-service, affinity-app, service, provider-application, application, script or address.
	Router string `json:"router"`
	// Source, Rule and Rev name the rule: where it came from, its key or URL, its revision.
	Source string `json:"source,omitempty"`
	Rule   string `json:"rule,omitempty"`
	Rev    string `json:"rev,omitempty"`
	// Line and Col place the condition or tag in the rule's text; 0 when the step has no text.
	Line int `json:"line,omitempty"`
	Col  int `json:"col,omitempty"`
	// Text is the condition, or the tag's name.
	Text string `json:"text,omitempty"`
	// Reason is from the closed list.
	Reason Reason `json:"reason"`
	// Detail names the test that decided, for example the left-side test that failed.
	Detail string `json:"detail,omitempty"`
	// Force tells whether the rule may leave nothing.
	Force bool `json:"force,omitempty"`
	// In and Out count instances before and after. One that a script names twice counts twice, so Out may be the larger (2.x dialects).
	In  int `json:"in"`
	Out int `json:"out"`
	// Dropped are the instances that this step took out, in the set's order.
	Dropped []Drop `json:"dropped,omitempty"`
}

// Trace is the record of one run: Explain's answer.
type Trace struct {
	// Revision is that of the instance set.
	Revision uint64 `json:"revision"`
	// Instances is how many there were.
	Instances int `json:"instances"`
	// Method and Tag are what the call was judged by.
	Method string `json:"method"`
	Tag    string `json:"tag,omitempty"`
	// Steps are in the order in which they ran.
	Steps []Step `json:"steps"`
	// Left are the addresses of the candidates, in the order of Candidates.
	Left    []string `json:"left"`
	Verdict Verdict  `json:"verdict"`

	candidates Candidates
}

// Candidates returns what the recorded run left: the same providers as Left, from the same run, which matters where a script may answer otherwise when it
// is asked again. Their Decision is not remembered. It is empty for a trace that was put together from several or read from JSON.
func (t *Trace) Candidates() Candidates { return t.candidates }

// Short returns one line for error messages: how many instances there were, which steps took some, and
// what took the last of them.
func (t *Trace) Short() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s", t.Instances, plural(t.Instances, "provider"))
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.In == s.Out {
			continue
		}
		b.WriteString("; ")
		b.WriteString(s.where())
		b.WriteString(" left ")
		b.WriteString(strconv.Itoa(s.Out))
		b.WriteString(" (")
		b.WriteString(string(s.Reason))
		b.WriteString(")")
	}
	return b.String()
}

// where names the rule of a step: `service rule order.condition-router:2:5 "=> region=hz"`.
func (s *Step) where() string {
	var b strings.Builder
	b.WriteString(s.Router)
	if s.Rule == "" {
		b.WriteString(" router")
		if s.Text != "" {
			b.WriteString(" ")
			b.WriteString(strconv.Quote(s.Text))
		}
		return b.String()
	}
	b.WriteString(" rule ")
	b.WriteString(s.Rule)
	if s.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", s.Line, s.Col)
	}
	if s.Text != "" {
		b.WriteString(" ")
		b.WriteString(strconv.Quote(s.Text))
	}
	return b.String()
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
