package route

import (
	"fmt"
	"strings"
	"testing"

	"weft/fabric"
	"weft/route/routetest"
)

func TestEndsValidate(t *testing.T) {
	g := routetest.Line(t, 2, 1).Compile()
	for _, c := range []struct {
		base []fabric.LID
		lmc  []uint8
		want string
	}{
		{[]fabric.LID{4, 8, 1, 2}, []uint8{2, 2, 0, 0}, ""},
		{[]fabric.LID{0, 0, 0, 0}, []uint8{0, 9, 0, 0}, ""},
		{[]fabric.LID{1, 2, 3, 3}, make([]uint8, 4), `LID 3: switch "switch 0" (0x0000000000000100), switch "switch 1" (0x0000000000000101): names both`},
		{[]fabric.LID{4, 8, 11, 2}, []uint8{2, 2, 0, 0}, `LID 11: CA "host 1.0"`},
		{[]fabric.LID{4, 9, 1, 2}, []uint8{2, 2, 0, 0}, "base LID 9, which LMC 2 does not allow"},
		{[]fabric.LID{1, 2, 3, 0xC000}, make([]uint8, 4), "beyond the unicast LIDs"},
		{[]fabric.LID{0xFFFF, 2, 3, 4}, []uint8{7, 0, 0, 0}, "beyond the unicast LIDs"},
		{[]fabric.LID{1, 2, 3, 4}, []uint8{8, 0, 0, 0}, "has LMC 8 (at most 7)"},
	} {
		e := Ends{Base: c.base, LMC: c.lmc}
		switch wrong := e.Validate(g); {
		case c.want == "" && wrong != nil, c.want != "" && (wrong == nil || !strings.Contains(wrong.String(), c.want)):
			t.Errorf("%v, LMC %v: %v, want %q", c.base, c.lmc, wrong, c.want)
		}
	}
}

func TestEndsCounts(t *testing.T) {
	e := Ends{Base: []fabric.LID{4, 0, 6, 12}, LMC: []uint8{1, 3, 0, 2}}
	want := "[-1 -1 -1 -1 0 0 2 -1 -1 -1 -1 -1 3 3 3 3]"
	if got := fmt.Sprint(e.ByLID()); got != want {
		t.Errorf("by LID %s, want %s", got, want)
	}
	if e.Top() != 15 || e.Total() != 7 || e.MaxLMC() != 3 || e.Count(1) != 0 || e.Count(3) != 4 {
		t.Errorf("top %d, total %d, LMC %d, counts %d %d", e.Top(), e.Total(), e.MaxLMC(), e.Count(1), e.Count(3))
	}
	twice := Ends{Base: []fabric.LID{2, 3}, LMC: []uint8{1, 0}}
	if got := fmt.Sprint(twice.ByLID()); got != "[-1 -1 0 0]" {
		t.Errorf("a LID of two ports: %s", got)
	}
}

// TestBeyondTable: a table with an entry for the highest LID holds all, one entry less does not; a
// table of unknown size holds all.
func TestBeyondTable(t *testing.T) {
	g := routetest.Line(t, 4, 1).Compile()
	e := Ends{Base: make([]fabric.LID, g.NumEnds), LMC: make([]uint8, g.NumEnds)}
	e.Base[2], e.LMC[2] = 8, 1
	for size, want := range map[int32]int32{0: fabric.Nothing, 10: fabric.Nothing, 9: 3} {
		g.SwitchFDBCap[3] = size
		if got := e.BeyondTable(g); got != want {
			t.Errorf("LIDs up to %d in a table of %d entries: switch %d, want %d", e.Top(), size, got, want)
		}
	}
}
