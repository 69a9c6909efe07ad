package rmpp

import (
	"testing"
	"time"

	"weft/wire"
	"weft/wire/mad"
)

// TestReceiverMethod: what a receiver sends has the method of the message with the other response
// bit, what a sender sends its own.
func TestReceiverMethod(t *testing.T) {
	for method, receiver := range map[mad.Method]mad.Method{mad.GetTableResp: mad.GetTable, mad.GetMulti: mad.GetMultiResp} {
		m := New(Config{Retries: -1})
		d := segment(1, mad.RMPPTypeData, mad.RMPPActive|mad.RMPPFirst|mad.RMPPLast, 1, 220)
		mad.HeaderMethod.Put(d.MAD, uint64(method))
		ack := m.Arrived(0, d, nil)[0].Datagram.MAD
		if mad.RMPPType.Get(ack) != mad.RMPPTypeAck || ack.Method() != receiver || ack.TID() != 1 {
			t.Errorf("%v is acknowledged by %v", method, ack.Method())
		}
		mad.RMPPSegmentNumber.Put(d.MAD, 0)
		if abort := m.Arrived(0, d, nil)[0].Datagram.MAD; mad.RMPPType.Get(abort) != mad.RMPPTypeAbort || abort.Method() != receiver {
			t.Errorf("%v is refused by %v", method, abort.Method())
		}
		m.Send(0, message(2, method, 7, make([]byte, 1000)), nil)
		end := m.Tick(time.Hour, nil)
		if abort := end[0].Datagram.MAD; mad.RMPPType.Get(abort) != mad.RMPPTypeAbort || abort.Method() != method {
			t.Errorf("%v is given up by %v", method, abort.Method())
		}
	}
}

// TestBurst: a receiver that allows everything gets no more than MaxWindow segments before it
// acknowledges some.
func TestBurst(t *testing.T) {
	m := New(Config{})
	m.Send(0, message(2, mad.GetTableResp, 7, make([]byte, 1<<20)), nil)
	for acked, want := range []int{MaxWindow - 1, 1, 1, 1} {
		a := m.Arrived(0, segment(7, mad.RMPPTypeAck, mad.RMPPActive, uint64(acked), 1<<32-1), nil)
		if len(a) != want {
			t.Errorf("%d segments after an acknowledgement of %d, want %d", len(a), acked, want)
		}
	}
}

// TestStandsStill: a message ends in time that gets nowhere, though its peer says something again
// and again.
func TestStandsStill(t *testing.T) {
	m := New(Config{})
	m.Send(0, message(2, mad.GetTableResp, 7, make([]byte, 1000)), nil)
	for now := time.Duration(0); now < 20*time.Second; now += 500 * time.Millisecond {
		m.Arrived(now, segment(7, mad.RMPPTypeAck, mad.RMPPActive, 0, 1), nil)
		m.Arrived(now, segment(8, mad.RMPPTypeData, mad.RMPPActive|mad.RMPPFirst, 1, 0), nil)
		m.Arrived(now, segment(8, mad.RMPPTypeData, mad.RMPPActive, 3, 0), nil)
		m.Tick(now, nil)
	}
	if c := m.Counters(); c.Failed != 1 || c.Broken < 2 {
		t.Errorf("%+v", c)
	}
}

