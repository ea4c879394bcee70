package interop

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/hessian"
	"github.com/dubway-go/dubway/internal/zktest"
	"github.com/dubway-go/dubway/rpc"
	"github.com/dubway-go/dubway/service"
)

const (
	groupsService  = "com.example.interop.GroupsService"
	groupsConsumer = "groups-consumer"
)

// groupsProvider answers with values that name it.
type groupsProvider struct{ group, name string }

// Serve implements dubway.Handler.
func (p groupsProvider) Serve(_ context.Context, r *dubway.Request) (any, error) {
	switch r.Method {
	case "items":
		return []any{p.name, "both"}, nil
	case "tags":
		return &hessian.List{Type: "java.util.HashSet", Items: []any{p.name, "both"}}, nil
	case "byKey":
		return map[string]any{p.name: "own", "both": "both"}, nil
	case "codes":
		return []int32{int32(p.name[len(p.name)-1] - '0')}, nil
	case "texts":
		return []string{p.name}, nil
	case "total":
		return int64(10), nil
	case "fails":
		if p.group == "g1" {
			return nil, &dubway.RemoteException{Class: "java.lang.IllegalStateException", Message: "as asked"}
		}
		return []any{p.name}, nil
	}
	return p.name, nil
}

// groupsScenario is one set of providers and rules, under a version of its own.
type groupsScenario struct {
	name string
	// group and cluster are the reference's.
	group, cluster string
	// providers are "group@place?parameters"; the place, from 1, is an index of rowsProviders.
	providers []string
	// documents are rule documents; $V stands for the version.
	documents map[string]string
	// methods are the methods called; nil means all.
	methods []string
	// counted: only how many different answers there are is compared, because which is first is Java's hash order of whole URLs.
	counted bool
}

var everyGroupsMethod = []string{"name", "items", "tags", "byKey", "codes", "texts", "total", "fails"}

func groupsScenarios() []groupsScenario {
	routing := func(condition string) string {
		return fmt.Sprintf("configVersion: v3.0\nscope: service\nforce: true\nruntime: true\nenabled: true\nkey: %s\nconditions:\n  - %q\n", groupsService, condition)
	}
	return []groupsScenario{
		{name: "all groups", group: "*", providers: []string{"g1@1", "g2@2"}},
		{name: "a list of groups", group: "g2,g1,g3", providers: []string{"g1@1", "g2@2", "g3@3", "g4@4"}},
		{name: "many groups", group: "*", providers: []string{"beijing@1", "hangzhou@2", "shanghai@3", "gray@4", "blue@5", "order@6", "stock@7"}, methods: []string{"name", "items", "codes", "byKey"}},
		{name: "one group, all the same", group: "*", providers: []string{"g1@1", "g1@2", "g1@3"}, methods: []string{"name", "items"}, counted: true},
		{name: "one group of a list, a rule that leaves nobody", group: "g1,g2", providers: []string{"g1@1", "g1@2"}, methods: []string{"name"}, counted: true,
			documents: map[string]string{groupsService + ":$V:g1.condition-router": routing("=> k=99")}},
		{name: "a rule of a group", group: "*", providers: []string{"g1@1?k=1", "g1@2?k=2", "g2@3"}, methods: []string{"items"},
			documents: map[string]string{groupsService + ":$V:g1.condition-router": routing("=> k=2")}},
		{name: "a rule of the reference's key", group: "*", providers: []string{"g1@1?k=1", "g2@3"}, methods: []string{"items"},
			documents: map[string]string{groupsService + ":$V:*.condition-router": routing("=> k=99")}},
		{name: "left side: the first provider's host", group: "*", providers: []string{"g1@1", "g2@2"}, methods: []string{"name"},
			documents: map[string]string{groupsService + ":$V:g1.condition-router": routing("host=198.18.0.11 => k=99")}},
		{name: "left side: the consumer's host", group: "*", providers: []string{"g1@1", "g2@2"}, methods: []string{"name"},
			documents: map[string]string{groupsService + ":$V:g1.condition-router": routing("host=" + host + " => k=99")}},
		{name: "left side: application", group: "*", providers: []string{"g1@1", "g2@2"}, methods: []string{"name"},
			documents: map[string]string{groupsService + ":$V:g1.condition-router": routing("application=" + groupsConsumer + " => k=99")}},
		{name: "merging, a group has nobody left", group: "*", providers: []string{"g1@1", "g2@2"}, methods: []string{"items"},
			documents: map[string]string{groupsService + ":$V:g1.condition-router": routing("=> k=99")}},
		{name: "the first provider's tag", group: "*", providers: []string{"g1@1?dubbo.tag=gray", "g2@2"}, methods: []string{"name", "items"}},
		{name: "mergeable inside", group: "*", cluster: "mergeable", providers: []string{"g1@1", "g2@2"}, methods: []string{"name", "items"}},
		{name: "failfast inside", group: "*", cluster: "failfast", providers: []string{"g1@1", "g2@2"}, methods: []string{"name", "items", "fails"}},
	}
}

