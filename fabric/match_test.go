package fabric

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"weft/internal/draws"
)

// drawMembers draws a Graph of switches and CAs, whose GUIDs are few, so that two Graphs share
// some.
func drawMembers(t *rapid.T) *Graph {
	f := New("members")
	guids := rapid.SliceOfNDistinct(rapid.Uint64Range(1, 20), 1, 12, rapid.ID[uint64]).Draw(t, "GUIDs")
	hub, err := f.AddNode(Switch, GUID(guids[0]), 60, "hub")
	if err != nil {
		t.Fatal(err)
	}
	port := uint8(0)
	for _, guid := range guids[1:] {
		if rapid.Bool().Draw(t, "switch") {
			if _, err := f.AddNode(Switch, GUID(guid), 4, "s"); err != nil {
				t.Fatal(err)
			}
			continue
		}
		ca, err := f.AddNode(CA, GUID(guid), 3, "h")
		if err != nil {
			t.Fatal(err)
		}
		for p := range uint8(3) {
			if !rapid.Bool().Draw(t, "cabled") {
				continue
			}
			port++
			if _, err := f.Connect(End{hub, port}, End{ca, p + 1}, 4, EDR); err != nil {
				t.Fatal(err)
			}
		}
	}
	return f.Compile()
}

// TestMatch compares with maps by GUID and port.
func TestMatch(t *testing.T) {
	met := map[bool]int{}
	draws.Check(t, func(t *rapid.T) {
		old, g := drawMembers(t), drawMembers(t)
		type key struct {
			node GUID
			port uint8
		}
		switchOf, endOf := map[GUID]int32{}, map[key]int32{}
		for s, guid := range old.SwitchGUID {
			switchOf[guid] = int32(s)
		}
		for e, guid := range old.EndNodeGUID {
			endOf[key{guid, old.EndNum[e]}] = int32(e)
		}
		switches, ends := Match(old, g)
		if len(switches) != g.NumSwitches || len(ends) != g.NumEnds {
			t.Fatalf("%d switches and %d end ports", len(switches), len(ends))
		}
		for s, guid := range g.SwitchGUID {
			want, ok := switchOf[guid]
			if !ok {
				want = Nothing
			}
			if switches[s] != want {
				t.Fatalf("switch %d is %d, want %d", s, switches[s], want)
			}
		}
		for e, guid := range g.EndNodeGUID {
			want, ok := endOf[key{guid, g.EndNum[e]}]
			if met[ok]++; !ok {
				want = Nothing
			}
			if ends[e] != want {
				t.Fatalf("end port %d is %d, want %d", e, ends[e], want)
			}
			if found := old.FindEnd(guid, g.EndNum[e]); found != want {
				t.Fatalf("end port %d is found as %d, want %d", e, found, want)
			}
		}
	}, func() string {
		if met[true] == 0 || met[false] == 0 {
			return fmt.Sprintf("%v: nothing was tested", met)
		}
		return ""
	})
}
