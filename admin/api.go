package admin

import (
	"encoding/json"
	"time"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/directory"
	"github.com/dubway-go/dubway/service"
)

// Target names a service, and for whom.
type Target struct {
	// Service is an interface or a service key "[group/]interface[:version]".
	Service string `json:"service"`
	Group   string `json:"group,omitempty"`
	Version string `json:"version,omitempty"`
	// Dialect is the Dubbo generation to answer as; empty means the daemon's.
	Dialect string `json:"dialect,omitempty"`
	// Application, Host and Parameters describe another consumer than the daemon itself.
	Application string            `json:"application,omitempty"`
	Host        string            `json:"host,omitempty"`
	Parameters  map[string]string `json:"parameters,omitempty"`
}

// CallRequest is a call to make or to explain.
type CallRequest struct {
	Target

	Method string `json:"method"`
	// Args are the arguments as the gateway takes them: a JSON array, or one value that is no object.
	Args json.RawMessage `json:"args,omitempty"`
	// Types are the Java names of the parameter types; nil means "the only method of that name".
	Types       []string          `json:"types,omitempty"`
	Attachments map[string]string `json:"attachments,omitempty"`
	// TimeoutMillis bounds the call; 0 means the daemon's default.
	TimeoutMillis int64 `json:"timeoutMillis,omitempty"`
	// Not is a provider ("host:port") to ask about: why does the call not go there. For explain only.
	Not string `json:"not,omitempty"`
}

// CallResponse is what a call gave. Exactly one of Value and Error counts.
type CallResponse struct {
	OK bool `json:"ok"`
	// Value is the result as the gateway shows it.
	Value       json.RawMessage   `json:"value,omitempty"`
	Attachments map[string]string `json:"attachments,omitempty"`
	// Provider is the host:port that answered, or the last that was tried.
	Provider string `json:"provider,omitempty"`
	// Attempts are the providers tried, in order.
	Attempts      []string `json:"attempts,omitempty"`
	ElapsedMicros int64    `json:"elapsedMicros"`
	Error         *Failure `json:"error,omitempty"`
}

// Failure is why a call failed.
type Failure struct {
	// Code is the name of an rpc.Code.
	Code    string `json:"code"`
	Message string `json:"message"`
	// Exception is the Java class of a provider's exception.
	Exception string `json:"exception,omitempty"`
	// Hint is the next step, when one is known.
	Hint string `json:"hint,omitempty"`
}

// ExplainResponse says where a call would go, and why.
type ExplainResponse struct {
	directory.Explanation

	Dialect  dialect.Dialect `json:"dialect"`
	Consumer string          `json:"consumer"`
	Method   string          `json:"method"`
	// Attachments are those of the call.
	Attachments map[string]string `json:"attachments,omitempty"`
	// LoadBalance is the balancer that chooses among Candidates.
	LoadBalance string `json:"loadBalance"`
	// Merger is what makes one result of the answers of several groups; empty when one group is called.
	Merger string `json:"merger,omitempty"`
	// Candidates are the providers that are left.
	Candidates []Provider `json:"candidates"`
	// AgeMillis is how old the snapshot is.
	AgeMillis int64 `json:"ageMillis"`
	// Absence answers CallRequest.Not.
	Absence *directory.Absence `json:"absence,omitempty"`
	// Hint is the next step, when one is known.
	Hint string `json:"hint,omitempty"`
}

// Interface returns the interface of the service that was explained.
func (x *ExplainResponse) Interface() string {
	k, err := service.ParseKey(x.Service)
	if err != nil {
		return x.Service
	}
	return k.Interface
}

// Provider is one provider of a service.
type Provider struct {
	Address string `json:"address"`
	// Registry and Group say where it stands, when the service has several.
	Registry    string `json:"registry,omitempty"`
	Group       string `json:"group,omitempty"`
	Application string `json:"application,omitempty"`
	// Weight is the configured weight of the method; Share is its part of the calls, in percent: of those to its group when there are several.
	Weight int     `json:"weight"`
	Share  float64 `json:"share,omitempty"`
	Tag    string  `json:"tag,omitempty"`
	// Overridden are the parameters that overrides set, and which did; explain fills it in.
	Overridden []directory.Overridden `json:"overridden,omitempty"`
	// Labels are the parameters that tell providers apart: region, zone, env, version and whatever else differs among them.
	Labels map[string]string `json:"labels,omitempty"`
}

