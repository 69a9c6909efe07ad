package clients

import (
	"testing"

	"weft/wire"
	"weft/wire/mad"
)

// TestFairQueue: sources take turns, however many queries they queue. The queue is bounded, and the
// source with the most queries loses the excess.
func TestFairQueue(t *testing.T) {
	q := newFairQueue(make(chan struct{}, 1))
	put := func(lid uint16, tid int) *wire.Datagram {
		m := make(mad.Datagram, mad.Size)
		mad.HeaderTransactionID.Put(m, uint64(tid))
		return q.push(&wire.Datagram{Addr: wire.Address{SLID: lid}, MAD: m})
	}
	refused := 0
	for i := range 2 * mostQueuedOfSource {
		if put(1, i) != nil {
			refused++
		}
	}
	put(2, 0)
	put(3, 0)
	put(2, 1)
	if refused != mostQueuedOfSource {
		t.Errorf("%d of %d are refused", refused, 2*mostQueuedOfSource)
	}
	var d wire.Datagram
	for i, want := range []uint16{1, 2, 3, 1, 2, 1, 1} {
		if !q.pop(&d) || d.Addr.SLID != want {
			t.Fatalf("query %d is of LID %d, want %d", i, d.Addr.SLID, want)
		}
	}
	if d.MAD.TID() != 3 {
		t.Errorf("the queries of a source come out of order: %d", d.MAD.TID())
	}
	for q.pop(&d) {
	}
	if q.n != 0 || len(q.sources) != 0 || len(q.turn) != 0 {
		t.Errorf("what is empty has %d queries of %d sources, %d turns", q.n, len(q.sources), len(q.turn))
	}
	for lid := uint16(1); q.n < mostQueued; lid++ {
		for i := range mostQueuedOfSource / 2 {
			put(lid, i)
		}
	}
	for i := range 10 {
		put(1, mostQueuedOfSource+i)
	}
	last := put(5000, 7)
	if last == nil || last.Addr.SLID != 1 || q.n != mostQueued {
		t.Errorf("a full queue of %d lets go %+v", q.n, last)
	}
	for range 40 {
		if q.pop(&d) && d.Addr.SLID == 5000 {
			return
		}
	}
	t.Error("one who comes late to a full queue does not get his turn")
}

// BenchmarkFairQueue puts and takes queries of a hundred sources.
func BenchmarkFairQueue(b *testing.B) {
	q := newFairQueue(make(chan struct{}, 1))
	d := wire.Datagram{MAD: make(mad.Datagram, mad.Size)}
	var out wire.Datagram
	b.ReportAllocs()
	for i := range b.N {
		d.Addr.SLID = uint16(i % 100)
		q.push(&d)
		if i > 1000 {
			q.pop(&out)
		}
	}
}
