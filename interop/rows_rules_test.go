package interop

import (
	"fmt"
	"strings"

	"github.com/dubway-go/dubway/durl"
)

const rowsService = "com.example.interop.RowsService"

// ruleSet is what one version of the service has in registry and config centre. In the texts, $S is the target of service-level
// documents, $A the providers' application, $V the version.
type ruleSet struct {
	name      string
	documents map[string]string // by key
	urls      []string          // scheme://host[:port]?parameters; interface, version and category are added
	consumer  map[string]string // parameters of the reference beside those that all have
	random    bool              // the balancer is random instead of round robin: few providers of equal weight are left
	parts     string            // why the two versions of Dubbo answer differently; empty where they do not
}

// service is a document for the version with conditions.
func conditions(header string, lines ...string) map[string]string {
	return map[string]string{"$S.condition-router": document(header, lines...)}
}

func document(header string, lines ...string) string {
	var b strings.Builder
	if header != "" {
		b.WriteString(header + "\n")
	}
	b.WriteString("conditions:\n")
	for _, line := range lines {
		fmt.Fprintf(&b, "  - %q\n", line)
	}
	return b.String()
}

func tags(header, rest string) map[string]string {
	return map[string]string{"$A.tag-router": header + "\ntags:\n" + rest}
}

// destinations is a v3.1 document with two halves, each of two providers.
const destinations = `configVersion: v3.1
force: %t
conditions:
  - from:
      match: "method=get"
    to:
      - match: "k=1,2"
        weight: 50
      - match: "k=4,6"
        weight: 50
  - from:
      match: "method=put"
    to: []
  - from:
      match: "method=list"
    to:
      - match: "k=99"
`

