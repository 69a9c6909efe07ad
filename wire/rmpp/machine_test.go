package rmpp

import (
	"bytes"
	"cmp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/wire"
	"weft/wire/mad"
)

// fataler is what testing and rapid have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// message builds a message with data from a LID to another one.
func message(to uint16, method mad.Method, tid uint64, data []byte) *wire.Datagram {
	m, err := mad.Request{Method: method, Attr: mad.AttrNodeRecord, TID: tid}.SA(make([]byte, mad.Size), 0x5)
	if err != nil {
		panic(err)
	}
	m = append(m[:mad.SAHeader.Size:mad.SAHeader.Size], data...)
	m.PutSegment(1, len(data))
	return &wire.Datagram{Addr: wire.ToLID(to, 1), MAD: m}
}

// pair is two Machines, of LIDs 1 and 2, with a wire between them in virtual time.
type pair struct {
	now      time.Duration
	machines [2]*Machine
	got      [2][]wire.Datagram
	sent     int
	flying   []flight
	timedOut []uint64 // transaction IDs
	// fate says what becomes of a datagram: how late each copy of it comes.
	fate func(from int, d *wire.Datagram) []time.Duration
}

type flight struct {
	at    time.Duration
	order int
	to    int
	d     wire.Datagram
}

func newPair(cfg Config) *pair {
	return &pair{
		machines: [2]*Machine{New(cfg), New(cfg)},
		fate:     func(int, *wire.Datagram) []time.Duration { return []time.Duration{time.Millisecond} },
	}
}

func (p *pair) perform(at int, actions []Action) {
	for i := range actions {
		a := &actions[i]
		var d wire.Datagram
		d.CopyFrom(&a.Datagram)
		switch a.Kind {
		case Deliver:
			p.got[at] = append(p.got[at], d)
			continue
		case TimedOut:
			p.timedOut = append(p.timedOut, d.MAD.TID())
			continue
		case Send:
		}
		d.Addr.SLID = uint16(at + 1)
		for _, late := range p.fate(at, &d) {
			p.sent++
			p.flying = append(p.flying, flight{p.now + late, p.sent, int(d.Addr.DLID) - 1, d})
		}
	}
}

func (p *pair) send(from int, d *wire.Datagram) {
	p.perform(from, p.machines[from].Send(p.now, d, nil))
}

// run advances time until nothing is under way.
func (p *pair) run(t fataler) {
	t.Helper()
	for range 200_000 {
		slices.SortFunc(p.flying, func(a, b flight) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order)) })
		next, who := time.Duration(1<<62), -1
		for i, m := range p.machines {
			if due, ok := m.Deadline(); ok && due < next {
				next, who = due, i
			}
		}
		switch {
		case len(p.flying) > 0 && p.flying[0].at <= next:
			f := p.flying[0]
			p.flying = p.flying[1:]
			p.now = f.at
			p.perform(f.to, p.machines[f.to].Arrived(p.now, &f.d, nil))
		case who >= 0:
			p.now = next
			p.perform(who, p.machines[who].Tick(p.now, nil))
		default:
			return
		}
	}
	t.Fatalf("the machines never come to rest")
}

