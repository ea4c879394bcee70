package zk

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dubway-go/dubway/durl"
)

const (
	defaultPort    = 2181
	defaultRoot    = "dubbo"
	ruleGroup      = "dubbo" // governance rules live in this group whatever the registry's own is (spec §10.5)
	defaultSession = 30 * time.Second
	defaultDial    = 5 * time.Second
)

// Address is a registry address taken apart.
type Address struct {
	// Servers are the members of the ensemble, "host:port", in the order written.
	Servers []string
	// Root is the folder of the services, "/dubbo" unless the address has a group.
	Root string
	// ConfigRoot is the folder of the config centre, "/dubbo/config" unless the address has a namespace.
	ConfigRoot string
	// User and Password are digest credentials; both are empty when there are none.
	User, Password string
	// Session and Dial are the session and connect timeouts that the address asks for, 0 when it does not.
	Session, Dial time.Duration
}

// ParseAddress reads an address such as
//
//	zookeeper://h1:2181?backup=h2:2181,h3:2181&group=dubbo&namespace=dubbo&username=u&password=p
//
// Servers may also stand in one comma list before the "?", user and password before an "@". Parameters:
// backup, group (root of the services), namespace (root of the rules), chroot (put before both), username,
// password, session and timeout (milliseconds). Others are ignored, as Dubbo's addresses carry many. A path is
// refused, except the RegistryService that Dubbo itself puts there: Dubbo ignores paths, other
// ZooKeeper clients take them for a chroot.
func ParseAddress(text string) (Address, error) {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(text), "://")
	if !ok {
		return Address{}, fmt.Errorf("address %q has no scheme: write zookeeper://%s", text, text)
	}
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	authority, tail := rest[:end], rest[end:]
	first, others, _ := strings.Cut(authority, ",")
	u, err := durl.Parse(scheme + "://" + first + tail)
	if err != nil {
		return Address{}, fmt.Errorf("ZooKeeper address: %w", err)
	}
	return fromURL(u, others)
}

func fromURL(u durl.URL, others string) (Address, error) {
	if u.Scheme() != "zookeeper" {
		return Address{}, fmt.Errorf("address %s: scheme %q is not zookeeper", shown(u), u.Scheme())
	}
	if p := u.Path(); p != "" && !strings.HasSuffix(p, ".RegistryService") {
		return Address{}, fmt.Errorf("address %s: the path %q has no meaning here; for another root write ?group=%s, to put everything below a node write ?chroot=/%s", shown(u), p, p, p)
	}
	a := Address{User: u.Get("username", u.User()), Password: u.Get("password", u.Password())}
	if a.User == "" && a.Password != "" {
		return Address{}, fmt.Errorf("address %s: it has a password but no username", shown(u))
	}
	for _, server := range append([]string{u.Address()}, strings.Split(others+","+u.Get("backup", ""), ",")...) {
		if server = strings.TrimSpace(server); server == "" {
			continue
		}
		full, err := withPort(server)
		if err != nil {
			return Address{}, fmt.Errorf("address %s: server %q: %w", shown(u), server, err)
		}
		if !slices.Contains(a.Servers, full) {
			a.Servers = append(a.Servers, full)
		}
	}
	if len(a.Servers) == 0 {
		return Address{}, fmt.Errorf("address %s names no server: write zookeeper://host:2181", shown(u))
	}
	if err := a.roots(u); err != nil {
		return Address{}, fmt.Errorf("address %s: %w", shown(u), err)
	}
	for _, d := range []struct {
		key string
		to  *time.Duration
	}{{"session", &a.Session}, {"timeout", &a.Dial}} {
		ms, err := u.Int(d.key, 0)
		if err != nil || ms < 0 {
			return Address{}, fmt.Errorf("address %s: %s=%s is not a number of milliseconds", shown(u), d.key, u.Get(d.key, ""))
		}
		*d.to = time.Duration(ms) * time.Millisecond
	}
	return a, nil
}

func (a *Address) roots(u durl.URL) error {
	chroot, err := folder("chroot", u.Get("chroot", ""))
	if err != nil {
		return err
	}
	group, err := folder("group", u.Get("group", defaultRoot))
	if err != nil {
		return err
	}
	namespace, err := folder("namespace", u.Get("namespace", defaultRoot))
	if err != nil {
		return err
	}
	a.Root, a.ConfigRoot = chroot+group, chroot+namespace+"/config"
	if a.Root == "" {
		a.Root = "/"
	}
	return nil
}

// folder brings "x", "/x" and "/x/" into the form "/x"; "" and "/" become "".
func folder(name, text string) (string, error) {
	text = strings.Trim(text, "/")
	if text == "" {
		return "", nil
	}
	for part := range strings.SplitSeq(text, "/") {
		if part == "" || part == "." || part == ".." || badForNode(part) {
			return "", fmt.Errorf("%s=%s is not the path of a node", name, text)
		}
	}
	return "/" + text, nil
}

// badForNode reports characters that ZooKeeper does not allow in a path.
func badForNode(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r <= 0x1f || r >= 0x7f && r <= 0x9f || r >= 0xf000 && r <= 0xf8ff || r >= 0xfff0 && r <= 0xffff || r == '\uFFFD'
	})
}

func withPort(server string) (string, error) {
	host, port, err := net.SplitHostPort(server)
	if err != nil {
		host, port = strings.Trim(server, "[]"), strconv.Itoa(defaultPort)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", fmt.Errorf("port %q is not between 1 and 65535", port)
	}
	if host == "" {
		return "", fmt.Errorf("the host is missing")
	}
	return net.JoinHostPort(host, port), nil
}

// servers renders the ensemble for messages.
func (a Address) servers() string { return strings.Join(a.Servers, ",") }

// shown renders an address for messages, without its secrets.
func shown(u durl.URL) string { return u.Without("password").Redacted() }
