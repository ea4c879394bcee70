package admin

import (
	"encoding/json"
	"net/http"
	"time"
)

func (s *Server) traffic(w http.ResponseWriter, _ *http.Request) {
	if s.o.Traffic == nil {
		notCounted(w)
		return
	}
	reply(w, http.StatusOK, s.o.Traffic())
}

func notCounted(w http.ResponseWriter) {
	fail(w, Problem{Code: "no-traffic", Title: "Traffic is not counted", Status: http.StatusNotFound})
}

// trafficStream sends the counters once a second as server-sent events, until the client goes away or the server ends.
func (s *Server) trafficStream(w http.ResponseWriter, r *http.Request) {
	if s.o.Traffic == nil {
		notCounted(w)
		return
	}
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for {
		b, err := json.Marshal(s.o.Traffic())
		if err != nil {
			return
		}
		_ = control.SetWriteDeadline(time.Now().Add(10 * time.Second))
		if _, err := w.Write([]byte("event: traffic\ndata: " + string(b) + "\n\n")); err != nil {
			return
		}
		if err := control.Flush(); err != nil {
			return
		}
		select {
		case <-ticks.C:
		case <-s.o.Done:
			return
		case <-r.Context().Done():
			return
		}
	}
}
