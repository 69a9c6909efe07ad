package lids

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route/routetest"
)

// seen gives the nodes of a line LIDs as seen: by node of the Fabric.
func seen(t testing.TB, switches, hosts int, lids map[int]fabric.LID) *fabric.Graph {
	f := routetest.Line(t, switches, hosts)
	for n, lid := range lids {
		port := 1
		if f.Nodes[n].Type == fabric.Switch {
			port = 0
		}
		f.Nodes[n].Ports[port].LID = lid
	}
	return f.Compile()
}

func TestAssign(t *testing.T) {
	const top = fabric.MaxUnicastLID
	for _, c := range []struct {
		name string
		seen map[int]fabric.LID // nodes 0, 1: switches; 2, 3: hosts
		opt  Options
		want []fabric.LID // hosts, then switches
	}{
		{"fresh", map[int]fabric.LID{0: 9, 2: 8}, Options{Fresh: true}, []fabric.LID{1, 2, 3, 4}},
		{"none seen", nil, Options{}, []fabric.LID{1, 2, 3, 4}},
		{"none seen, LMC 2", nil, Options{LMC: 2}, []fabric.LID{4, 8, 1, 2}},
		{"some seen", map[int]fabric.LID{0: 1, 3: 2}, Options{}, []fabric.LID{3, 2, 1, 4}},
		{"all seen", map[int]fabric.LID{0: 50, 1: 60, 2: 7, 3: 5}, Options{}, []fabric.LID{7, 5, 50, 60}},
		{"seen twice", map[int]fabric.LID{2: 7, 3: 7}, Options{}, []fabric.LID{7, 1, 2, 3}},
		{"unaligned", map[int]fabric.LID{2: 6, 3: 8}, Options{LMC: 2}, []fabric.LID{4, 8, 1, 2}},
		{"within another's", map[int]fabric.LID{2: 8, 0: 9}, Options{LMC: 2}, []fabric.LID{4, 12, 9, 1}},
		{"highest", map[int]fabric.LID{2: top}, Options{}, []fabric.LID{top, 1, 2, 3}},
		{"highest, LMC 7", map[int]fabric.LID{2: top - 127}, Options{LMC: 7}, []fabric.LID{top - 127, 128, 1, 2}},
		{"beyond unicast", map[int]fabric.LID{2: top + 1, 3: 0xFFFF}, Options{}, []fabric.LID{1, 2, 3, 4}},
	} {
		g := seen(t, 2, 1, c.seen)
		e, err := Assign(g, c.opt)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, e.Base); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Whatever was seen: every end port gets its LIDs, valid, and those seen are kept
// if they were valid and no other port had one of them.
func TestAssignProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		switches, hosts := rapid.IntRange(1, 5).Draw(rt, "switches"), rapid.IntRange(0, 5).Draw(rt, "hosts")
		opt := Options{LMC: uint8(rapid.IntRange(0, fabric.MaxLMC).Draw(rt, "lmc"))}
		lid := rapid.OneOf(rapid.Uint16(), rapid.Uint16Range(0, 300), rapid.Just(uint16(fabric.MaxUnicastLID)))
		lids := map[int]fabric.LID{}
		for n := range switches * (hosts + 1) {
			lids[n] = fabric.LID(lid.Draw(rt, "seen"))
		}
		g := seen(t, switches, hosts, lids)
		e, err := Assign(g, opt)
		if err != nil {
			rt.Fatal(err)
		}
		if err := e.Validate(g); err != nil {
			rt.Fatal(err)
		}
		by := e.ByLID()
		for end := range int32(g.NumEnds) {
			wantLMC := opt.LMC
			if g.IsPortZero(end) {
				wantLMC = 0
			}
			if e.LMC[end] != wantLMC || e.Count(end) != 1<<wantLMC {
				rt.Fatalf("end port %d: LMC %d, %d LIDs", end, e.LMC[end], e.Count(end))
			}
			for k := range e.Count(end) {
				if by[int(e.Base[end])+k] != end {
					rt.Fatalf("LID %d of end port %d names %d", int(e.Base[end])+k, end, by[int(e.Base[end])+k])
				}
			}
			if e.Base[end] != g.EndLID[end] && keepable(g, end, opt.LMC) {
				rt.Fatalf("end port %d: LID %d was not kept", end, g.EndLID[end])
			}
		}
		if len(by) != int(e.Top())+1 || e.Total() != g.NumHosts<<opt.LMC+g.NumSwitches {
			rt.Fatalf("%d LIDs up to %d, %d listed", e.Total(), e.Top(), len(by))
		}
	})
}

