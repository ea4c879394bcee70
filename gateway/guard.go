package gateway

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// Guard keeps web pages of other sites away from a handler. Requests that change something and that a browser marks as coming
// from another site are refused. When localOnly is true, so are requests whose Host is neither an IP address, nor localhost,
// nor one of hosts: a name that somebody else resolves to this machine (DNS rebinding) does not get in.
// Programs that are no browsers are not affected by the first and send the right Host by themselves.
func Guard(next http.Handler, localOnly bool, hosts ...string) http.Handler {
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		bad(http.StatusForbidden, "cross-origin", "Refused for a page of another site", "requests from pages of other sites are not accepted here").Write(w)
	}))
	inner := cross.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if localOnly && !localHost(r.Host, hosts) {
			bad(http.StatusForbidden, "bad-host", "Refused for this host name",
				"this listener is for this machine: use its IP address or localhost, not "+show(r.Host)).Write(w)
			return
		}
		inner.ServeHTTP(w, r)
	})
}

func localHost(host string, allowed []string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	return host == "localhost" || net.ParseIP(host) != nil || slices.Contains(allowed, host)
}