// TestLossyWire sends messages both ways over a wire that loses, repeats and delays: each arrives
// once as it was sent, or never and is counted as failed; and where few are lost all arrive.
func TestLossyWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Config{
			Window:  rapid.IntRange(1, MaxWindow).Draw(t, "window"),
			Timeout: 100 * time.Millisecond, Retries: rapid.IntRange(1, 40).Draw(t, "retries"),
		}
		p := newPair(cfg)
		loss := rapid.IntRange(0, 60).Draw(t, "loss in percent")
		rng := rapid.IntRange(0, 99)
		lateBy := rapid.IntRange(0, 150).Draw(t, "late by ms")
		p.fate = func(int, *wire.Datagram) (copies []time.Duration) {
			late := func() time.Duration {
				return time.Duration(rapid.IntRange(0, lateBy).Draw(t, "late")) * time.Millisecond
			}
			if rng.Draw(t, "lost") >= loss {
				copies = append(copies, late())
			}
			if rng.Draw(t, "twice") < 10 {
				copies = append(copies, late())
			}
			return copies
		}
		want := [2]map[uint64][]byte{{}, {}}
		for i := range rapid.IntRange(1, 4).Draw(t, "messages") {
			from := rapid.IntRange(0, 1).Draw(t, "from")
			n := rapid.SampledFrom([]int{0, 1, 64, 199, 200, 201, 400, 1999, 2000, 9000}).Draw(t, "bytes")
			data := make([]byte, n)
			for j := range data {
				data[j] = byte(j*7 + i + j/200)
			}
			d := message(uint16(2-from), rapid.SampledFrom([]mad.Method{mad.GetTableResp, mad.GetMulti}).Draw(t, "method"), uint64(i+1), data)
			want[1-from][uint64(i+1)] = d.MAD
			p.send(from, d)
		}
		p.run(t)
		for to := range want {
			for _, d := range p.got[to] {
				tid := d.MAD.TID()
				sent, ok := want[to][tid]
				if !ok || !bytes.Equal(sent, d.MAD) || mad.Check(d.MAD) != nil || d.Addr.SLID != uint16(2-to) {
					t.Fatalf("message %d was sent as %d bytes and came as %d, or twice", tid, len(sent), len(d.MAD))
				}
				delete(want[to], tid)
			}
			sender, receiver := p.machines[1-to].Counters(), p.machines[to].Counters()
			if left := uint64(len(want[to])); left > sender.Failed || sender.Sent > receiver.Received {
				t.Fatalf("%d have not come, %d failed, %d were acknowledged, %d came", left, sender.Failed, sender.Sent, receiver.Received)
			}
			if loss <= 5 && cfg.Retries >= 20 && len(want[to]) > 0 {
				t.Fatalf("%d messages have not come over a wire that loses %d%%", len(want[to]), loss)
			}
		}
		for _, m := range p.machines {
			if len(m.in)+len(m.out) > 0 {
				t.Fatalf("messages are left over")
			}
		}
	})
}

// TestWindow: an acknowledgement allows exactly its window of segments, and a good wire carries
// each once.
func TestWindow(t *testing.T) {
	p := newPair(Config{Window: 8})
	acks, data, most := 0, 0, 0
	acked := 0
	p.fate = func(from int, d *wire.Datagram) []time.Duration {
		switch mad.RMPPType.Get(d.MAD) {
		case mad.RMPPTypeAck:
			acks++
			acked = int(mad.RMPPSegmentNumber.Get(d.MAD))
		case mad.RMPPTypeData:
			data++
			most = max(most, int(mad.RMPPSegmentNumber.Get(d.MAD))-acked)
		}
		return []time.Duration{time.Millisecond}
	}
	p.send(0, message(2, mad.GetTableResp, 7, make([]byte, 200*100)))
	p.run(t)
	if data != 100 || len(p.got[1]) != 1 || most > 8 {
		t.Fatalf("%d segments for 100, %d messages, %d ahead of acknowledgements", data, len(p.got[1]), most)
	}
	if want := 100/8 + 1; acks > want+1 {
		t.Errorf("%d acknowledgements, want about %d", acks, want)
	}
}

// TestProgress: acknowledged segments count: a wire that loses the first copy of each segment
// carries a message of any length.
func TestProgress(t *testing.T) {
	p := newPair(Config{Window: 1, Retries: 1})
	seen := map[uint64]bool{}
	p.fate = func(_ int, d *wire.Datagram) []time.Duration {
		if n := mad.RMPPSegmentNumber.Get(d.MAD); mad.RMPPType.Get(d.MAD) == mad.RMPPTypeData && !seen[n] {
			seen[n] = true
			return nil
		}
		return []time.Duration{time.Millisecond}
	}
	p.send(0, message(2, mad.GetTableResp, 7, make([]byte, 2000)))
	p.run(t)
	if len(p.got[1]) != 1 || p.machines[0].Counters().Repeated != 10 {
		t.Errorf("%d messages, %+v", len(p.got[1]), p.machines[0].Counters())
	}
}

