package directory_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/durl"
)

func TestStaticDirectory(t *testing.T) {
	urls := []durl.URL{mustURL("dubbo://10.0.0.2:20880"), mustURL("dubbo://10.0.0.1:20880?weight=7"), mustURL("dubbo://10.0.0.2:20880")}
	d, err := directory.Static(orders, consumer("timeout=9"), urls, directory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := candidates(d, call("get")); got != "1 2" {
		t.Errorf("candidates %q, want 1 2 at once", got)
	}
	in := instances(d)[0]
	if in.URL.Path() != iface || in.URL.Get("timeout", "") != "9" || in.URL.Interface() != iface {
		t.Errorf("effective URL %s", in.URL)
	}
	if err := d.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestStaticDirectoryTakesRulesFromAConfigCentre(t *testing.T) {
	w := newWorld(t)
	w.put(serviceRule, conditions("=> host=10.0.0.2"))
	urls := []durl.URL{mustURL(provider(1)), mustURL(provider(2))}
	d, err := directory.Static(orders, consumer(""), urls, directory.Options{Config: w.store.Rules()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitCandidates(t, d, "2")
	w.put(shopTags, "tags:\n- name: gray\n  addresses: [\"10.0.0.2:20880\"]\n")
	awaitCandidates(t, d, "1") // untagged calls keep off 10.0.0.2, and the service rule without force falls back
	awaitCall(t, d, call("get", "dubbo.tag", "gray"), "2")
}

func TestStateAndExplainAreJSON(t *testing.T) {
	w := newWorld(t, provider(1), provider(2, "version=3"), "dubbo://u:secret@10.0.0.4:1/"+iface+"?version=9")
	w.put(serviceRule, "conditions: [")
	d := w.open()
	b, err := json.Marshal(struct {
		State   directory.Status
		Explain *directory.Explanation
		Not     *directory.Absence
	}{d.State(), d.Explain(call("get")), d.ExplainNot("10.0.0.2:20880", call("get"))})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"instances":1`, `"rejected":{`, `"version-mismatch":2`, `"outcome":"not-taken"`, `"severity":"error"`, `"origin":{"source":"config-centre"`} {
		if !strings.Contains(strings.ToLower(string(b)), part) {
			t.Errorf("%s is missing in %s", part, b)
		}
	}
	if strings.Contains(string(b), "secret") {
		t.Error("a password shows")
	}
}