type groupsInput struct {
	References []groupsReference `json:"references"`
	Rows       []groupsRow       `json:"rows"`
}

type groupsReference struct {
	Version string            `json:"version"`
	Group   string            `json:"group"`
	Cluster string            `json:"cluster,omitempty"`
	Mergers map[string]string `json:"mergers"`
}

type groupsRow struct {
	Row     int    `json:"row"`
	Version string `json:"version"`
	Method  string `json:"method"`
	Calls   int    `json:"calls"`
}

// TestGroupsAsJava has consumers of Dubbo 2.7.23, of Dubbo 3.3.6 and of dubway in the dialect of each call references to several
// groups, with mergers and without, and compares the answers: who is called, what is merged, and in which order.
func TestGroupsAsJava(t *testing.T) {
	needServers(t)
	f := &fleet{zoo: zktest.Start(t)} // a ZooKeeper of its own: no other provider is needed
	z := f.zookeeper(t)
	scenarios := groupsScenarios()
	startGroupsProviders(t, f, scenarios)
	input := groupsInput{}
	for i, s := range scenarios {
		version := strconv.Itoa(i + 1)
		for key, text := range s.documents {
			put(t, z, strings.ReplaceAll(key, "$V", version), text)
		}
		mergers := map[string]string{"items": "true", "tags": "true", "byKey": "true", "codes": "true", "texts": "true", "total": "true", "fails": "list"}
		input.References = append(input.References, groupsReference{version, s.group, s.cluster, mergers})
		methods := s.methods
		if methods == nil {
			methods = everyGroupsMethod
		}
		for _, m := range methods {
			input.Rows = append(input.Rows, groupsRow{len(input.Rows), version, m, 6})
		}
	}
	rows := 0
	for _, peer := range []struct {
		project string
		dialect dialect.Dialect
	}{{dubbo27, dialect.Dubbo27}, {dubbo33, dialect.Dubbo33}} {
		java := javaAnswers(t, f, peer.project, "GroupsConsumer", groupsConsumer, input, len(input.Rows))
		own := dubwayGroups(t, f, peer.dialect, input)
		for i, row := range input.Rows {
			rows++
			at, _ := strconv.Atoi(row.Version)
			a, b := java[i], own[i]
			if scenarios[at-1].counted {
				a, b = []string{strconv.Itoa(len(a))}, []string{strconv.Itoa(len(b))}
			}
			text := fmt.Sprintf("%-50s %-8s %-6s %v", row.Version+" "+scenarios[at-1].name, peer.project, row.Method, a)
			if slices.Equal(a, b) {
				t.Log(text)
				continue
			}
			t.Errorf("%s: dubway %v", text, b)
		}
	}
	t.Logf("%d scenarios, %d rows", len(scenarios), rows)
}