// TestTransactions: of requests only the low half of the transaction ID counts, since media change
// the other one.
func TestTransactions(t *testing.T) {
	p := newPair(Config{})
	sent := uint64(0)
	p.fate = func(_ int, d *wire.Datagram) []time.Duration {
		sent++
		mad.HeaderTransactionID.Put(d.MAD, sent<<32|d.MAD.TID()&0xFFFFFFFF)
		return []time.Duration{time.Millisecond}
	}
	for _, tid := range []uint64{0x100, 0x10100, 0x1000100} {
		p.send(0, message(2, mad.GetMulti, tid, make([]byte, 1000)))
	}
	p.run(t)
	if got := p.machines[0].Counters().Sent; got != 3 || len(p.got[1]) != 3 {
		t.Errorf("of 3 messages %d came, %d were acknowledged", len(p.got[1]), got)
	}
}

// TestFirstSegment: the first segment of a message says what ib_umad's does.
func TestFirstSegment(t *testing.T) {
	m := New(Config{})
	a := m.Send(0, message(2, mad.GetTableResp, 7, make([]byte, 224)), nil)
	if len(a) != 1 {
		t.Fatalf("%d datagrams before the first acknowledgement", len(a))
	}
	d := a[0].Datagram.MAD
	if mad.RMPPFlags.Get(d) != 3 || mad.RMPPPayloadLength.Get(d) != 264 || mad.RMPPSegmentNumber.Get(d) != 1 || len(d) != mad.Size {
		t.Errorf("first segment of 224 bytes: flags %d, length %d", mad.RMPPFlags.Get(d), mad.RMPPPayloadLength.Get(d))
	}
}

// segment makes a segment as a peer sends it.
func segment(tid uint64, kind, flags, number, length uint64) *wire.Datagram {
	d := message(1, mad.GetTableResp, tid, make([]byte, 200))
	d.Addr.SLID = 2
	if kind == mad.RMPPTypeAck {
		mad.HeaderMethod.Put(d.MAD, uint64(mad.GetTable))
	}
	mad.RMPPType.Put(d.MAD, kind)
	mad.RMPPFlags.Put(d.MAD, flags)
	mad.RMPPSegmentNumber.Put(d.MAD, number)
	mad.RMPPPayloadLength.Put(d.MAD, length)
	return d
}