// keepable tells, one port against every other, whether the LIDs seen are good and
// nobody else's.
func keepable(g *fabric.Graph, end int32, lmc uint8) bool {
	span := func(end int32) (lo, hi int) {
		lo = int(g.EndLID[end])
		if g.IsPortZero(end) {
			return lo, lo
		}
		return lo, lo + 1<<lmc - 1
	}
	lo, hi := span(end)
	if lo == 0 || lo%(hi-lo+1) != 0 || hi > int(fabric.MaxUnicastLID) {
		return false
	}
	for o := range int32(g.NumEnds) {
		if a, b := span(o); o != end && a != 0 && a <= hi && lo <= b {
			return false
		}
	}
	return true
}

func TestAssignRefuses(t *testing.T) {
	g := routetest.Line(t, 200, 2).Compile() // 400 hosts of 128 LIDs
	_, err := Assign(g, Options{LMC: 7})
	var out *Exhausted
	if !errors.As(err, &out) || out.Ports != 600 || out.Need != 400*128+200 || out.MostNeed != 128 || out.Kept ||
		!strings.Contains(err.Error(), `need 51400 LIDs (CA "host 0.0" (0x0000000000001000)[1] needs most: 128), but a subnet has 49151`) {
		t.Errorf("too many: %v", err)
	}
	if _, err := Assign(g, Options{LMC: 8}); err == nil || !strings.Contains(err.Error(), "LMC 8 is too large") {
		t.Errorf("LMC 8: %v", err)
	}

	// The last LID counts: 383 blocks of 128 and the 127 LIDs below the first.
	full := routetest.Line(t, 127, 3)
	for s := range 2 {
		ca := routetest.Must(full.AddNode(fabric.CA, fabric.GUID(0x9000+s), 1, "more"))(t)
		routetest.Must(full.Connect(fabric.End{Node: ca, Port: 1}, fabric.End{Node: fabric.NodeID(s), Port: 3}, 4, fabric.HDR))(t)
	}
	g = full.Compile()
	e, err := Assign(g, Options{LMC: 7})
	if err != nil || g.NumHosts != 383 || e.Total() != int(fabric.MaxUnicastLID) {
		t.Errorf("a full subnet of %d hosts: %v, %d LIDs", g.NumHosts, err, e.Total())
	}

	// Switches keep a LID in every block of 128: no host finds one.
	f := routetest.Line(t, 384, 0)
	for s := range 384 {
		f.Nodes[s].Ports[0].LID = fabric.LID(128*s + 1)
	}
	ca := routetest.Must(f.AddNode(fabric.CA, 0x9000, 1, "host"))(t)
	routetest.Must(f.Connect(fabric.End{Node: ca, Port: 1}, fabric.End{Node: 5, Port: 3}, 4, fabric.HDR))(t)
	g = f.Compile()
	_, err = Assign(g, Options{LMC: 7})
	if !errors.As(err, &out) || !out.Kept || !strings.Contains(err.Error(), "assign fresh LIDs") {
		t.Errorf("no gaps: %v", err)
	}
	if _, err := Assign(g, Options{LMC: 7, Fresh: true}); err != nil {
		t.Errorf("fresh: %v", err)
	}
}

func BenchmarkAssign(b *testing.B) {
	g := routetest.Line(b, 300, 160).Compile()
	for b.Loop() {
		routetest.Must(Assign(g, Options{}))(b)
	}
}