// startGroupsProviders starts a server at each place; it serves what the scenarios put there.
func startGroupsProviders(t *testing.T, f *fleet, scenarios []groupsScenario) {
	t.Helper()
	z := f.zookeeper(t)
	servers := map[int]*dubway.Server{}
	waits := map[string][]string{}
	for i, s := range scenarios {
		version := strconv.Itoa(i + 1)
		for _, text := range s.providers {
			text, query, _ := strings.Cut(text, "?")
			group, number, _ := strings.Cut(text, "@")
			at, _ := strconv.Atoi(number)
			// Ports of their own: the rows of the other test have servers at the same places.
			hostOnly, _, _ := strings.Cut(rowsProviders[at-1].address, ":")
			server := servers[at]
			if server == nil {
				server = dubway.NewServer(dubway.ServerOptions{Application: "groups-shop", Registrar: z, Host: hostOnly, Notice: -1})
				servers[at] = server
			}
			parameters := map[string]string{"warmup": "1"}
			if key, value, ok := strings.Cut(query, "="); ok {
				parameters[key] = value
			}
			o := dubway.HandleOptions{Group: group, Version: version, Methods: everyGroupsMethod, Parameters: parameters}
			if err := server.HandleWith(groupsService, groupsProvider{group, group + "@" + number}, o); err != nil {
				t.Fatal(err)
			}
			waits[version] = append(waits[version], groupsAddress(at))
		}
	}
	for at, server := range servers {
		if err := server.Start(t.Context(), groupsAddress(at)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			if err := server.Shutdown(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	for version, addresses := range waits {
		f.waitForProviders(t, z, service.Key{Interface: groupsService, Version: version}, addresses...)
	}
}

func groupsAddress(at int) string {
	hostOnly, _, _ := strings.Cut(rowsProviders[at-1].address, ":")
	return hostOnly + ":" + strconv.Itoa(20950+at)
}

// dubwayGroups returns what javaAnswers does, of dubway.
func dubwayGroups(t *testing.T, f *fleet, d dialect.Dialect, input groupsInput) [][]string {
	t.Helper()
	z := f.zookeeper(t)
	c, err := dubway.Dial(t.Context(), dubway.Options{Application: groupsConsumer, Registry: z, Rules: z.Rules(), Host: host, Dialect: d, Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	services := map[string]*dubway.Service{}
	for _, r := range input.References {
		parameters := map[string]string{}
		for method, m := range r.Mergers {
			parameters[method+".merger"] = m
		}
		parameters["tags.merger"] = "set" // a call carries no return type, so a set must be asked for
		o := dubway.ServiceOptions{Group: r.Group, Version: r.Version, Cluster: r.Cluster, Retries: -1, Parameters: parameters}
		if services[r.Version], err = c.ServiceWith(t.Context(), groupsService, o); err != nil {
			t.Fatal(err)
		}
	}
	out := make([][]string, len(input.Rows))
	for i, row := range input.Rows {
		answers := map[string]bool{}
		for range row.Calls {
			got, err := services[row.Version].Invoke(t.Context(), &rpc.Invocation{Method: row.Method, Direct: true, ParamTypes: []string{}, Args: []any{}})
			if err != nil {
				t.Logf("%s.%s in %v: %v", row.Version, row.Method, d, err)
				answers["error"] = true
				continue
			}
			answers[javaText(row.Method, got.Value)] = true
		}
		out[i] = slices.Sorted(maps.Keys(answers))
	}
	return out
}

// javaText writes a result as the Java consumer does.
func javaText(method string, v any) string {
	list := func(of []string) string { return "[" + strings.Join(of, ", ") + "]" }
	var texts []string
	switch v := v.(type) {
	case nil:
		return "null"
	case []any:
		for _, e := range v {
			texts = append(texts, fmt.Sprint(e))
		}
		if method == "tags" {
			slices.Sort(texts)
		}
		return list(texts)
	case []string:
		return list(v)
	case []int32:
		for _, e := range v {
			texts = append(texts, fmt.Sprint(e))
		}
		return list(texts)
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			texts = append(texts, k+"="+fmt.Sprint(v[k]))
		}
		return "{" + strings.Join(texts, ", ") + "}"
	}
	return fmt.Sprint(v)
}