// TestBytes: messages under way have no more bytes together than is allowed, and room comes back
// when they end.
func TestBytes(t *testing.T) {
	m := New(Config{Bytes: 10_000})
	for tid := range uint64(100) {
		m.Send(0, message(2, mad.GetTableResp, tid, make([]byte, 1000)), nil)
		m.Arrived(0, segment(tid, mad.RMPPTypeData, mad.RMPPActive|mad.RMPPFirst, 1, 0), nil)
		for n := uint64(2); n < 10; n++ {
			m.Arrived(0, segment(tid, mad.RMPPTypeData, mad.RMPPActive, n, 0), nil)
		}
		in, out := 0, 0
		for _, s := range m.out {
			out += len(s.message)
		}
		for _, r := range m.in {
			in += len(r.message)
		}
		if in > 10_000 || out > 10_000 || in != m.inUse.bytes || out != m.outUse.bytes {
			t.Fatalf("%d bytes come, %d go, counted as %d and %d", in, out, m.inUse.bytes, m.outUse.bytes)
		}
	}
	if m.Counters().Refused < 150 {
		t.Errorf("%d are refused", m.Counters().Refused)
	}
	for now := time.Duration(0); len(m.in)+len(m.out) > 0; now += time.Second {
		m.Tick(now, nil)
	}
	if m.inUse.held != (held{}) || m.outUse.held != (held{}) || len(m.inUse.of)+len(m.outUse.of) > 0 {
		t.Errorf("%+v and %+v are counted of no message", m.inUse, m.outUse)
	}
}

// TestShares: a peer that asks for much, and acknowledges nothing, takes its share of the messages
// and of the bytes, and leaves room for others.
func TestShares(t *testing.T) {
	for _, c := range []struct{ bytes, sent, want int }{{100, 300, 94}, {500 << 10, 9, 3}, {6 << 20, 4, 1}} {
		m := New(Config{Messages: 1024, Bytes: 16 << 20})
		data := make([]byte, c.bytes)
		for tid := range uint64(c.sent) {
			m.Send(0, message(7, mad.GetTableResp, tid, data), nil)
		}
		if len(m.out) != c.want || m.Counters().Refused != uint64(c.sent-c.want) {
			t.Errorf("%d messages of %d bytes are under way to one peer, want %d", len(m.out), c.bytes, c.want)
		}
		m.Send(0, message(8, mad.GetTableResp, 1, data), nil)
		if len(m.out) != c.want+1 {
			t.Errorf("there is no room for another peer beside %d messages of %d bytes", c.want, c.bytes)
		}
	}
}

// TestSharesOfSenders: a peer that begins many messages, or sends long ones, leaves room for
// others. A request that is too long is refused.
func TestSharesOfSenders(t *testing.T) {
	from := func(lid uint16, d *wire.Datagram) *wire.Datagram {
		d.Addr.SLID = lid
		return d
	}
	m := New(Config{Messages: 1024})
	for tid := range uint64(2000) {
		m.Arrived(0, from(7, segment(tid, mad.RMPPTypeData, mad.RMPPActive|mad.RMPPFirst, 1, 0)), nil)
	}
	if len(m.in) != 94 {
		t.Errorf("%d messages of one peer are under way", len(m.in))
	}
	for lid := range uint16(100) {
		d := from(100+lid, segment(1, mad.RMPPTypeData, mad.RMPPActive|mad.RMPPFirst, 1, 0))
		if a := m.Arrived(0, d, nil); mad.RMPPType.Get(a[0].Datagram.MAD) != mad.RMPPTypeAck {
			t.Fatalf("the message of port %d is refused", lid)
		}
	}
	m = New(Config{Bytes: 1 << 20})
	for n, peers := uint64(1), uint64(20); n < 200; n++ {
		for tid := range peers {
			flags := uint64(mad.RMPPActive)
			if n == 1 {
				flags |= mad.RMPPFirst
			}
			m.Arrived(0, from(7, segment(tid, mad.RMPPTypeData, flags, n, 0)), nil)
		}
	}
	if b := m.inUse.bytes; b < 50_000 || b > 1<<20/10+40_000 {
		t.Errorf("a peer has %d bytes under way", b)
	}
	whole := from(7, segment(1, mad.RMPPTypeData, mad.RMPPActive|mad.RMPPFirst, 1, 0))
	mad.HeaderMethod.Put(whole.MAD, uint64(mad.GetMulti))
	mad.RMPPPayloadLength.Put(whole.MAD, 1<<20)
	if a := m.Arrived(0, whole, nil); mad.RMPPType.Get(a[0].Datagram.MAD) != mad.RMPPTypeAbort {
		t.Error("a request of 1 MiB is accepted")
	}
}
