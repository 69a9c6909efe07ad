package route

import (
	"slices"
	"testing"

	"weft/fabric"
	"weft/route/routetest"
)

// withoutHost is a line of two switches with two hosts each, without the first host's cable, and
// whole.
func withoutHost(t *testing.T) (without, whole *fabric.Graph) {
	t.Helper()
	f := routetest.Line(t, 2, 2)
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.CA {
			f.Nodes[i].Ports[1].GUID = f.Nodes[i].GUID + 0x100000
		}
	}
	whole = f.Compile()
	f.SetLinkDown(0, true)
	without = f.Compile()
	if without.NumHosts != whole.NumHosts-1 {
		t.Fatalf("%d hosts without a cable of %d", without.NumHosts, whole.NumHosts)
	}
	return without, whole
}

// TestHold: a port that goes leaves its LIDs behind, and gets them when it comes back, whether it
// is known by node and number, by its own GUID, or by both. All others keep theirs.
func TestHold(t *testing.T) {
	without, whole := withoutHost(t)
	p := &Plan{Ends: Ends{Base: []fabric.LID{4, 6, 8, 10, 1, 2}, LMC: []uint8{1, 1, 1, 1, 0, 0}}}
	gone := Hold(whole, p, without)
	want := Absent{Node: whole.EndNodeGUID[0], Port: 1, GUID: whole.EndGUID[0], Base: 4, LMC: 1}
	if !slices.Equal(gone.Absent, []Absent{want}) || !slices.Equal(gone.Ends.Base, p.Ends.Base[1:]) || !slices.Equal(gone.Ends.LMC, p.Ends.LMC[1:]) {
		t.Fatalf("without a host: %+v", gone)
	}
	byGUID, byNode, other := want, want, want
	byGUID.Node, byGUID.Port, byNode.GUID, other.Node, other.GUID = 0, 0, 0, 0x77, 0x78
	for _, a := range []Absent{want, byGUID, byNode} {
		back := Hold(without, &Plan{Ends: gone.Ends, Absent: []Absent{a, other}}, whole)
		if !slices.Equal(back.Ends.Base, p.Ends.Base) || !slices.Equal(back.Ends.LMC, p.Ends.LMC) || !slices.Equal(back.Absent, []Absent{other}) {
			t.Errorf("known by %s: %+v", a.Name(), back)
		}
	}
}

// TestStillAbsent: a port of which somebody else has a LID is not waited for.
func TestStillAbsent(t *testing.T) {
	h := Held{Absent: []Absent{{Node: 1, Port: 1, Base: 4, LMC: 1}, {Node: 2, Port: 1, Base: 8, LMC: 1}, {Node: 3, Port: 1, Base: 40}}}
	got := h.StillAbsent(&Ends{Base: []fabric.LID{5, 12}, LMC: []uint8{0, 0}})
	if !slices.Equal(got, h.Absent[1:]) {
		t.Errorf("still absent: %+v", got)
	}
}

// TestHostLMC: that of all hosts with LIDs, 0 where they differ.
func TestHostLMC(t *testing.T) {
	_, g := withoutHost(t)
	for _, c := range []struct {
		base []fabric.LID
		lmc  []uint8
		want uint8
	}{
		{[]fabric.LID{4, 8, 0, 12, 1, 2}, []uint8{2, 2, 1, 2, 0, 0}, 2},
		{[]fabric.LID{4, 8, 16, 12, 1, 2}, []uint8{2, 2, 1, 2, 0, 0}, 0},
		{make([]fabric.LID, 6), []uint8{2, 2, 2, 2, 0, 0}, 0},
	} {
		if got := (&Held{Ends: Ends{Base: c.base, LMC: c.lmc}}).HostLMC(g); got != c.want {
			t.Errorf("LIDs %v, LMCs %v: %d, want %d", c.base, c.lmc, got, c.want)
		}
	}
}
