package check

import (
	"slices"
	"testing"

	"weft/fabric"
	"weft/route"
	"weft/route/lids"
)

// good is a Plan without a fault, made anew for each corruption.
type good struct {
	g *fabric.Graph
	p *route.Plan
}

func tree(t *testing.T) good {
	g, p := plan(t, "rlft(4,3)", "updn", 1, nil)
	p.Choice = route.NewChoice(g.NumEnds, []route.ChoiceRow{{Source: 0, Target: 3, Offset: 1}, {Source: 2, Target: 3, Offset: 0}, {Source: 2, Target: 3, Offset: 1}})
	known := *g
	known.PortVLs = slices.Repeat([]uint8{4}, len(g.PortVLs))
	known.SwitchFDBCap = slices.Clone(g.SwitchFDBCap)
	known.Drained = slices.Clone(g.Drained)
	return good{&known, p}
}

func torus(t *testing.T) good {
	g, p := plan(t, "torus(5x5,hosts=1)", "dor", 0, nil)
	return good{g, p}
}

// ring is n switches in a ring with a host each. LIDs of the offsets that line
// accepts are reached along the line from the first switch to the last, the others
// round the ring in one direction. The SL, and with it the VL, is that of sl.
func ring(t *testing.T, n int, lmc uint8, line func(offset int) bool, sl func(src, dst int32) uint8) good {
	f := fabric.New("ring")
	for s := range n {
		if _, err := f.AddNode(fabric.Switch, fabric.GUID(1+s), 3, "s"); err != nil {
			t.Fatal(err)
		}
	}
	connect := func(a, b fabric.End) {
		if _, err := f.Connect(a, b, 4, fabric.HDR); err != nil {
			t.Fatal(err)
		}
	}
	for s := range n {
		connect(fabric.End{Node: fabric.NodeID(s), Port: 1}, fabric.End{Node: fabric.NodeID((s + 1) % n), Port: 2})
		h, err := f.AddNode(fabric.CA, fabric.GUID(100+s), 1, "h")
		if err != nil {
			t.Fatal(err)
		}
		connect(fabric.End{Node: h, Port: 1}, fabric.End{Node: fabric.NodeID(s), Port: 3})
	}
	g := f.Compile()
	ends, err := lids.Assign(g, lids.Options{LMC: lmc})
	if err != nil {
		t.Fatal(err)
	}
	p := &route.Plan{Ends: ends, Tables: route.NewTables(n, ends.Top()), SL2VL: route.UniformVL(g, route.VLTable{0, 1, 2, 3}), VLs: 4}
	for e := range int32(g.NumEnds) {
		for k := range ends.Count(e) {
			for s := range int32(n) {
				port := uint8(1)
				switch d := g.EndSwitch[e]; {
				case s == d:
					port = g.EndPort[e]
				case line(k) && s > d:
					port = 2
				}
				p.Tables.Set(s, ends.Base[e]+fabric.LID(k), port)
			}
		}
	}
	dst := make([]int32, int(ends.Top())+1)
	for l, e := range ends.ByLID() {
		dst[l] = -1
		if e >= 0 {
			dst[l] = g.EndSwitch[e]
		}
	}
	p.SL = route.NewSLs(g.EndSwitch, dst, n, n)
	for a := range int32(n) {
		for b := range int32(n) {
			p.SL.Set(a, b, sl(a, b))
		}
	}
	return good{g, p}
}

// lineAndRing has names for both ways; only the base LIDs are used.
func lineAndRing(t *testing.T) good {
	x := ring(t, 5, 1, func(offset int) bool { return offset == 0 }, func(_, _ int32) uint8 { return 0 })
	x.p.Choice = route.NewChoice(x.g.NumEnds, nil)
	return x
}

// halves sends everything round a ring of four; the lane follows the half in which
// the target is, which is free of cycles, but not for replies on the same lane.
func halves(t *testing.T) good {
	return ring(t, 4, 0, func(int) bool { return false }, func(_, dst int32) uint8 { return uint8(dst / 2) })
}

// dateline is a ring of seven, both ways round, with the classic remedy: SL 1 crosses
// the link from the last switch to the first, and is on VL 1 from there on, which a
// switch can tell by the port that it sends to.
func dateline(t *testing.T) good {
	const n = 7
	crosses := func(a, b int32) uint8 {
		if forward := (b-a+n)%n <= n/2; forward && b < a || !forward && b > a {
			return 1
		}
		return 0
	}
	x := ring(t, n, 0, func(int) bool { return false }, crosses)
	for lid, e := range x.p.Ends.ByLID() {
		for s := range int32(n) {
			if e >= 0 && s != x.g.EndSwitch[e] && (x.g.EndSwitch[e]-s+n)%n > n/2 {
				x.p.Tables.Set(s, fabric.LID(lid), 2)
			}
		}
	}
	m := x.p.SL2VL
	m.Pool = []route.VLTable{{0, 0}, {0, 1}}
	for s := range m.Switch {
		index := make([]uint16, 4)
		if s < n/2 {
			index[1] = 1
		}
		if s > n/2 {
			index[2] = 1
		}
		m.Switch[s] = route.SwitchSL2VL{By: route.ByOut, Index: index}
	}
	return x
}
