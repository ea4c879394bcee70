package admin

import (
	"net/http"

	"github.com/dubway-go/dubway/service"
)

func (s *Server) services(w http.ResponseWriter, r *http.Request) {
	list, err := s.o.Services.List(r.Context())
	if err != nil {
		fail(w, Problem{Code: "registry", Title: "The registry could not be read", Status: http.StatusServiceUnavailable, Detail: err.Error()})
		return
	}
	if list == nil {
		list = []ServiceSummary{}
	}
	reply(w, http.StatusOK, map[string]any{"services": list})
}

func (s *Server) service(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	opened, err := s.o.Services.Open(r.Context(), Target{Service: q.Get("service"), Group: q.Get("group"), Version: q.Get("version"), Dialect: q.Get("dialect")})
	if err != nil {
		fail(w, callProblem(err))
		return
	}
	detail := ServiceDetail{Status: opened.State(), Providers: []Provider{}}
	opened.Providers(func(registry, group string, in *service.Instance) bool {
		detail.Providers = append(detail.Providers, Provider{Address: in.Address(), Registry: registry, Group: group, Application: in.Application(),
			Weight: in.Weight(""), Tag: in.Tag(), Labels: labels(in)})
		return true
	})
	reply(w, http.StatusOK, detail)
}

// plumbing are the provider parameters that are the same everywhere or say nothing to people.
var plumbing = map[string]bool{
	"application": true, "interface": true, "methods": true, "side": true, "dubbo": true, "dynamic": true, "generic": true, "timestamp": true,
	"pid": true, "release": true, "anyhost": true, "deprecated": true, "revision": true, "bind.ip": true, "bind.port": true, "dubbo.tag": true,
	"group": true, "version": true, "category": true, "check": true, "service-name-mapping": true, "prefer.serialization": true, "serialization": true,
	"ipv6": true, "qos.enable": true, "background": true, "executor-management-mode": true, "file-cache": true, "register": true, "weight": true,
	"owner": true, "token": true, "remote.application": true, "remote.timestamp": true, "warmup": true, "loadbalance": true, "cluster": true, "timeout": true, "retries": true, "metadata-type": true, "register-mode": true,
}

// maxLabels bounds how many labels of a provider are shown.
const maxLabels = 12

// labels returns the parameters of a provider that rules are likely to look at.
func labels(in *service.Instance) map[string]string {
	var out map[string]string
	for k, v := range in.Labels.All() {
		if plumbing[k] || len(v) > 64 || len(out) >= maxLabels {
			continue
		}
		if out == nil {
			out = make(map[string]string)
		}
		out[k] = v
	}
	return out
}
