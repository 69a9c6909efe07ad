package packet_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/sim/packet"
)

// TestPortDown: a stream over a failed link loses the packets on the link and the ones routed to
// it, and continues when it is up again.
func TestPortDown(t *testing.T) {
	const fails, works = 200 * packet.Microsecond, 300 * packet.Microsecond
	g := qdr(graph(t, "mesh(2,hosts=1)"))
	p := planned(t, g, "minhop", 1, nil)
	for _, host := range []bool{false, true} {
		port := g.FromPort[g.OutOf(0)[0]]
		if host {
			port = g.EndPort[0]
		}
		w := streams(stream(0, 1))
		w.List[0].Stop, w.List[0].Bytes = 500*packet.Microsecond, 2048
		s, err := packet.New(g, p, packet.Default(), w)
		if err != nil {
			t.Fatal(err)
		}
		s.At(fails, func(s *packet.Sim) { s.SetPortDown(0, port, true) })
		s.At(works, func(s *packet.Sim) { s.SetPortDown(0, port, false) })
		r, err := s.Run(t.Context(), 0, packet.Second)
		if err != nil {
			t.Fatal(err)
		}
		// 32 Gbit/s are 1,928 packets a millisecond. Packets sent to a failed link between switches
		// are lost; a failed host link keeps the host from sending.
		if !within(float64(r.Arrived), 1928*.4, .01) || r.Flying != 0 {
			t.Errorf("%d arrived, %d flying", r.Arrived, r.Flying)
		}
		switch l := r.Lost; {
		case l.Total() != l.OnLink+l.NoLink || l.OnLink > 2:
			t.Errorf("%+v", l)
		case host && l.Total() > 2, !host && !within(float64(l.NoLink), 1928*.1, .02):
			t.Errorf("link of a host %v: %+v", host, l)
		}
	}
}

// TestSwitchDown: a stopped switch loses the packets in its buffers, even those for a port without
// credits.
func TestSwitchDown(t *testing.T) {
	g := qdr(graph(t, "mesh(3,hosts=2)"))
	p := planned(t, g, "minhop", 1, nil)
	last := g.HostsOf(2)
	w := streams(stream(g.HostsOf(0)[0], last[0]), stream(g.HostsOf(0)[1], last[0]), stream(last[1], last[0]))
	for i := range w.List {
		w.List[i].Stop, w.List[i].Bytes = 200*packet.Microsecond, 2048
	}
	s, err := packet.New(g, p, packet.Default(), w)
	if err != nil {
		t.Fatal(err)
	}
	s.At(100*packet.Microsecond, func(s *packet.Sim) { s.SetSwitchDown(1, true) })
	s.At(101*packet.Microsecond, func(s *packet.Sim) { s.SetSwitchDown(1, false) })
	r, err := s.Run(t.Context(), 0, packet.Second)
	if err != nil {
		t.Fatal(err)
	}
	// A buffer holds 7 packets. What waits in others when the streams stop arrives after that.
	if l := r.Lost; l.Reboot < 5 || l.Reboot > 7 || l.OnLink < 1 || l.Total() > 30 || r.Flying != 0 || r.Arrived < 385 || r.Arrived > 430 {
		t.Errorf("%d arrived, %+v", r.Arrived, r.Lost)
	}
}

// TestTwoFaults: a link works only when its cable and the switches at both ends do.
func TestTwoFaults(t *testing.T) {
	g := qdr(graph(t, "mesh(2,hosts=1)"))
	p := planned(t, g, "minhop", 1, nil)
	port := g.FromPort[g.OutOf(0)[0]]
	faults := []func(s *packet.Sim, down bool){
		func(s *packet.Sim, down bool) { s.SetSwitchDown(0, down) },
		func(s *packet.Sim, down bool) { s.SetSwitchDown(1, down) },
		func(s *packet.Sim, down bool) { s.SetPortDown(0, port, down) },
	}
	for i := range faults {
		for k := range faults {
			if i == k {
				continue
			}
			// From end port 0 to the switch next to it and beyond, while the second fault lasts.
			w := once(packet.Message{Src: 0, Dst: 1, Bytes: 100, Start: 30_000_000}, packet.Message{Src: 0, Dst: 1, Bytes: 100, Start: 50_000_000})
			s, err := packet.New(g, p, packet.Default(), w)
			if err != nil {
				t.Fatal(err)
			}
			s.At(10_000_000, func(s *packet.Sim) { faults[i](s, true); faults[k](s, true) })
			s.At(20_000_000, func(s *packet.Sim) { faults[i](s, false) })
			s.At(40_000_000, func(s *packet.Sim) { faults[k](s, false) })
			r, err := s.Run(t.Context(), 0, packet.Second)
			if err != nil {
				t.Fatal(err)
			}
			// What waits for its own link is sent when it works.
			held := k == 0
			if want := int64(1); !held && (r.Arrived != want || r.Lost.NoLink != 1) || held && r.Arrived != 2 {
				t.Errorf("faults %d and %d: %d arrived, %+v", i, k, r.Arrived, r.Lost)
			}
		}
	}
}

