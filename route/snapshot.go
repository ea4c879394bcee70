package route

import (
	"time"

	"github.com/dubway-go/dubway/diag"
	"github.com/dubway-go/dubway/service"
)

// Snapshot is one compiled state of a service: instances, rules and consumer. It is immutable as seen by callers
// and safe for concurrent use; inside it remembers decisions. Publish it with one atomic store and
// load it once per call.
type Snapshot struct {
	set   *service.Set
	built time.Time
	notes diag.List
}

// Set returns the instances.
func (s *Snapshot) Set() *service.Set { return s.set }

// Revision returns the revision of the instance set.
func (s *Snapshot) Revision() uint64 { return s.set.Revision() }

// Built returns when Compile made the snapshot.
func (s *Snapshot) Built() time.Time { return s.built }

// Diagnostics returns what Compile had to say about the rules. The caller must not change it.
func (s *Snapshot) Diagnostics() diag.List { return s.notes }
