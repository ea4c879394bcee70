package directory

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"testing"

	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
)

// TestConformanceMerge replays the merge cases of area url.
func TestConformanceMerge(t *testing.T) {
	versions := map[string]dialect.Dialect{"2.6.12": dialect.Dubbo26, "2.7.23": dialect.Dubbo27, "3.1.11": dialect.Dubbo31, "3.3.1": dialect.Dubbo33}
	f, err := os.Open("../testdata/conformance/url.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	total := 0
	for sc.Scan() {
		var c struct {
			ID, Op, Provider string
			ConsumerParams   map[string]string
			Expect           map[string]struct{ Params map[string]*string }
		}
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil || c.Op != "merge" {
			continue
		}
		for version, want := range c.Expect {
			d := versions[version]
			provider, err := durl.ParseAs(c.Provider, d)
			if err != nil {
				t.Fatal(err)
			}
			var params []durl.Param
			for k, v := range c.ConsumerParams {
				params = append(params, durl.Param{Key: k, Value: v})
			}
			merged := maps.Collect(newMerger(d, durl.New("consumer", "10.0.0.9", 0, "x", params...)).merge(provider).All())
			expect := map[string]string{}
			for k, v := range want.Params {
				if v != nil {
					expect[k] = *v
				}
			}
			total++
			if !maps.Equal(merged, expect) {
				t.Errorf("%s %s\nprovider %s\nconsumer %v\n got %v\nwant %v", c.ID, d, c.Provider, c.ConsumerParams, merged, expect)
			}
		}
	}
	if total == 0 {
		t.Fatal("no merge cases")
	}
	t.Logf("merge: %d answers", total)
}
