package sm

import (
	"errors"
	"sync"

	"weft/internal/share"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// inbox queues ends of requests and unsolicited datagrams, from the requester's goroutine for the
// goroutine that steps the Manager.
type inbox struct {
	mu      sync.Mutex
	queue   []terms.Event       // not yet stepped
	unasked share.Count[uint16] // events of Kind Unasked in queue, by source
	dropped int                 // datagrams without room
	spare   []terms.Event       // memory for the next queue
	dead    error               // why the Transport ended by itself
	wake    chan struct{}
}

// put adds the end of a request.
func (b *inbox) put(res *wire.Result) {
	b.mu.Lock()
	if res.Err != nil && b.dead == nil && errors.Is(res.Err, wire.ErrClosed) {
		b.dead = res.Err
	}
	b.add(terms.AnswerEvent(res))
}

// unasked sorts unsolicited datagrams: SA queries go to the administration, all others to the
// Manager.
func (d *run) unasked(datagram *wire.Datagram) {
	if datagram.MAD.Class() == mad.ClassSA {
		d.Administration.Ask(datagram)
		return
	}
	if m := datagram.MAD; len(m) >= mad.Size && m.Method() == mad.Trap && m.Attr() == mad.AttrNotice && (m.Class() == mad.ClassSMP || m.Class() == mad.ClassDirectedSMP) {
		d.Administration.Trapped(datagram.Addr.SLID, m.Data())
	}
	d.inbox.putUnasked(datagram)
}

// mostUnasked bounds the unsolicited datagrams in the queue. Lost traps are repeated.
const mostUnasked = 1024

// putUnasked adds an unsolicited datagram. A source gets its share of the places. All directed
// routes are one source, since a sender can claim any route.
func (b *inbox) putUnasked(d *wire.Datagram) {
	source := d.Addr.SLID
	if d.MAD.Class() == mad.ClassDirectedSMP {
		source = 0
	}
	b.mu.Lock()
	if !b.unasked.Allows(share.Rule{}, source, mostUnasked) {
		b.dropped++
		b.mu.Unlock()
		return
	}
	b.unasked.Add(source, 1)
	ev := terms.Event{Kind: terms.Unasked, Datagram: new(wire.Datagram)}
	ev.Datagram.CopyFrom(d)
	b.add(ev)
}

// add adds an event, and unlocks.
func (b *inbox) add(ev terms.Event) {
	b.queue = append(b.queue, ev)
	first := len(b.queue) == 1
	b.mu.Unlock()
	if first {
		select {
		case b.wake <- struct{}{}:
		default:
		}
	}
}

// take returns the events since the last call. They are valid until the next one.
func (b *inbox) take() (events []terms.Event, dead error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	events = b.queue
	b.queue, b.spare = b.spare[:0], events
	b.unasked.Clear()
	return events, b.dead
}
