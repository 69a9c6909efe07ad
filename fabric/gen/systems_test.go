package gen

import (
	"fmt"
	"slices"
	"testing"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
)

// TestFT24 compares fat3456 with the rule of the reconstructions.
func TestFT24(t *testing.T) {
	f := parse(t, "fat3456")
	const k = 12
	named := map[string]fabric.NodeID{}
	for id := range f.Nodes {
		named[f.Nodes[id].Desc] = fabric.NodeID(id)
	}
	at := func(name string, i, port int) fabric.End {
		id, ok := named[fmt.Sprintf("%s %d", name, i)]
		if !ok {
			t.Fatalf("there is no %s %d", name, i)
		}
		return fabric.End{Node: id, Port: uint8(port)}
	}
	for p := range 24 {
		for j := range k {
			for i := range k {
				expectCable(t, f, at("leaf", p*k+i, 13+j), at("middle", p*k+j, i+1))
			}
			for r := range k {
				expectCable(t, f, at("middle", p*k+j, 13+r), at("root", j*k+r, p+1))
			}
		}
	}
}

func expectCable(t *testing.T, f *fabric.Fabric, a, b fabric.End) {
	t.Helper()
	if f.Nodes[a.Node].Ports[a.Port].Link == fabric.NoLink {
		t.Fatalf("%s has no cable", f.EndName(a))
	}
	if got := f.Peer(a); got != b {
		t.Fatalf("%s leads to %s, want %s", f.EndName(a), f.EndName(got), f.EndName(b))
	}
}

