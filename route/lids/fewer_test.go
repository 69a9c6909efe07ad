package lids

import (
	"testing"

	"weft/fabric"
	"weft/route"
	"weft/route/routetest"
)

// TestFewer: where the forwarding tables have no room for 2^LMC LIDs at every port, ports without
// LIDs get fewer first, and those with LIDs keep all of theirs as long as that helps.
func TestFewer(t *testing.T) {
	f := routetest.Line(t, 2, 3) // 6 hosts, 2 switches
	f.Nodes[1].LinearFDBCap = 24
	g := f.Compile()
	held := &route.Held{Ends: route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}}
	for end := range 4 {
		held.Ends.Base[end] = fabric.LID(4 + 4*end)
	}
	e, err := Assign(g, Options{LMC: 2, Held: held, Fewer: true})
	if err != nil || e.BeyondTable(g) >= 0 {
		t.Fatal(err, e)
	}
	for end := range 6 {
		if end < 4 && (e.LMC[end] != 2 || e.Base[end] != held.Ends.Base[end]) || end >= 4 && e.LMC[end] != 1 {
			t.Errorf("host %d: LID %d, LMC %d", end, e.Base[end], e.LMC[end])
		}
	}
	f.Nodes[1].LinearFDBCap = 12
	g = f.Compile()
	if e, err = Assign(g, Options{LMC: 2, Held: held, Fewer: true}); err != nil || e.BeyondTable(g) >= 0 || e.MaxLMC() > 0 || e.Total() != 8 {
		t.Errorf("room for one LID each: %v, %+v", err, e)
	}
	held.Ends.Base[0], held.Ends.Base[1], held.Ends.Base[2], held.Ends.Base[3] = 1, 2, 3, 4
	f.Nodes[1].LinearFDBCap = 0
	g = f.Compile()
	if e, err = Assign(g, Options{LMC: 2, Held: held, Kept: true}); err != nil || e.LMC[0] != 0 || e.LMC[3] != 0 || e.LMC[4] != 2 || e.Base[1] != 2 {
		t.Errorf("ports in use: %v, %+v", err, e)
	}
	f.Nodes[1].LinearFDBCap = 8
	g = f.Compile()
	if e, err = Assign(g, Options{LMC: 2, Held: held, Fewer: true}); err != nil || e.BeyondTable(g) < 0 {
		t.Errorf("no room at all: %v, %+v", err, e)
	}
}