// ruleSets are the rule sets of the comparison.
func ruleSets() []ruleSet {
	return []ruleSet{
		{name: "no rule"},
		{name: "service condition", documents: conditions("", "=> region=hz")},
		{name: "conditions by method", documents: conditions("", "method=get => region=bj", "method=list,find => zone=a,c")},
		{name: "a label that the consumer has too", consumer: map[string]string{"region": "hz"}, documents: conditions("", "=> region=hz", "method=get => region=$region"), parts: "2.7 sees the merged URL, on which the consumer's value wins"},
		{name: "force", documents: conditions("force: true", "method=get => region=nowhere", "method=put => k=8")},
		{name: "no force", documents: conditions("force: false", "method=get => region=nowhere", "method=put => k=8")},
		{name: "blacklist", documents: conditions("", "method=put =>", "method=find => false")},
		{name: "absent key with !=", documents: conditions("", "=> zone!=a"), parts: "3.2 and later drop providers without the key"},
		{name: "$param", documents: conditions("", "method=get => region=$home", "method!=get => env=$stage & host!=$host")},
		{name: "arguments", documents: conditions("", "arguments[0]=20 => k=1,6", "arguments[0]!=20 & method=get => k=2", "arguments[1]=5 => k=4", "arguments[7]!=5 & method=list => k=8"), parts: "a missing argument is a value from 3.2 on"},
		{name: "attachments", documents: conditions("", "attachments[lane]=l1 => region=bj", "attachments[lane]!=l1 & method=get => k=1"), parts: "attachments are keys from 3.2 on"},
		{name: "ranges", documents: conditions("", "method=get => k=2~5", "method=list => k=~4", "method=put => k=4~"), parts: "ranges are known from 3.2 on"},
		{name: "wildcards", documents: conditions("", "method=g* => host=198.18.1.*", "method=*t & method!=get => k!=*1")},
		{name: "address", documents: conditions("", "method=get => address=*:20902,*:20904", "method=list => port=20906,20908", "method=put => protocol=dubbo & address!=198.18.0.11:20901")},
		{name: "consumer host", documents: conditions("", "host=198.18.0.1 & application=rows-consumer => host!=198.18.0.11", "host!=198.18.0.1 => k=8")},
		{name: "disabled and broken", documents: conditions("enabled: false", "a==b", "=> k=1")},
		{name: "enabled and broken", documents: conditions("", "=> k=1", "a==b")},
		{name: "broken YAML", documents: map[string]string{"$S.condition-router": "conditions: [\"=> k=1\"\nforce: }"}},
		{name: "an unknown field", documents: conditions("unknownField: 1", "=> k=1,2")},
		{name: "v3.1 destinations", documents: map[string]string{"$S.condition-router": fmt.Sprintf(destinations, false)}, parts: "3.3 only"},
		{name: "v3.1 destinations, force", documents: map[string]string{"$S.condition-router": fmt.Sprintf(destinations, true)}, parts: "3.3 only"},
		{name: "static tag of the consumer", consumer: map[string]string{"dubbo.tag": "gray"}},
		{name: "dynamic tags", documents: tags("", "  - name: gray\n    addresses: ['198.18.0.11:20901', '198.18.1.14-16', '198.18.2.0/24']\n"), parts: "3.3 knows levels"},
		{name: "dynamic tags, force", documents: tags("force: true", "  - name: gray\n    addresses: ['198.18.9.9:1']\n  - name: blue\n    addresses: ['198.18.0.*']\n"), parts: "3.3 knows levels"},
		{name: "dynamic tags, nobody there", documents: tags("", "  - name: gray\n    addresses: ['198.18.9.9:1']\n  - name: extra\n    addresses: ['0.0.0.0:20902']\n"), parts: "2.7 keeps, for calls without a tag, providers whose tag the rule does not name"},
		{name: "tags by match", documents: tags("configVersion: v3.0", "  - name: gray\n    match:\n      - key: region\n        value: {exact: bj}\n  - name: blue\n    match:\n      - key: env\n        value: {prefix: pr}\n      - key: zone\n        value: {noempty: x}\n"), parts: "3.2 and later know match"},
		{name: "tags in levels", documents: tags("", "  - name: gray\n    addresses: ['198.18.0.11']\n  - name: 'gray|t'\n    addresses: ['198.18.0.12', '198.18.1.14']\n"), parts: "3.3 knows levels"},
		{name: "disabled tags", documents: tags("enabled: false", "  - name: gray\n    addresses: ['198.18.0.11']\n")},
		{name: "override weight", urls: []string{"override://198.18.0.11:20901?weight=0", "override://198.18.1.14:20904?weight=0"}},
		{name: "override disabled", urls: []string{"override://198.18.0.11:20901?disabled=true", "override://198.18.0.13:20903?enabled=true&disabled=true"}},
		{name: "override disables all", urls: []string{"override://0.0.0.0?disabled=true"}},
		{name: "override dubbo.tag", urls: []string{"override://198.18.0.11:20901?dubbo.tag=gray", "override://198.18.0.13:20903?dubbo.tag=blue"}},
		{name: "override a label", urls: []string{"override://198.18.0.11:20901?region=zz"}, documents: conditions("", "method=get,put => region=zz"), parts: "condition rules of 3.x see what the provider registered"},
		{name: "override of another application", urls: []string{"override://0.0.0.0?application=other&disabled=true", "override://198.18.0.12:20902?application=rows-consumer&disabled=true"}},
		{name: "condition URL", urls: []string{"condition://0.0.0.0?rule=" + durl.Encode("method=get => region=hz")}, parts: "3.x ignores it"},
		{name: "route URLs by priority", urls: []string{
			"route://0.0.0.0?router=condition&force=true&priority=2&rule=" + durl.Encode("=> zone=a"),
			"route://0.0.0.0?router=condition&priority=1&rule=" + durl.Encode("method=get,list => region=bj"),
			"route://0.0.0.0?rule=" + durl.Encode("=> k=1")}, parts: "3.x ignores them"},
		{name: "route URL for compatibility", urls: []string{"route://0.0.0.0?router=condition&compatible_config=true&rule=" + durl.Encode("=> k=1")}},
		{name: "application condition", documents: map[string]string{}},
		{name: "service, application and tags", documents: map[string]string{
			"$S.condition-router": document("", "method=get,list => region=hz,bj", "method=find => env!=none"),
			"$A.tag-router":       "tags:\n  - name: gray\n    addresses: ['198.18.0.11', '198.18.0.12', '198.18.1.14']\n"}, parts: "as the two rules before, and levels"},
		{name: "provider application condition", documents: map[string]string{"$A.condition-router": document("", "=> region=bj,hz", "method=list => zone=b")}, parts: "3.2 and later read it"},
		{name: "values with |, white space and twice the key", documents: conditions("", "method=get => region=hz|bj", "method=list => region=hz & region=bj", "method=put => k=1,2 , 4")},
		{name: "provider. and consumer. prefixes", documents: conditions("force: true", "consumer.application=rows-consumer & method=get => provider.region=hz", "method=list => application=$A"), parts: "application of the right side is the provider's in 3.x only"},
		{name: "URL rule and document", urls: []string{"condition://0.0.0.0?rule=" + durl.Encode("=> region=hz")}, documents: conditions("", "=> zone=a,c"), parts: "3.x ignores the URL"},
		{name: "configurators document", documents: map[string]string{"$S.configurators": "configVersion: v2.7\nscope: service\nkey: " + rowsService + "\nenabled: true\nconfigs:\n  - side: consumer\n    addresses: ['0.0.0.0']\n    providerAddresses: ['198.18.0.11:20901', '198.18.1.16:20906']\n    parameters:\n      disabled: true\n"}, parts: "from 3.2 on the version must be in the key"},
		{name: "configurators document with the version in its key", documents: map[string]string{"$S.configurators": "configVersion: v2.7\nscope: service\nkey: " + rowsService + ":$V\nenabled: true\nconfigs:\n  - side: consumer\n    addresses: ['0.0.0.0']\n    providerAddresses: ['198.18.0.11:20901', '198.18.1.16:20906']\n    parameters:\n      disabled: true\n"}},
		{name: "random balancer", documents: conditions("", "=> k=1,2"), random: true},
	}
}