// TestNewTables: an entry that is removed loses packets, one that is written sends them on again.
func TestNewTables(t *testing.T) {
	g := qdr(graph(t, "mesh(2,hosts=1)"))
	p := planned(t, g, "minhop", 1, nil)
	w := streams(stream(0, 1))
	w.List[0].Stop, w.List[0].Bytes = 300*packet.Microsecond, 2048
	s, err := packet.New(g, p, packet.Default(), w)
	if err != nil {
		t.Fatal(err)
	}
	lid := p.Ends.Base[1]
	var empty route.Block
	for i := range empty {
		empty[i] = route.NoPort
	}
	s.At(100*packet.Microsecond, func(s *packet.Sim) {
		s.WriteBlock(0, int(lid)/route.BlockSize, &empty)
		if s.Port(0, lid) != route.NoPort || s.Port(1, lid) == route.NoPort {
			t.Error("another entry was written")
		}
	})
	s.At(200*packet.Microsecond, func(s *packet.Sim) {
		s.WriteBlock(0, int(lid)/route.BlockSize, p.Tables.Block(0, int(lid)/route.BlockSize))
	})
	r, err := s.Run(t.Context(), 0, packet.Second)
	if err != nil {
		t.Fatal(err)
	}
	if !within(float64(r.Lost.NoEntry), 1928*.1, .02) || r.Lost.Total() != r.Lost.NoEntry || !within(float64(r.Arrived), 1928*.2, .02) {
		t.Errorf("%d arrived, %+v", r.Arrived, r.Lost)
	}
}

// TestNoSuchSwitch: what does not exist can fail as well.
func TestNoSuchSwitch(t *testing.T) {
	g := qdr(graph(t, "mesh(2,hosts=1)"))
	s, err := packet.New(g, planned(t, g, "minhop", 1, nil), packet.Default(), once(packet.Message{Src: 0, Dst: 1, Bytes: 1}))
	if err != nil {
		t.Fatal(err)
	}
	for _, sw := range []int32{-1, 0, 2} {
		for _, down := range []bool{true, false} {
			s.SetPortDown(sw, 200, down)
			if sw != 0 {
				s.SetPortDown(sw, 1, down)
				s.SetSwitchDown(sw, down)
			}
		}
		s.WriteBlock(sw, -1, &route.Block{})
		s.WriteBlock(sw, 1000, &route.Block{})
		if sw != 0 && s.Port(sw, 1) != route.NoPort || s.Port(sw, 0xFFFF) != route.NoPort {
			t.Errorf("switch %d has an entry", sw)
		}
	}
	s.At(-5, func(s *packet.Sim) { s.Timer(-1, 0) })
	if r, err := s.Run(t.Context(), 0, packet.Second); err != nil || r.Arrived != 2 {
		t.Errorf("%v %v", r, err)
	}
}

// phases is random traffic, and after a moment messages from every end port to another.
type phases struct {
	*packet.Streams
	*batch
}

func (w phases) Begin(s *packet.Sim) { w.Streams.Begin(s) }
func (w phases) Timer(s *packet.Sim, id int32) {
	if id < 1<<20 {
		w.Streams.Timer(s, id)
		return
	}
	for i, m := range w.list {
		if s.Send(m.Src, m.Dst, m.Bytes, int32(1<<20+i)) != nil {
			w.lost += m.Bytes
		}
	}
}

func (w phases) Sent(s *packet.Sim, m *packet.Message) {
	if m.Tag < 1<<20 {
		w.Streams.Sent(s, m)
	}
}

func (w phases) Delivered(s *packet.Sim, m *packet.Message) {
	if m.Tag >= 1<<20 {
		w.batch.Delivered(s, m)
	}
}

// disturb makes ports and switches fail and recover at random, and writes tables of one Plan or the
// other, until a time when all is up with the first Plan.
func disturb(s *packet.Sim, g *fabric.Graph, plans [2]*route.Plan, rng *rand.Rand, until packet.Time) {
	at := func() packet.Time { return packet.Time(rng.Int64N(int64(until))) }
	for range rng.IntN(12) {
		sw := int32(rng.IntN(g.NumSwitches))
		port, index, plan := uint8(rng.IntN(int(g.SwitchPorts[sw])+1)), rng.IntN(plans[0].Tables.NumBlocks()), plans[rng.IntN(2)]
		down := rng.IntN(2) == 0
		switch rng.IntN(3) {
		case 0:
			s.At(at(), func(s *packet.Sim) { s.SetPortDown(sw, port, down) })
		case 1:
			s.At(at(), func(s *packet.Sim) { s.SetSwitchDown(sw, down) })
		default:
			s.At(at(), func(s *packet.Sim) { s.WriteBlock(sw, index, plan.Tables.Block(sw, index)) })
		}
	}
	s.At(until, func(s *packet.Sim) {
		for sw := range int32(g.NumSwitches) {
			s.SetSwitchDown(sw, false)
			for port := range g.SwitchPorts[sw] + 1 {
				s.SetPortDown(sw, uint8(port), false)
			}
			for i := range plans[0].Tables.NumBlocks() {
				s.WriteBlock(sw, i, plans[0].Tables.Block(sw, i))
			}
		}
	})
}

