package interop

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/durl"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
	"github.com/dubway-go/dubway/source/zk"
)

// rowsConsumers is the application of the consumers. callsPerRow is more than one whole turn of the round robin: the
// smallest weight is 50 of at most 900, so each provider that is left answers at least once in 18 calls. A v3.1 document draws one of two equal
// halves before: one of them gets fewer than 5 of the calls with a probability below 1e-11.
const (
	rowsConsumers = "rows-consumer"
	callsPerRow   = 60
)

// rowsProvider answers its own address.
type rowsProvider struct{ address string }

// Serve implements dubway.Handler.
func (p rowsProvider) Serve(context.Context, *dubway.Request) (any, error) { return p.address, nil }

type rowsMember struct {
	address, tag string
	weight       int
	labels       string
}

// rowsProviders are eight with different labels, tags and weights.
var rowsProviders = []rowsMember{
	{"198.18.0.11:20901", "", 100, "region=hz zone=a env=prod k=1"},
	{"198.18.0.12:20902", "", 200, "region=hz zone=b env=prod k=2"},
	{"198.18.0.13:20903", "gray", 100, "region=hz zone=a env=gray k=3"},
	{"198.18.1.14:20904", "", 50, "region=bj zone=a env=prod k=4"},
	{"198.18.1.15:20905", "gray", 100, "region=bj zone=b env=gray k=5"},
	{"198.18.1.16:20906", "", 100, "region=bj env=prod k=6"},
	{"198.18.2.17:20907", "blue", 100, "region=sh zone=c k=7"},
	{"198.18.2.18:20908", "", 150, "zone=c env=prod k=8"},
}

type rowsInput struct {
	Services []rowsReference `json:"services"`
	Rows     []rowsRow       `json:"rows"`
}

type rowsReference struct {
	Version     string            `json:"version"`
	LoadBalance string            `json:"loadbalance"`
	Parameters  map[string]string `json:"parameters"`
}

type rowsRow struct {
	Row     int    `json:"row"`
	Version string `json:"version"`
	Calls   int    `json:"calls"`
	rowCall
}

// TestSameProvidersAsJava has the consumers of Dubbo 2.7.23, of Dubbo 3.3.6 and of dubway in the dialect of each make the same
// calls under every rule set, and compares which providers answered.
func TestSameProvidersAsJava(t *testing.T) {
	f := theFleet(t)
	z := f.zookeeper(t)
	sets := ruleSets()
	startRowsProviders(t, f, len(sets))
	input := rowsInput{}
	for i, set := range sets {
		version := strconv.Itoa(i + 1)
		publish(t, z, set, version)
		reference := rowsReference{version, "roundrobin", map[string]string{"home": "hz", "stage": "prod"}}
		if set.random {
			reference.LoadBalance = "random"
		}
		maps.Copy(reference.Parameters, set.consumer)
		input.Services = append(input.Services, reference)
		for _, call := range rowCalls() {
			input.Rows = append(input.Rows, rowsRow{len(input.Rows), version, callsPerRow, call})
		}
	}
	put(t, z, rowsConsumers+".condition-router", applicationDocument)
	answers := map[string][][]string{}
	rows, unequal := 0, 0
	for _, peer := range []struct {
		project string
		dialect dialect.Dialect
	}{{dubbo27, dialect.Dubbo27}, {dubbo33, dialect.Dubbo33}} {
		java := javaAnswers(t, f, peer.project, "RowsConsumer", rowsConsumers, input, len(input.Rows))
		own := dubwayRows(t, f, peer.dialect, input)
		answers[peer.project] = java
		for i, row := range input.Rows {
			rows++
			equal := slices.Equal(java[i], own[i])
			at, _ := strconv.Atoi(row.Version)
			text := fmt.Sprintf("%-45s %-8s %-40s %-40s %t", row.Version+" "+sets[at-1].name, peer.project, row.rowCall, short(java[i]), equal)
			if equal {
				t.Log(text)
				continue
			}
			unequal++
			t.Errorf("%s: dubway %s", text, short(own[i]))
		}
	}
	parted := map[string]bool{}
	for i, row := range input.Rows {
		if !slices.Equal(answers[dubbo27][i], answers[dubbo33][i]) {
			parted[row.Version] = true
		}
	}
	for i, set := range sets {
		if version := strconv.Itoa(i + 1); parted[version] != (set.parts != "") {
			t.Errorf("%s %s: Dubbo 2.7 and 3.3 answer differently: %t, expected because %q", version, set.name, parted[version], set.parts)
		}
	}
	t.Logf("%d rule sets, %d rows, %d calls, %d rows unequal; %d rule sets answered differently by the two versions of Dubbo", len(sets), rows, 2*rows*callsPerRow, unequal, len(parted))
}

