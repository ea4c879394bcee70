package rule_test

import (
	"testing"

	"github.com/dubway-go/dubway/rule"
)

func TestParseKey(t *testing.T) {
	for text, want := range map[string]rule.Key{
		"web.condition-router":                      {Kind: rule.KindCondition, Target: "web"},
		"com.example.Order::.condition-router":      {Kind: rule.KindCondition, Target: "com.example.Order::"},
		"com.example.Order:1.0:g.configurators":     {Kind: rule.KindConfigurator, Target: "com.example.Order:1.0:g"},
		"com.example.Order::*.condition-router":     {Kind: rule.KindCondition, Target: "com.example.Order::*"},
		"shop.tag-router":                           {Kind: rule.KindTag, Target: "shop"},
		"my.shop.tag-router":                        {Kind: rule.KindTag, Target: "my.shop"},
		"shop.script-router":                        {Kind: rule.KindScript, Target: "shop"},
		"com.example.Order::.affinity-router":       {Kind: rule.KindAffinity, Target: "com.example.Order::"},
		"shop.MESHAPPRULE":                          {Kind: rule.KindMesh, Target: "shop"},
		"shop.migration":                            {Kind: rule.KindMigration, Target: "shop"},
		rule.ConditionKey("web"):                    {Kind: rule.KindCondition, Target: "web"},
		rule.TagKey("shop"):                         {Kind: rule.KindTag, Target: "shop"},
		rule.ConfiguratorKey("shop"):                {Kind: rule.KindConfigurator, Target: "shop"},
		rule.ServiceConditionKey("a.B", "1.0", "g"): {Kind: rule.KindCondition, Target: "a.B:1.0:g"},
		rule.ServiceConditionKey("a.B", "", ""):     {Kind: rule.KindCondition, Target: "a.B::"},
	} {
		got, err := rule.ParseKey(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s: %+v (%s), %v", text, got, got, err)
		}
	}
	for _, text := range []string{"", "web", ".condition-router", "a.B:1.0.condition-router", "a.B:1:2:3.condition-router", "::.condition-router", "a.B::.tag-router",
		"../x.tag-router", "a/b.tag-router", "a b.tag-router", "web.conditon-router", "g*a.B:1.0.condition-router"} {
		if k, err := rule.ParseKey(text); err == nil || k != (rule.Key{}) {
			t.Errorf("%q is taken as %+v", text, k)
		}
	}
}
