package rule

import (
	"strconv"
	"strings"

	"github.com/dubway-go/dubway/diag"
)

// Kind is the kind of a rule document, which its key tells. The zero value is no kind.
type Kind uint8

// The kinds of rule documents (spec §10.6).
const (
	KindCondition Kind = iota + 1
	KindTag
	KindScript
	KindAffinity
	KindConfigurator
	KindMesh
	KindMigration
)

// suffixes are the ends of keys, by kind.
var suffixes = [...]string{
	KindCondition: ".condition-router", KindTag: ".tag-router", KindScript: ".script-router", KindAffinity: ".affinity-router",
	KindConfigurator: ".configurators", KindMesh: ".MESHAPPRULE", KindMigration: ".migration",
}

// String returns the key's suffix without the dot ("condition-router").
func (k Kind) String() string {
	if k == 0 || int(k) >= len(suffixes) {
		return "unknown"
	}
	return suffixes[k][1:]
}

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Key is a rule key taken apart: what kind of document, and for whom.
type Key struct {
	Kind Kind `json:"kind"`
	// Target is an application, or interface:version:group for a service.
	Target string `json:"target"`
}

// String returns the key as the config centre knows it.
func (k Key) String() string {
	if k.Kind == 0 || int(k.Kind) >= len(suffixes) {
		return k.Target
	}
	return k.Target + suffixes[k.Kind]
}

// Service returns the parts of a service target; ok is false when the target is an application.
func (k Key) Service() (iface, version, group string, ok bool) {
	iface, rest, ok := strings.Cut(k.Target, ":")
	if !ok {
		return "", "", "", false
	}
	version, group, _ = strings.Cut(rest, ":")
	return iface, version, group, true
}

// ParseKey takes a rule key apart. A service target always has both colons ("com.example.Order::"): a key with one
// colon binds nothing since Dubbo 2.7.3, and is an error, as is one with an unknown suffix. The error is a diag.Diagnostic.
func ParseKey(key string) (Key, error) {
	for k := KindCondition; int(k) < len(suffixes); k++ {
		target, ok := strings.CutSuffix(key, suffixes[k])
		if !ok {
			continue
		}
		if target == "" || strings.ContainsAny(target, " \t\r\n/\\") || strings.Contains(target, "..") {
			return Key{}, keyFault(key, "rule key "+strconv.Quote(key)+" has no usable application or service before "+strconv.Quote(suffixes[k]),
				"write order"+suffixes[k]+" or com.example.Order::"+suffixes[k])
		}
		parsed := Key{k, target}
		switch n := strings.Count(target, ":"); {
		case n == 0:
		case n != 2:
			return Key{}, keyFault(key, "a service in a rule key is interface:version:group with exactly two colons, "+strconv.Quote(target)+" has "+strconv.Itoa(n),
				"without version and group write "+target[:strings.IndexByte(target, ':')]+"::"+suffixes[k])
		case target[0] == ':':
			return Key{}, keyFault(key, "rule key "+strconv.Quote(key)+" names no interface", "write com.example.Order::"+suffixes[k])
		case k == KindTag || k == KindScript || k == KindMesh || k == KindMigration:
			return Key{}, keyFault(key, "a "+k.String()+" document belongs to an application, not to a service", "write the provider application before "+strconv.Quote(suffixes[k]))
		}
		return parsed, nil
	}
	return Key{}, keyFault(key, strconv.Quote(key)+" is not a rule key", "a key ends in .condition-router, .tag-router, .script-router, .affinity-router, .configurators, .MESHAPPRULE or .migration")
}

func keyFault(key, message, hint string) error {
	return diag.Diagnostic{Code: diag.BadRuleKey, Severity: diag.Error, Message: message, Hint: hint,
		Span: diag.Span{Line: 1, Col: 1, EndLine: 1, EndCol: len(key) + 1}}
}

// ServiceTarget returns the target of service-scope keys: interface:version:group, both colons always there.
func ServiceTarget(iface, version, group string) string { return iface + ":" + version + ":" + group }

// ServiceConditionKey returns the key of a service's condition document.
func ServiceConditionKey(iface, version, group string) string {
	return ConditionKey(ServiceTarget(iface, version, group))
}

// ConditionKey returns the key of the condition document of an application or service target.
func ConditionKey(target string) string { return target + suffixes[KindCondition] }

// TagKey returns the key of the tag document of a provider application.
func TagKey(application string) string { return application + suffixes[KindTag] }

// ConfiguratorKey returns the key of the configurator document of an application or service target.
func ConfiguratorKey(target string) string { return target + suffixes[KindConfigurator] }

// AffinityKey returns the key of the affinity document of an application or service target.
func AffinityKey(target string) string { return target + suffixes[KindAffinity] }

// MeshKey returns the key of the mesh rules of a provider application.
func MeshKey(application string) string { return application + suffixes[KindMesh] }
