package directory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Excluded is a URL that the registry holds for the service interface and that takes no part in routing.
type Excluded struct {
	// Address is the URL's host:port, empty when it cannot be parsed.
	Address string `json:"address,omitempty"`
	// URL is the URL without its password; an unparsable text is shown as it is, shortened.
	URL    string `json:"url"`
	Reason Reason `json:"reason"`
	// Detail says what does not fit.
	Detail string `json:"detail,omitempty"`
	// By is the override that is the reason, nil when none is.
	By *OverridePlace `json:"by,omitempty"`
	// Registry is where the URL is from when a service has several registries.
	Registry string `json:"registry,omitempty"`
}

// OverridePlace names one override: a URL of the registry, or an item of a document.
type OverridePlace struct {
	// Source is "registry" or "config-centre".
	Source string `json:"source"`
	// Rule is the URL without its password, or the document's key; Line and Col are the item's place in the document.
	Rule string `json:"rule"`
	Rev  string `json:"rev,omitempty"`
	Line int    `json:"line,omitempty"`
	Col  int    `json:"col,omitempty"`
}

// String returns "override service.configurators:3:3 of the config-centre".
func (o *OverridePlace) String() string {
	text := "override " + o.Rule
	if o.Line > 0 {
		text += fmt.Sprintf(":%d:%d", o.Line, o.Col)
	}
	return text + " of the " + o.Source
}

// disabledBy returns the override that disabled a provider, nil when the provider registered itself so.
func (p *providers) disabledBy(e *entry) *OverridePlace {
	now, merged := p.overridesNow(), p.s.merged.Of(e.url)
	list := trace(now.of(e.url), merged, p.s.localHost)
	for _, key := range [...]string{"disabled", "enabled"} { // the first decides where it is there (spec §8.4)
		if at := slices.IndexFunc(list, func(o Overridden) bool { return o.Key == key && o.Value != "" }); at >= 0 {
			return &list[at].By
		}
		if merged.Get(key, "") != "" {
			return nil
		}
	}
	return nil
}

// maxShownText bounds how much of an unparsable text is kept for display.
const maxShownText = 300

func (e *entry) excluded(r Reason, detail string) Excluded {
	x := Excluded{Address: e.url.Address(), Reason: r, Detail: detail}
	if e.url.IsZero() {
		x.URL = strings.ToValidUTF8(e.text[:min(len(e.text), maxShownText)], "?")
	} else {
		x.URL = e.url.Redacted()
	}
	return x
}

// exclude works out which provider URLs of list take no part; used is how many of them have an instance.
func (p *providers) exclude(list []*entry, used int) {
	p.excluded = nil
	if used == len(list) && used == len(p.list) {
		return
	}
	p.marks++
	for _, e := range list {
		if e.record == nil {
			one := e.excluded(e.skip, e.skipDetail(p.s))
			if e.skip == Disabled {
				one.By = p.disabledBy(e)
			}
			p.excluded = append(p.excluded, one)
			continue
		}
		if e.record.mark == p.marks {
			p.excluded = append(p.excluded, e.excluded(Duplicate, "the same provider is listed twice"))
		}
		e.record.mark = p.marks
	}
}

func (e *entry) skipDetail(s *settings) string {
	switch e.skip {
	case ProtocolNotAccepted:
		return fmt.Sprintf("protocol %s, this consumer accepts %s", e.url.Scheme(), strings.Join(s.accepted, ", "))
	case ProtocolUnsupported:
		return fmt.Sprintf("protocol %s, this consumer speaks %s", e.url.Scheme(), strings.Join(s.spoken, ", "))
	}
	return e.detail
}

// summarize returns "; 2 disabled, 1 version-mismatch" for a message, or "".
func summarize(list []Excluded) string {
	if len(list) == 0 {
		return ""
	}
	count := map[Reason]int{}
	for i := range list {
		count[list[i].Reason]++
	}
	reasons := make([]Reason, 0, len(count))
	for r := range count {
		reasons = append(reasons, r)
	}
	slices.SortFunc(reasons, func(a, b Reason) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	var b strings.Builder
	b.WriteString("; not taken: ")
	for i, r := range reasons {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d %s", count[r], r)
	}
	return b.String()
}
