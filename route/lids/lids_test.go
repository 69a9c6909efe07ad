package lids

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/route/routetest"
)

// As many ports keep their base LID as can, found by trying all sets of them; one
// whose LIDs nobody else wants always does.
func TestNameKeepsMost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := routetest.Line(t, rapid.IntRange(1, 4).Draw(rt, "switches"), rapid.IntRange(0, 2).Draw(rt, "hosts")).Compile()
		lmc := rapid.SliceOfN(rapid.Uint8Range(0, 3), g.NumEnds, g.NumEnds).Draw(rt, "LMC")
		held := &route.Held{Ends: route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}}
		for end := range held.Ends.Base {
			held.Ends.Base[end] = fabric.LID(rapid.IntRange(0, 24).Draw(rt, "base"))
		}
		e, err := AssignEach(g, lmc, held)
		if err != nil {
			rt.Fatal(err)
		}
		if err := e.Validate(g); err != nil {
			rt.Fatal(err)
		}
		kept := 0
		for end, base := range held.Ends.Base {
			if e.LMC[end] != lmc[end] || e.Base[end] == 0 {
				rt.Fatalf("end port %d has LID %d, LMC %d", end, e.Base[end], e.LMC[end])
			}
			if base != 0 && e.Base[end] == base {
				kept++
			}
		}
		if best := mostKept(held.Ends.Base, lmc); kept != best {
			rt.Fatalf("%v of LMC %v: %d ports keep their LID, %d can: %v", held.Ends.Base, lmc, kept, best, e.Base)
		}
	})
}

// mostKept tries all sets of ports.
func mostKept(base []fabric.LID, lmc []uint8) int {
	best := 0
sets:
	for set := range 1 << len(base) {
		owner := map[int]bool{}
		n := 0
		for end, b := range base {
			if set>>end&1 == 0 {
				continue
			}
			if b == 0 || int(b)%(1<<lmc[end]) != 0 {
				continue sets
			}
			for l := range 1 << lmc[end] {
				if owner[int(b)+l] {
					continue sets
				}
				owner[int(b)+l] = true
			}
			n++
		}
		best = max(best, n)
	}
	return best
}

// LIDs of absent ports are given away last, those of ports gone longest first.
func TestNameAbsent(t *testing.T) {
	g := routetest.Line(t, 2, 3).Compile() // 8 end ports
	absent := func(node fabric.GUID, base fabric.LID, lmc uint8) route.Absent {
		return route.Absent{Node: node, Port: 1, Base: base, LMC: lmc}
	}
	held := func(absent ...route.Absent) *route.Held { return &route.Held{Absent: absent} }
	all := func(from fabric.LID, n int) (list []route.Absent) {
		for i := range n {
			list = append(list, route.Absent{Node: 1, Port: uint8(i), Base: from + fabric.LID(i)})
		}
		return list
	}
	for _, c := range []struct {
		name string
		held *route.Held
		cap  int32 // entries of a forwarding table
		want string
	}{
		{"none", held(), 0, "[1 2 3 4 5 6 7 8]"},
		{"two", held(absent(1, 2, 1), absent(2, 5, 0)), 0, "[1 4 6 7 8 9 10 11]"},
		{"tables are full", held(absent(1, 3, 0), absent(2, 5, 0), absent(3, 1, 0)), 11, "[1 2 4 6 7 8 9 10]"},
		{"tables are too small", held(all(1, 8)...), 8, "[1 2 3 4 5 6 7 8]"},
		{"all are taken", held(all(1, int(fabric.MaxUnicastLID))...), 0, "[49144 49145 49146 49147 49148 49149 49150 49151]"},
	} {
		g.SwitchFDBCap[1] = c.cap
		e, err := AssignEach(g, make([]uint8, g.NumEnds), c.held)
		if err != nil || fmt.Sprint(e.Base) != c.want {
			t.Errorf("%s: %v %v, want %s", c.name, e.Base, err, c.want)
		}
		for _, a := range c.held.StillAbsent(&e) {
			for end := range int32(g.NumEnds) {
				if b := e.Base[end]; b >= a.Base && int(b) < int(a.Base)+1<<a.LMC {
					t.Errorf("%s: LID %d is %v's", c.name, b, a)
				}
			}
		}
	}
}

