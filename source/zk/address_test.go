package zk_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dubway-go/dubway/source/zk"
)

func TestParseAddress(t *testing.T) {
	plain := zk.Address{Servers: []string{"h1:2181"}, Root: "/dubbo", ConfigRoot: "/dubbo/config"}
	with := func(change func(*zk.Address)) zk.Address {
		a := plain
		change(&a)
		return a
	}
	for text, want := range map[string]zk.Address{
		"zookeeper://h1:2181":  plain,
		" zookeeper://h1 ":     plain,
		"zookeeper://h1:2181/": plain,
		"zookeeper://h1:2181/org.apache.dubbo.registry.RegistryService?application=x&pid=1": plain,
		"zookeeper://h1:2181/com.alibaba.dubbo.registry.RegistryService?interface=y":        plain,
		"zookeeper://h1:2181?backup=h2:2182,h3,h1:2181":                                     with(func(a *zk.Address) { a.Servers = []string{"h1:2181", "h2:2182", "h3:2181"} }),
		"zookeeper://h1,h2:2182?backup=h3":                                                  with(func(a *zk.Address) { a.Servers = []string{"h1:2181", "h2:2182", "h3:2181"} }),
		"zookeeper://h1,h2:2182/?group=g":                                                   with(func(a *zk.Address) { a.Servers, a.Root = []string{"h1:2181", "h2:2182"}, "/g" }),
		"zookeeper://[fd00::1]:2182?backup=[fd00::2]":                                       with(func(a *zk.Address) { a.Servers = []string{"[fd00::1]:2182", "[fd00::2]:2181"} }),
		"zookeeper://h1?group=/a/b/":                                                        with(func(a *zk.Address) { a.Root = "/a/b" }),
		"zookeeper://h1?group=/":                                                            with(func(a *zk.Address) { a.Root = "/" }),
		"zookeeper://h1?namespace=n":                                                        with(func(a *zk.Address) { a.ConfigRoot = "/n/config" }),
		"zookeeper://h1?chroot=/c&group=g":                                                  with(func(a *zk.Address) { a.Root, a.ConfigRoot = "/c/g", "/c/dubbo/config" }),
		"zookeeper://u:p@h1":                                                                with(func(a *zk.Address) { a.User, a.Password = "u", "p" }),
		"zookeeper://h1?username=u&password=p=q":                                            with(func(a *zk.Address) { a.User, a.Password = "u", "p=q" }),
		"zookeeper://h1?session=4000&timeout=250":                                           with(func(a *zk.Address) { a.Session, a.Dial = 4*time.Second, 250*time.Millisecond }),
	} {
		got, err := zk.ParseAddress(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("ParseAddress(%q) = %+v, %v\nwant %+v", text, got, err, want)
		}
	}
}

func TestParseAddressSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "has no scheme",
		"127.0.0.1:2181":                 "write zookeeper://127.0.0.1:2181",
		"nacos://h1:8848":                "not zookeeper",
		"zookeeper://":                   "server",
		"zookeeper://h1:0x":              "",
		"zookeeper://h1:99999":           "65535",
		"zookeeper://h1?backup=:2181":    "host is missing",
		"zookeeper://h1/mychroot":        "chroot=/mychroot",
		"zookeeper://h1?group=a//b":      "group=a//b",
		"zookeeper://h1?group=../b":      "not the path of a node",
		"zookeeper://h1?session=soon":    "milliseconds",
		"zookeeper://h1?timeout=-1":      "milliseconds",
		"zookeeper://h1?password=secret": "no username",
	} {
		_, err := zk.ParseAddress(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseAddress(%q): %v, want %q in it", text, err, want)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("ParseAddress(%q): the error shows the password: %v", text, err)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{"zookeeper://u:p@h1:2181,h2?backup=h3&group=/a/b&session=1", "zookeeper://[::1]?chroot=x", "zookeeper://,,?backup=,", "x://"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := zk.ParseAddress(text)
		if err != nil {
			return
		}
		if len(a.Servers) == 0 || !strings.HasPrefix(a.Root, "/") || !strings.HasPrefix(a.ConfigRoot, "/") || strings.Contains(a.Root, "//") {
			t.Errorf("ParseAddress(%q) = %+v", text, a)
		}
	})
}