// TestContradictions: what cannot be is answered by an ABORT that says why, and the message is
// forgotten.
func TestContradictions(t *testing.T) {
	const data, ack, act = mad.RMPPTypeData, mad.RMPPTypeAck, mad.RMPPActive
	for name, c := range map[string]struct {
		status uint64
		after  []*wire.Datagram
	}{
		"segment 0":                    {mad.RMPPStatusBadSegment, []*wire.Datagram{segment(1, data, act, 0, 0)}},
		"first without its flag":       {mad.RMPPStatusBadSegment, []*wire.Datagram{segment(1, data, act, 1, 0)}},
		"second with the first's flag": {mad.RMPPStatusBadSegment, []*wire.Datagram{segment(1, data, act|mad.RMPPFirst, 2, 0)}},
		"a type that is none":          {mad.RMPPStatusBadType, []*wire.Datagram{segment(1, 9, act, 1, 0)}},
		"longer than a segment":        {mad.RMPPStatusBadLength, []*wire.Datagram{segment(1, data, act|mad.RMPPFirst, 1, 0), segment(1, data, act|mad.RMPPLast, 2, 300)}},
		"shorter than its overhead":    {mad.RMPPStatusBadLength, []*wire.Datagram{segment(1, data, act|mad.RMPPFirst, 1, 0), segment(1, data, act|mad.RMPPLast, 2, 5)}},
		"not as long as declared":      {mad.RMPPStatusBadSegment, []*wire.Datagram{segment(1, data, act|mad.RMPPFirst, 1, 3*220), segment(1, data, act|mad.RMPPLast, 2, 220)}},
		"beyond the window":            {mad.RMPPStatusSegmentTooBig, []*wire.Datagram{segment(1, data, act|mad.RMPPFirst, 1, 0), segment(1, data, act, 99, 0)}},
		"too long":                     {mad.RMPPStatusNoResources, []*wire.Datagram{segment(1, data, act|mad.RMPPFirst, 1, 1<<30)}},
		"an end before the end": {mad.RMPPStatusBadSegment, []*wire.Datagram{
			segment(1, data, act|mad.RMPPFirst, 1, 0), segment(1, data, act|mad.RMPPLast, 4, 220), segment(1, data, act|mad.RMPPLast, 3, 220),
		}},
		"an end before data": {mad.RMPPStatusBadSegment, []*wire.Datagram{
			segment(1, data, act|mad.RMPPFirst, 1, 0), segment(1, data, act, 5, 0), segment(1, data, act|mad.RMPPLast, 3, 220),
		}},
		"data behind the end": {mad.RMPPStatusBadSegment, []*wire.Datagram{
			segment(1, data, act|mad.RMPPFirst, 1, 0), segment(1, data, act|mad.RMPPLast, 4, 220), segment(1, data, act, 5, 0),
		}},
		"an acknowledgement of what was not sent": {mad.RMPPStatusSegmentTooBig, []*wire.Datagram{segment(7, ack, act, 2, 9)}},
		"a window behind it":                      {mad.RMPPStatusWindowTooSmall, []*wire.Datagram{segment(7, ack, act, 1, 0)}},
	} {
		m := New(Config{Window: 32})
		m.Send(0, message(2, mad.GetTableResp, 7, make([]byte, 1000)), nil)
		var last []Action
		for _, d := range c.after {
			last = m.Arrived(0, d, nil)
		}
		if len(last) != 1 || mad.RMPPType.Get(last[0].Datagram.MAD) != mad.RMPPTypeAbort || mad.RMPPStatus.Get(last[0].Datagram.MAD) != c.status {
			t.Errorf("%s: %d actions, want an ABORT with status %d", name, len(last), c.status)
			continue
		}
		if last[0].Datagram.Addr.DLID != 2 || last[0].Datagram.MAD.TID() != c.after[0].MAD.TID() {
			t.Errorf("%s: the ABORT goes to LID %d", name, last[0].Datagram.Addr.DLID)
		}
		if len(m.in) > 0 {
			t.Errorf("%s: the message is kept", name)
		}
	}
}

// TestEnds: STOP and ABORT end a message without a word, and a peer that never acknowledges is
// given up.
func TestEnds(t *testing.T) {
	for _, kind := range []uint64{mad.RMPPTypeStop, mad.RMPPTypeAbort} {
		m := New(Config{})
		m.Send(0, message(2, mad.GetTableResp, 7, make([]byte, 1000)), nil)
		end := segment(7, kind, mad.RMPPActive, 0, 0)
		mad.HeaderMethod.Put(end.MAD, uint64(mad.GetTable)) // of the receiver
		if a := m.Arrived(0, end, nil); len(a) > 0 || len(m.out) > 0 {
			t.Errorf("type %d: %d actions, %d messages left", kind, len(a), len(m.out))
		}
	}
	for _, c := range []struct {
		cfg     Config
		seconds int
		aborts  int
		data    int
	}{
		{Config{Retries: 3}, 4, 1, 4},
		{Config{Retries: wire.NoRetries}, 1, 1, 1},
		{Config{Retries: wire.NoRetries, Silent: true}, 1, 0, 1},
	} {
		p := newPair(c.cfg)
		data, aborts := 0, 0
		p.fate = func(_ int, d *wire.Datagram) []time.Duration {
			if mad.RMPPType.Get(d.MAD) == mad.RMPPTypeAbort {
				aborts++
			} else {
				data++
			}
			return nil
		}
		p.send(0, message(2, mad.GetTableResp, 7, make([]byte, 1000)))
		p.run(t)
		if !slices.Equal(p.timedOut, []uint64{7}) {
			t.Errorf("%+v: timed out: %v", c.cfg, p.timedOut)
		}
		if p.now != time.Duration(c.seconds)*time.Second || aborts != c.aborts || data != c.data || p.machines[0].Counters().Failed != 1 {
			t.Errorf("%+v: given up after %v, %d segments, %d ABORTs", c.cfg, p.now, data, aborts)
		}
	}
}