// A LID that a forwarding table has no entry for is not kept; the others are.
func TestNameBeyondTables(t *testing.T) {
	g := routetest.Line(t, 2, 1).Compile() // 4 end ports
	for _, c := range []struct {
		held []fabric.LID
		lmc  uint8 // of the first
		cap  int32
		want string
	}{
		{[]fabric.LID{99, 100, 5, 700}, 0, 100, "[99 1 5 2]"},
		{[]fabric.LID{99, 100, 5, 700}, 0, 0, "[99 100 5 700]"},
		{[]fabric.LID{96, 1, 5, 700}, 2, 100, "[96 1 5 2]"},
		{[]fabric.LID{96, 1, 5, 700}, 2, 99, "[8 1 5 2]"},
	} {
		g.SwitchFDBCap[1] = c.cap
		e, err := AssignEach(g, []uint8{c.lmc, 0, 0, 0}, &route.Held{Ends: route.Ends{Base: c.held}})
		if err != nil || fmt.Sprint(e.Base) != c.want {
			t.Errorf("%v in tables of %d: %v %v, want %s", c.held, c.cap, e.Base, err, c.want)
		}
	}
}

// Blocks of many LIDs, those in the way of one that grows, and what does not fit.
func TestName(t *testing.T) {
	g := routetest.Line(t, 20, 39).Compile() // 780 hosts, 20 switches
	lmc := make([]uint8, g.NumEnds)
	for i := range 400 {
		lmc[i] = uint8(i % 8)
	}
	held := &route.Held{Ends: route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}}
	keep := held.Ends.Base
	keep[7], keep[8], keep[1] = 128, 130, 301 // 130 is in the way of 7, which grows; 301 is odd
	e := routetest.Must(AssignEach(g, lmc, held))(t)
	if err := e.Validate(g); err != nil {
		t.Fatal(err)
	}
	if e.Base[8] != 130 || e.Base[7] == 128 || e.Base[1] == 301 {
		t.Error("kept", e.Base[:8])
	}
	for i := range lmc {
		lmc[i] = 7
	}
	_, err := AssignEach(g, lmc, &route.Held{})
	var refusal *Exhausted
	if !errors.As(err, &refusal) || refusal.Need != 800*128 || refusal.Kept || !strings.Contains(err.Error(), "needs most: 128") {
		t.Error(err)
	}
	// 377 blocks of 128 and a LID for each of the others: all but 472 of the LIDs, and
	// too many where 60 of those kept stand in blocks of their own.
	for i := range lmc {
		lmc[i] = 0
		if i < 377 {
			lmc[i] = 7
		}
	}
	e = routetest.Must(AssignEach(g, lmc, &route.Held{}))(t)
	if err := e.Validate(g); err != nil {
		t.Fatal(err)
	}
	clear(keep)
	for i := range 60 {
		keep[400+i] = fabric.LID(130 + 128*i)
	}
	if _, err = AssignEach(g, lmc, held); !errors.As(err, &refusal) || !refusal.Kept {
		t.Error(err)
	}
}

// TestManyFirst: ports with many LIDs come first, so that those with one fill the gaps.
func TestManyFirst(t *testing.T) {
	g := routetest.Line(t, 1, 4).Compile()
	e := routetest.Must(AssignEach(g, []uint8{0, 0, 0, 2, 0}, &route.Held{}))(t)
	if e.Top() != 8 || e.Base[3] != 4 {
		t.Errorf("LIDs %v, up to %d, want 8", e.Base, e.Top())
	}
}