// short writes a set of addresses by their place in rowsProviders, from 1.
func short(chosen []string) string {
	var out []string
	for _, c := range chosen {
		if i := slices.IndexFunc(rowsProviders, func(p rowsMember) bool { return p.address == c }); i >= 0 {
			c = strconv.Itoa(i + 1)
		}
		out = append(out, c)
	}
	return "{" + strings.Join(out, ",") + "}"
}

// startRowsProviders starts the eight, each with as many versions of the service.
func startRowsProviders(t *testing.T, f *fleet, versions int) {
	t.Helper()
	z := f.zookeeper(t)
	var addresses []string
	for _, p := range rowsProviders {
		parameters := map[string]string{"warmup": "1"}
		for _, label := range strings.Fields(p.labels) {
			key, value, _ := strings.Cut(label, "=")
			parameters[key] = value
		}
		host, _, _ := strings.Cut(p.address, ":")
		s := dubway.NewServer(dubway.ServerOptions{Application: "rows-shop", Registrar: z, Host: host, Tag: p.tag, Weight: p.weight, Parameters: parameters, Notice: -1})
		for v := 1; v <= versions; v++ {
			version := strconv.Itoa(v)
			// An application for each version, because tag documents are the provider application's.
			o := dubway.HandleOptions{Version: version, Methods: []string{"get", "put", "list", "find"}, Parameters: map[string]string{"application": "rows-shop-" + version}}
			if err := s.HandleWith(rowsService, rowsProvider{p.address}, o); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Start(t.Context(), p.address); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			if err := s.Shutdown(ctx); err != nil {
				t.Error(err)
			}
		})
		addresses = append(addresses, p.address)
	}
	f.waitForProviders(t, z, service.Key{Interface: rowsService, Version: strconv.Itoa(versions)}, addresses...)
}

func put(t *testing.T, z *zk.Client, key, text string) {
	t.Helper()
	if err := z.Rules().Put(t.Context(), key, text); err != nil {
		t.Fatal(err)
	}
}

// publish writes the documents and URLs of a set.
func publish(t *testing.T, z *zk.Client, set ruleSet, version string) {
	t.Helper()
	for key, text := range set.documents {
		put(t, z, expand(key, version), expand(text, version))
	}
	for _, text := range set.urls {
		target, parameters, _ := strings.Cut(text, "?")
		category := "routers"
		if strings.HasPrefix(text, "override") {
			category = "configurators"
		}
		u, err := durl.Parse(fmt.Sprintf("%s/%s?category=%s&dynamic=true&version=%s&%s", target, rowsService, category, version, parameters))
		if err != nil {
			t.Fatal(err)
		}
		if err := z.Register(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
}

// dubwayRows returns what javaAnswers does, of dubway.
func dubwayRows(t *testing.T, f *fleet, d dialect.Dialect, input rowsInput) [][]string {
	t.Helper()
	z := f.zookeeper(t)
	c, err := dubway.Dial(t.Context(), dubway.Options{Application: rowsConsumers, Registry: z, Rules: z.Rules(), Host: host, Dialect: d, Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	services := map[string]*dubway.Service{}
	for _, r := range input.Services {
		o := dubway.ServiceOptions{Version: r.Version, LoadBalance: r.LoadBalance, Retries: -1, Parameters: r.Parameters}
		if services[r.Version], err = c.ServiceWith(t.Context(), rowsService, o); err != nil {
			t.Fatal(err)
		}
	}
	out := make([][]string, len(input.Rows))
	for i, row := range input.Rows {
		chosen := map[string]bool{}
		for range row.Calls {
			chosen[callRow(t.Context(), services[row.Version], row.rowCall)] = true
		}
		out[i] = slices.Sorted(maps.Keys(chosen))
	}
	return out
}

func callRow(ctx context.Context, s *dubway.Service, call rowCall) string {
	inv := rpc.Invocation{Method: call.Method, Direct: true, ParamTypes: []string{}, Args: []any{}}
	if call.Method != "list" {
		inv.ParamTypes, inv.Args = []string{"java.lang.String"}, []any{call.Argument}
	}
	if call.Method == "put" {
		inv.ParamTypes, inv.Args = append(inv.ParamTypes, "int"), append(inv.Args, int32(5))
	}
	for k, v := range call.Attachments {
		inv.Attachments = append(inv.Attachments, rpc.Attachment{Key: k, Value: v})
	}
	got, err := s.Invoke(ctx, &inv)
	if e, ok := errors.AsType[*dubway.Error](err); ok && (e.Code == dubway.NoProvider || e.Code == dubway.Forbidden) {
		return "none"
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return fmt.Sprint(got.Value)
}
