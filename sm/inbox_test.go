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
	for i := range 3 * mostUnasked {
		d.Addr.SLID = uint16(1 + i)
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

// TestUnaskedShares: a port that sends without end, or a sender of directed routes whatever routes
// and LIDs it claims, leaves room for the traps of all others.
func TestUnaskedShares(t *testing.T) {
	for _, class := range []mad.Class{mad.ClassSMP, mad.ClassDirectedSMP} {
		b := inbox{wake: make(chan struct{}, 1)}
		d := &wire.Datagram{MAD: make(mad.Datagram, mad.Size)}
		mad.HeaderMgmtClass.Put(d.MAD, uint64(class))
		for i := range 3 * mostUnasked {
			if d.Addr.SLID = 7; class == mad.ClassDirectedSMP {
				d.Addr.SLID = uint16(1 + i)
			}
			b.putUnasked(d)
		}
		mad.HeaderMgmtClass.Put(d.MAD, uint64(mad.ClassSMP))
		dropped := b.dropped
		for lid := range uint16(200) {
			d.Addr.SLID = 10_000 + lid
			b.putUnasked(d)
		}
		if events, _ := b.take(); b.dropped != dropped || dropped == 0 || len(events) > 200+mostUnasked/10 {
			t.Errorf("%v: %d of 200 traps are dropped, %d events", class, b.dropped-dropped, len(events))
		}
	}
}