// TestNextProgram: the request of another program behind a LID is no repetition of one before, even
// if the low half of its transaction ID is the same.
func TestNextProgram(t *testing.T) {
	m := New(Config{})
	for _, c := range []struct {
		tid       uint64
		delivered bool
	}{{0x1_0000_0015, true}, {0x1_0000_0015, false}, {0x2_0000_0015, true}} {
		got := m.Arrived(0, message(1, mad.GetMulti, c.tid, make([]byte, 100)), nil)
		if delivered := got[len(got)-1].Kind == Deliver; delivered != c.delivered {
			t.Errorf("transaction %#x: delivered: %v", c.tid, delivered)
		}
	}
}

// TestPatience: a message may have its own patience.
func TestPatience(t *testing.T) {
	p := newPair(Config{})
	p.fate = func(int, *wire.Datagram) []time.Duration { return nil }
	d := message(2, mad.GetTableResp, 7, make([]byte, 1000))
	p.perform(0, p.machines[0].SendWithin(0, d, Patience{Timeout: 100 * time.Millisecond, Retries: 2}, nil))
	p.run(t)
	if want := 300 * time.Millisecond; p.now != want || len(p.timedOut) != 1 {
		t.Errorf("given up after %v, want %v; timed out: %v", p.now, want, p.timedOut)
	}
}

// TestBounds: a flood of beginnings takes no more room than is allowed, and does not keep a message
// out later.
func TestBounds(t *testing.T) {
	m := New(Config{Messages: 10})
	for tid := range uint64(1000) {
		m.Arrived(0, segment(tid, mad.RMPPTypeData, mad.RMPPActive|mad.RMPPFirst, 1, 0), nil)
		m.Send(0, message(2, mad.GetTableResp, tid, make([]byte, 1000)), nil)
	}
	if len(m.in) != 10 || len(m.out) != 10 || m.Counters().Refused != 2*990 {
		t.Errorf("%d and %d messages under way, %d refused", len(m.in), len(m.out), m.Counters().Refused)
	}
	for now := time.Duration(0); len(m.in)+len(m.out) > 0; now += time.Second {
		m.Tick(now, nil)
	}
	whole := segment(5000, mad.RMPPTypeData, mad.RMPPActive|mad.RMPPFirst|mad.RMPPLast, 1, 220)
	for range 50 { // complete ones make room
		mad.HeaderTransactionID.Put(whole.MAD, whole.MAD.TID()+1)
		if a := m.Arrived(0, whole, nil); len(a) != 2 || a[1].Kind != Deliver {
			t.Fatalf("a message of one segment is not delivered: %d actions", len(a))
		}
	}
}

// FuzzArrived: no datagram causes a panic, and memory stays within bounds.
func FuzzArrived(f *testing.F) {
	f.Add([]byte{1, 1, 3, 0, 0, 9, 1, 220, 1, 1, 2, 0, 0, 220})
	f.Add([]byte{1, 1, 2, 7, 0, 1, 1, 5, 2, 1, 255})
	f.Fuzz(func(t *testing.T, script []byte) {
		m := New(Config{Messages: 4, Longest: 10_000})
		m.Send(0, message(2, mad.GetTableResp, 1, make([]byte, 3000)), nil)
		now := time.Duration(0)
		for len(script) >= 7 {
			d := segment(uint64(script[0]%3), uint64(script[1]), uint64(script[2]), uint64(script[3])|uint64(script[4]>>7)<<31, uint64(script[5])<<8|uint64(script[6]))
			if script[4]&1 != 0 {
				d.MAD = d.MAD[:min(len(d.MAD), int(script[5]))]
			}
			script = script[7:]
			now += 300 * time.Millisecond
			for _, a := range append(m.Arrived(now, d, nil), m.Tick(now, nil)...) {
				if a.Kind == Deliver && mad.Check(a.Datagram.MAD) != nil {
					t.Fatalf("a message of %d bytes is delivered, and its header says otherwise", len(a.Datagram.MAD))
				}
			}
			for _, r := range m.in {
				if len(m.in) > 4 || len(r.message) > 10_000+MaxWindow*mad.RMPPSegmentData {
					t.Fatalf("%d messages, %d bytes", len(m.in), len(r.message))
				}
			}
		}
	})
}
