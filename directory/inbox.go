package directory

import (
	"context"
	"sync"

	"github.com/dubway-go/dubway/source"
)

// inbox is where watchers leave news for the writer: only the newest of each kind is kept, so a burst
// costs one rebuild and an older state never overtakes a newer one.
type inbox struct {
	mu   sync.Mutex
	news news
	wake chan struct{}
}

// news is what arrived since the writer looked last.
type news struct {
	state     *source.Event[source.State]
	documents map[*watcher]source.Event[source.Document]
	// losses are contacts that broke; first contacts that a lost source made again are told by its next event.
	losses []loss
}

// loss is one piece of ambient news.
type loss struct {
	// from is nil for the registry.
	from *watcher
	err  error
	// final is set when the source gave up for good.
	final bool
}

// maxLosses bounds what a flapping source can pile up; the newest are kept.
const maxLosses = 64

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

func (b *inbox) signal() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *inbox) putState(ev source.Event[source.State]) {
	b.mu.Lock()
	b.news.state = &ev
	b.mu.Unlock()
	b.signal()
}

func (b *inbox) putDocument(w *watcher, ev source.Event[source.Document]) {
	b.mu.Lock()
	if b.news.documents == nil {
		b.news.documents = make(map[*watcher]source.Event[source.Document])
	}
	b.news.documents[w] = ev
	b.mu.Unlock()
	b.signal()
}

func (b *inbox) putLoss(l loss) {
	b.mu.Lock()
	if len(b.news.losses) >= maxLosses {
		b.news.losses = append(b.news.losses[:0], b.news.losses[1:]...)
	}
	b.news.losses = append(b.news.losses, l)
	b.mu.Unlock()
	b.signal()
}

// take empties the inbox.
func (b *inbox) take() news {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.news
	b.news = news{}
	return n
}

// watcher is one watched rule key.
type watcher struct {
	id     slotID
	key    string
	cancel context.CancelFunc
	// answered is set by the writer after the first event of any kind.
	answered bool
}
