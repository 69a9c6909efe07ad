package sm

import (
	"testing"

	"weft/wire"
	"weft/wire/mad"
)

// TestOverflow: the queue of unsolicited datagrams is bounded, and dropped ones are counted.
func TestOverflow(t *testing.T) {
	b := inbox{wake: make(chan struct{}, 1)}
	d := &wire.Datagram{MAD: make(mad.Datagram, mad.Size)}
	for range 3 * mostUnasked {
		b.putUnasked(d)
	}
	b.put(&wire.Result{Err: wire.ErrTimeout})
	if events, _ := b.take(); len(events) != mostUnasked+1 || b.dropped != 2*mostUnasked {
		t.Errorf("%d events, %d dropped", len(events), b.dropped)
	}
	b.putUnasked(d)
	if events, _ := b.take(); len(events) != 1 || b.dropped != 2*mostUnasked {
		t.Errorf("later: %d events, %d dropped", len(events), b.dropped)
	}
}