// ServiceSummary is one row of the list of services.
type ServiceSummary struct {
	// Service is the service key; Interface, Group and Version are its parts.
	Service   string `json:"service"`
	Interface string `json:"interface"`
	Group     string `json:"group,omitempty"`
	Version   string `json:"version,omitempty"`
	// Providers is the number of provider URLs in the registry; -1 when it is not known.
	Providers    int      `json:"providers"`
	Applications []string `json:"applications,omitempty"`
	// Open tells whether the daemon has a directory of it.
	Open bool `json:"open"`
}

// ServiceDetail is a service with its state and its providers.
type ServiceDetail struct {
	directory.Status

	Providers []Provider `json:"providers"`
}

// RegistryHealth tells whether a registry answers.
type RegistryHealth struct {
	// Name is empty for the only registry of a daemon.
	Name      string `json:"name,omitempty"`
	Address   string `json:"address"`
	Zone      string `json:"zone,omitempty"`
	Preferred bool   `json:"preferred,omitempty"`
	Up        bool   `json:"up"`
	Error     string `json:"error,omitempty"`
}

// Health is the body of /health and /ready.
type Health struct {
	// Status is ok or ready.
	Status     string           `json:"status"`
	Registries []RegistryHealth `json:"registries,omitempty"`
}

// Rule is a rule document of the config centre.
type Rule struct {
	Key    string `json:"key"`
	Kind   string `json:"kind"`
	Target string `json:"target"`
	Text   string `json:"text,omitempty"`
	Exists bool   `json:"exists"`
}

// RuleWrite is the body of a PUT of a rule.
type RuleWrite struct {
	Text string `json:"text"`
	// Force stores a document that has errors; every consumer will refuse it and keep what it has.
	Force bool `json:"force,omitempty"`
}

// RuleResult is what became of a rule that was put, checked or deleted.
type RuleResult struct {
	Key string `json:"key"`
	// Stored tells whether the config centre was changed; Refused whether the document has errors and was not stored for them.
	Stored  bool `json:"stored"`
	Refused bool `json:"refused"`
	// Old is the text before, empty with Existed false when there was none.
	Old     string `json:"old,omitempty"`
	Existed bool   `json:"existed"`
	New     string `json:"new,omitempty"`
	// Diagnostics are all findings; Rendered shows them with the lines and carets.
	Diagnostics diag.List `json:"diagnostics,omitempty"`
	Rendered    string    `json:"rendered,omitempty"`
}

// Traffic is where calls went since the daemon started. Counters only grow; take the difference of two.
type Traffic struct {
	At time.Time `json:"at"`
	// Flows are sorted by service, consumer and provider.
	Flows []Flow `json:"flows"`
}

// Flow counts the calls of one consumer to one provider of one service.
type Flow struct {
	Service string `json:"service"`
	// Consumer is the application that calls, Provider the host:port, Name what the daemon calls that provider (demo only).
	Consumer string `json:"consumer"`
	Provider string `json:"provider"`
	Name     string `json:"name,omitempty"`
	Calls    uint64 `json:"calls"`
	Failures uint64 `json:"failures"`
}

// Version says what is running.
type Version struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	// Commit and Built come from the build, when it knew them.
	Commit   string    `json:"commit,omitempty"`
	Built    string    `json:"built,omitempty"`
	Started  time.Time `json:"started,omitzero"`
	Registry string    `json:"registry,omitempty"`
	Gateway  string    `json:"gateway,omitempty"`
}

// Problem is the body of every answer that is no success.
type Problem struct {
	Code   string `json:"code"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
	Hint   string `json:"hint,omitempty"`
	// Registries tell which of them answer, when the daemon is not ready.
	Registries []RegistryHealth `json:"registries,omitempty"`
}
