package fabric

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/internal/draws"
)

// TestCutOffByDrain compares with walks from every switch that pass no drained one on their way.
func TestCutOffByDrain(t *testing.T) {
	cuts := [2]int{}
	draws.Check(t, func(t *rapid.T) {
		f := New("random")
		n := rapid.IntRange(1, 7).Draw(t, "switches")
		for i := range n {
			if _, err := f.AddNode(Switch, GUID(i+1), 32, ""); err != nil {
				t.Fatal(err)
			}
		}
		port := make([]uint8, n)
		join := func(a, b int) {
			port[a]++
			port[b]++
			if _, err := f.Connect(End{NodeID(a), port[a]}, End{NodeID(b), port[b]}, 4, EDR); err != nil {
				t.Fatal(err)
			}
		}
		for i := 1; i < n; i++ {
			join(i, rapid.IntRange(0, i-1).Draw(t, "tree"))
		}
		for range rapid.IntRange(0, 8).Draw(t, "more") {
			if a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b"); a != b {
				join(a, b)
			}
		}
		every := rapid.IntRange(0, 3).Draw(t, "every") == 0
		for i := range n {
			f.Nodes[i].Drained = every || rapid.IntRange(0, 2).Draw(t, "drained") == 0
		}
		for i := range f.Links {
			f.Links[i].Drained = rapid.IntRange(0, 5).Draw(t, "link") == 0
		}
		want := false
		for s := range n {
			reached := map[NodeID]bool{NodeID(s): true}
			for todo := []NodeID{NodeID(s)}; len(todo) > 0; todo = todo[1:] {
				if at := todo[0]; at != NodeID(s) && f.Nodes[at].Drained {
					continue
				}
				for _, l := range f.Links {
					for _, e := range [2][2]End{{l.A, l.B}, {l.B, l.A}} {
						if e[0].Node == todo[0] && !l.Drained && !reached[e[1].Node] {
							reached[e[1].Node] = true
							todo = append(todo, e[1].Node)
						}
					}
				}
			}
			want = want || len(reached) < n
		}
		a, b, got := f.CutOffByDrain()
		if got != want || got && (a < 0 || b < 0 || a == b) {
			t.Fatalf("cut off %v (%d, %d), want %v", got, a, b, want)
		}
		if want {
			cuts[1]++
		} else {
			cuts[0]++
		}
	}, func() string {
		if cuts[0] == 0 || cuts[1] == 0 {
			return fmt.Sprintf("one sided: %v", cuts)
		}
		return ""
	})
}

// TestFindPart: switches and cables are found; hosts are refused.
func TestFindPart(t *testing.T) {
	f := New("two")
	for i, typ := range []NodeType{Switch, Switch, CA} {
		if _, err := f.AddNode(typ, GUID(0x1110+i), 4, []string{"left", "right", "host"}[i]); err != nil {
			t.Fatal(err)
		}
	}
	for i, b := range []NodeID{1, 2} {
		if _, err := f.Connect(End{0, uint8(i + 1)}, End{b, 1}, 4, EDR); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]Part{"left": {0, NoLink}, "left[1]": {-1, 0}, "left -- right": {-1, 0}, "host[1]": {-1, 1}, "0x1111": {1, NoLink}, "0x1110[2]": {-1, 1}} {
		got, err := f.FindPart(name)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		f.SetDrained(got, true)
		if !f.IsDrained(got) || !strings.Contains(f.PartName(got), " \"") {
			t.Errorf("%s: %s is not drained", name, f.PartName(got))
		}
	}
	for name, want := range map[string]string{"host": "is a CA: want a switch or a cable", "lefd": "left", "left[9]": "ports 1 to 4", "left[3]": "no cable"} {
		if _, err := f.FindPart(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