// TestFaults: whatever fails while traffic runs, packets are lost for counted reasons alone, all is
// over when the traffic ends, every credit is back (Run checks that), and when all works again
// nothing more is lost.
func TestFaults(t *testing.T) {
	lost, stuck, runs := packet.Losses{}, 0, 0
	checks(t, 40, 400, func(t *rapid.T) {
		g := mixed(graph(t, drawn(t)), rapid.Uint64().Draw(t, "rates"))
		a, b := drawnPlan(t, g, []string{"updn", "nue", "dfsssp"}), planned(t, g, "minhop", 1, nil)
		if a == nil || len(targetsOf(a)) < 2 || judged(t, g, a).Disconnected > 0 || a.Tables.NumBlocks() != b.Tables.NumBlocks() {
			return
		}
		ends := targetsOf(a)
		w := phases{busy(t, g, ends), &batch{}}
		for i := range w.Streams.List {
			w.Streams.List[i].Stop = 30 * packet.Microsecond
		}
		for i, e := range ends {
			w.list = append(w.list, packet.Message{Src: e, Dst: ends[(i+1)%len(ends)], Bytes: 5000})
		}
		c := drawnConfig(t)
		c.GoOn = true
		s, err := packet.New(g, a, c, w)
		if err != nil {
			t.Fatal(err)
		}
		disturb(s, g, [2]*route.Plan{a, b}, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "faults"), 7)), 40*packet.Microsecond)
		s.Timer(10*packet.Millisecond, 1<<20)
		r, err := s.Run(t.Context(), 10*packet.Millisecond, packet.Second)
		if err != nil {
			t.Fatal(err)
		}
		runs++
		lost.OnLink, lost.NoLink, lost.Reboot = lost.OnLink+r.Lost.OnLink, lost.NoLink+r.Lost.NoLink, lost.Reboot+r.Lost.Reboot
		lost.TooOld, lost.NoEntry = lost.TooOld+r.Lost.TooOld, lost.NoEntry+r.Lost.NoEntry
		if r.Lost.NoLane != 0 || c.HeadOfQueue == 0 && r.Lost.TooOld != 0 {
			t.Fatalf("%+v", r.Lost)
		}
		if r.Deadlock != nil && c.HeadOfQueue == 0 { // old and new tables in one network
			stuck++
			return
		}
		if r.Flying != 0 || len(w.order) != len(w.list) || c.HeadOfQueue == 0 && w.lost != 0 {
			t.Fatalf("at %d ps %d flying, %d of %d messages with %d bytes lost, %+v", r.End, r.Flying, len(w.order), len(w.list), w.lost, r.Lost)
		}
	}, func() string {
		if lost.OnLink == 0 || lost.NoLink == 0 || lost.Reboot == 0 {
			return fmt.Sprintf("no losses of a kind: %+v", lost)
		}
		return ""
	})
	t.Logf("%d runs, %d with a deadlock of two Plans; %+v", runs, stuck, lost)
}

// TestSmallerBehindTooOld: when a packet that waited for credits is dropped for its age, a smaller
// one behind it with credits is sent at once.
func TestSmallerBehindTooOld(t *testing.T) {
	g := qdr(graph(t, "mesh(2,hosts=3)")) // hosts 0 to 2 and 3 to 5
	g.EndRate[3] = 100                    // it takes 170 us to send a large packet there
	p := planned(t, g, "minhop", 1, nil)
	c := packet.Default()
	c.Buffer, c.OldestFirst, c.HeadOfQueue = 50*64, true, 20*packet.Microsecond // a large packet takes 34 blocks, a small one 3
	w := once(packet.Message{Src: 0, Dst: 3, Bytes: 2 * 2048}, packet.Message{Src: 1, Dst: 4, Bytes: 64, Start: 10 * packet.Microsecond})
	r := run(t, g, p, c, w, 0, 100*packet.Microsecond)
	if r.Lost.TooOld != 1 || r.Packets[4] != 1 {
		t.Errorf("%d packets too old, %d small ones arrived, want 1 each", r.Lost.TooOld, r.Packets[4])
	}
}
