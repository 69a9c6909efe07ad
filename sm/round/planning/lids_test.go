package planning

import (
	"slices"
	"testing"

	"weft/fabric"
	"weft/route"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// TestAddStored: ports without a LID get their stored LID unless another port has it. Stored LIDs
// of absent ports are reserved, once.
func TestAddStored(t *testing.T) {
	g := smtest.Formula(t, "rlft(4,2)").Compile()
	guid := func(end int) fabric.GUID { return g.EndGUID[end] }
	h := &route.Held{Ends: route.Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}, Absent: []route.Absent{{Node: 7, Port: 1, Base: 40}}}
	h.Ends.Base[0], h.Ends.LMC[0] = 4, 1
	addStored(h, g, terms.LIDMap{
		guid(0): {Base: 30}, guid(1): {Base: 5}, guid(2): {Base: 20, LMC: 2}, guid(3): {Base: 2, LMC: 2}, // up to LID 5
		0x98: {Base: 50, LMC: 1}, 0x99: {Base: 40},
	})
	if got := h.Ends.Base[:5]; !slices.Equal(got, []fabric.LID{4, 0, 20, 0, 0}) || h.Ends.LMC[2] != 2 {
		t.Errorf("LIDs %v, LMCs %v", got, h.Ends.LMC[:5])
	}
	if want := []route.Absent{{Node: 7, Port: 1, GUID: 0x99, Base: 40}, {GUID: 0x98, Base: 50, LMC: 1}}; !slices.Equal(h.Absent, want) {
		t.Errorf("absent: %v", h.Absent)
	}
}