// applicationDocument is the condition document of the consumers' application: of all sets, so its lines name the version.
const applicationDocument = `force: false
conditions:
  - "version=38 & method=get => region=hz"
  - "version=38 & method=put => "
  - "version=38 & method=list,find => k=4,5,8"
  - "version=39 & method!=put => zone=a"
`

// expand fills in the places of a text for the version of the set.
func expand(text, version string) string {
	return strings.NewReplacer("$S", rowsService+":"+version+":", "$A", "rows-shop-"+version, "$V", version).Replace(text)
}

// rowCall is one way to call.
type rowCall struct {
	Method      string            `json:"method"`
	Argument    string            `json:"argument"`
	Attachments map[string]string `json:"attachments,omitempty"`
}

// rowCalls are made of each rule set.
func rowCalls() []rowCall {
	return []rowCall{
		{Method: "get", Argument: "1"},
		{Method: "get", Argument: "20", Attachments: map[string]string{"lane": "l2"}},
		{Method: "list"},
		{Method: "put", Argument: "7", Attachments: map[string]string{"lane": "l1"}},
		{Method: "find", Argument: "a", Attachments: map[string]string{"dubbo.tag": "gray"}},
		{Method: "get", Argument: "1", Attachments: map[string]string{"dubbo.tag": "gray|t|x"}},
		{Method: "find", Argument: "b", Attachments: map[string]string{"dubbo.tag": "blue"}},
		{Method: "list", Attachments: map[string]string{"dubbo.tag": "nosuch", "dubbo.force.tag": "true"}},
	}
}

func (c rowCall) String() string {
	text := c.Method + "(" + c.Argument + ")"
	for _, k := range []string{"lane", "dubbo.tag", "dubbo.force.tag"} {
		if v, ok := c.Attachments[k]; ok {
			text += " " + k + "=" + v
		}
	}
	return text
}
