package packet_test

import (
	"testing"

	"weft/route"
	"weft/sim/packet"
)

// TestWriteLanes: a victim of a busy host gets a third of its link; when switches and hosts have
// got the tables of a Plan that gives it a lane of its own, it gets two thirds.
func TestWriteLanes(t *testing.T) {
	g := qdr(graph(t, "mesh(2,hosts=4)"))
	a, b := g.HostsOf(0), g.HostsOf(1)
	lanes := make([]uint8, g.NumHosts)
	one := laned(t, g, lanes, low(route.ArbEntry{VL: 0, Weight: 64}))
	lanes[a[1]] = 1
	two := laned(t, g, lanes, low(route.ArbEntry{VL: 0, Weight: 64}, route.ArbEntry{VL: 1, Weight: 64}))
	got := [2]float64{}
	for i, from := range []packet.Time{packet.Millisecond, 3 * packet.Millisecond} {
		w := &perStream{streams(stream(a[0], b[0]), stream(b[1], b[0]), stream(b[2], b[0]), stream(a[1], b[3])), from, make([]int64, 4)}
		for i := range w.List {
			w.List[i].Bytes = 2048
		}
		c := packet.Default()
		c.VLs = 8
		s, err := packet.New(g, one, c, w)
		if err != nil {
			t.Fatal(err)
		}
		s.At(2*packet.Millisecond, func(s *packet.Sim) {
			for sw := range int32(g.NumSwitches) {
				s.WriteLanes(sw, two)
			}
			for e := range int32(g.NumEnds) {
				s.WriteHost(e, two)
			}
		})
		if _, err := s.Run(t.Context(), 0, from+packet.Millisecond); err != nil {
			t.Fatal(err)
		}
		got[i] = float64(w.bytes[3]) * 8e6 / float64(packet.Millisecond) / 32_000
	}
	if !within(got[0], 1./3, .03) || !within(got[1], 2./3, .03) {
		t.Errorf("%.3f of the link before, %.3f after", got[0], got[1])
	}
}

// TestTooManyLanes: tables of more lanes than the ports have end the run with an error.
func TestTooManyLanes(t *testing.T) {
	g := qdr(graph(t, "mesh(2,hosts=1)"))
	two := laned(t, g, []uint8{1, 0}, low(route.ArbEntry{VL: 0, Weight: 64}))
	for _, write := range []func(s *packet.Sim){
		func(s *packet.Sim) { s.WriteLanes(1, two) }, func(s *packet.Sim) { s.WriteHost(0, two) }, func(s *packet.Sim) { s.WriteHost(0, &route.Plan{}) },
	} {
		s, err := packet.New(g, planned(t, g, "minhop", 1, nil), packet.Default(), streams(stream(0, 1)))
		if err != nil {
			t.Fatal(err)
		}
		s.At(packet.Microsecond, write)
		if _, err := s.Run(t.Context(), 0, packet.Millisecond); err == nil {
			t.Error("no error")
		}
	}
}

// TestWrittenArbitration: packets on a lane that no arbitration entry names wait, and continue when
// a table with the lane is written, at a host and at a switch.
func TestWrittenArbitration(t *testing.T) {
	g := dumbbell(t)
	src, dst := g.HostsOf(0)[0], g.HostsOf(1)[0]
	both := laned(t, g, byHost(g, 1), low(route.ArbEntry{VL: 0, Weight: 1}, route.ArbEntry{VL: 1, Weight: 1}))
	first := laned(t, g, byHost(g, 1), low(route.ArbEntry{VL: 0, Weight: 1}))
	const opened = 50 * packet.Microsecond
	for _, write := range []func(*packet.Sim, *route.Plan){
		func(s *packet.Sim, p *route.Plan) { s.WriteHost(src, p) }, func(s *packet.Sim, p *route.Plan) { s.WriteLanes(0, p) },
	} {
		w := once(packet.Message{Src: src, Dst: dst, Bytes: 10_000, Start: packet.Microsecond})
		s, err := packet.New(g, both, packet.Default(), w)
		if err != nil {
			t.Fatal(err)
		}
		s.At(0, func(s *packet.Sim) { write(s, first) })
		s.At(opened, func(s *packet.Sim) { write(s, both) })
		r, err := s.Run(t.Context(), 0, packet.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		if r.Arrived != 5 || r.Flying != 0 || r.Finished < opened || r.Finished > opened+10*packet.Microsecond {
			t.Errorf("%d packets arrived, %d wait; over at %d ps", r.Arrived, r.Flying, r.Finished)
		}
	}
}