// TestSystemCables spot-checks the rules of the named systems.
func TestSystemCables(t *testing.T) {
	for _, c := range []struct {
		system       string
		a            string
		aPort, bPort uint8
		b            string
	}{
		{"fat648", "leaf 35", 36, 36, "spine 17"},
		{"odin", "leaf 3", 16, 8, "spine 1"},
		{"racks648", "rack 10 A", 13, 13, "rack 10 B"},
		{"racks648", "rack 10 A", 25, 7, "leaf 4"}, // m=10: leaves 4.., ports 7..
		{"racks648", "rack 10 B", 36, 12, "leaf 7"},
		{"racks432", "rack 10 A", 25, 7, "leaf 16"}, // m=10 of six ninths: leaves 16.., ports 7..
		{"racks216", "rack 8 B", 28, 16, "leaf 9"},
		{"over384", "leaf 15", 42, 36, "spine 7"},
		{"over384", "leaf 1", 25, 3, "spine 2"},
		{"juropa", "rack 215 B", 36, 18, "director 7 leaf 35"},
		{"juropa", "rack 6 A", 28, 1, "director 1 leaf 1"},
		{"ranger", "rack 327", 24, 9, "core 1 leaf 79"}, // t=655: leaf 79, ports 7-9
		{"ranger", "rack 0", 13, 1, "core 0 leaf 0"},
		{"dual4608", "rack 383", 24, 9, "core 1 leaf 191"}, // t=767
		{"vftree-fig3", "leaf 0", 5, 5, "leaf 1"},
		{"sftree-fig4b", "leaf 1", 3, 2, "root 1"},
		{"deimos", "director 0 leaf 0", 12, 12, "director 1 leaf 0"},
		{"deimos", "director 2 leaf 19", 12, 12, "director 0 leaf 19"},
		{"deimos-chain30", "director 1 leaf 11", 10, 11, "director 2 leaf 5"}, // trunk 59 of director 1, 29 of director 2
		{"chic", "edge 45", 24, 12, "director 1 leaf 11"},
		{"tsubame", "edge 5 leaf 23", 11, 6, "core 1 leaf 23"},
		{"now-c", "C1.4", 6, 3, "C2.4"}, // hosts 1-5, uplinks 4 then 1; C2.4 has C1.2 and C1.3
		{"now-cab", "X1", 1, 6, "A3.1"},
		{"renaming-fig1", "n5", 3, 3, "n6"},
	} {
		f := parse(t, c.system)
		a, err := f.FindNode(c.a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.FindNode(c.b)
		if err != nil {
			t.Fatal(err)
		}
		expectCable(t, f, fabric.End{Node: a, Port: c.aPort}, fabric.End{Node: b, Port: c.bPort})
	}
}

// TestDirectors: how the hosts of Deimos fall on its three directors.
func TestDirectors(t *testing.T) {
	for expr, want := range map[string][3]int{
		"deimos":         {242, 241, 241},
		"deimos-chain15": {242, 241, 241},
		"deimos-chain30": {248, 228, 248},
	} {
		g := parse(t, expr).Compile()
		var got [3]int
		for e := range g.NumHosts {
			got[g.SwitchDesc[g.EndSwitch[e]][len("director ")]-'0']++
		}
		if got != want {
			t.Errorf("%s: %v hosts on the directors, want %v", expr, got, want)
		}
	}
}

// TestHostDistributions of odin (8 leaves with 11 hosts, 4 with 10), chic (44 with 12, 2
// with 11) and the fabrics that fill their leaves.
func TestHostDistributions(t *testing.T) {
	for expr, want := range map[string]map[int]int{
		"odin":    {11: 8, 10: 4, 0: 6},
		"chic":    {12: 44, 11: 2, 0: 72},
		"fat648":  {18: 36, 0: 18},
		"fat3456": {12: 288, 0: 432},
		"ranger":  {12: 328, 0: 1440},
		"juropa":  {12: 432, 0: 432},
		"tsubame": {10: 134, 9: 10, 0: 144},
	} {
		g := parse(t, expr).Compile()
		got := map[int]int{}
		for s := range int32(g.NumSwitches) {
			got[len(g.HostsOf(s))]++
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: hosts on a switch: %v, want %v", expr, got, want)
		}
	}
}

// TestNOW: levels by name, free ports and host-to-host diameters (cables to the
// hosts included).
func TestNOW(t *testing.T) {
	for expr, want := range map[string]struct {
		diameter int32
		level    [4]int // switches of levels 1 to 3, joining switches
	}{
		"now-c":   {4, [4]int{7, 4, 2, 0}},
		"now-ca":  {7, [4]int{14, 8, 4, 0}},
		"now-cab": {8, [4]int{20, 12, 6, 2}},
	} {
		f := parse(t, expr)
		g := f.Compile()
		var level [4]int
		for id := range f.Nodes {
			n := &f.Nodes[id]
			if n.Type != fabric.Switch {
				continue
			}
			l := 3
			if n.Desc[0] != 'X' {
				l = int(n.Desc[1] - '1')
			}
			level[l]++
			if free := 8 - len(cabled(f, fabric.NodeID(id))); l > 0 && free == 0 || expr == "now-c" && l == 0 && (free > 0) != (n.Desc == "C1.4") {
				t.Errorf("%s: %s has %d free ports", expr, n.Desc, free)
			}
		}
		if level != want.level {
			t.Errorf("%s: levels %v, want %v", expr, level, want.level)
		}
		if got := hostDiameter(g); got != want.diameter {
			t.Errorf("%s: diameter %d, want %d", expr, got, want.diameter)
		}
	}
	f := parse(t, "now-c")
	root, _ := f.FindNode("C3.1")
	if n := len(nodes.HostPorts(f, root)); n != 1 {
		t.Errorf("C3.1 has %d hosts, want the utility host", n)
	}
}

func hostDiameter(g *fabric.Graph) int32 {
	search := g.NewSearch(nil)
	most := int32(0)
	for a := range g.NumHosts {
		search.From(g.EndSwitch[a])
		for b := range g.NumHosts {
			most = max(most, search.Hops[g.EndSwitch[b]]+2)
		}
	}
	return most
}

// TestRenamingFig1: levels from n0, and the up end of every channel.
func TestRenamingFig1(t *testing.T) {
	g := parse(t, "renaming-fig1").Compile()
	search := g.NewSearch(nil)
	search.From(0)
	hops := search.Hops
	if want := []int32{0, 1, 1, 1, 2, 2, 2, 2, 2}; !slices.Equal(hops, want) {
		t.Errorf("levels %v, want %v", hops, want)
	}
	up := map[[2]int32]int32{
		{0, 1}: 0, {0, 2}: 0, {0, 3}: 0, {1, 4}: 1, {2, 5}: 2, {2, 8}: 2,
		{3, 6}: 3, {3, 7}: 3, {4, 5}: 4, {7, 8}: 7, {6, 7}: 6, {5, 6}: 5,
	}
	for c := 0; c < g.NumChannels; c += 2 {
		a, b := g.From[c], g.To[c]
		end := a
		if hops[b] < hops[a] || hops[b] == hops[a] && b < a {
			end = b
		}
		if want, ok := up[[2]int32{a, b}]; !ok || want != end {
			t.Errorf("channel n%d-n%d: up end n%d, want n%d (%t)", a, b, end, want, ok)
		}
	}
}
