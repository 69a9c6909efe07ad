package gen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"weft/fabric"
)

// TestDiameters checks known facts, in cables between switches.
func TestDiameters(t *testing.T) {
	for expr, want := range map[string]int{
		"torus(8x8x8)":              12,
		"torus(5x4)":                4,
		"mesh(4x5)":                 7,
		"hypercube(7)":              7,
		"kautz(2,3)":                3,
		"kautz(3,2)":                2,
		"dragonfly(4,2,2)":          3,
		"dragonfly(6,3,3)":          3,
		"hyperx(4x3x5)":             3,
		"hyperx(9)":                 1,
		"fullmesh(9)":               1,
		"slimfly(3)":                2,
		"slimfly(5)":                2,
		"slimfly(7)":                2,
		"slimfly(11)":               2,
		"slimfly(13)":               2,
		"slimfly(17)":               2,
		"rlft(8,2)":                 2,
		"rlft(8,3)":                 4,
		"karytree(3,4)":             6,
		"fat648":                    2,
		"racks648":                  4,
		"pgft(3;4,3,2;1,2,2;1,1,2)": 4,
		"fullmesh(1)":               0,
		"regular(6,5,1,1)":          1,
		"xgft(2;6,6;3,3)|ports(2)":  4,
	} {
		if got := parse(t, expr).Compile().Diameter(); got != want {
			t.Errorf("%s: diameter %d, want %d", expr, got, want)
		}
	}
}

// TestGridProperties: every switch of a torus, mesh, hypercube or HyperX leads on
// the documented port to the neighbour that its coordinates say.
func TestGridProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]string{"torus", "mesh", "hyperx"}).Draw(t, "kind")
		sizes := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 3).Draw(t, "sizes")
		width := rapid.IntRange(1, 3).Draw(t, "width")
		hosts := rapid.IntRange(0, 2).Draw(t, "hosts")
		expr := fmt.Sprintf("%s(%s,hosts=%d,width=%d)", kind, strings.Trim(strings.ReplaceAll(fmt.Sprint(sizes), " ", "x"), "[]"), hosts, width)
		f, err := Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		where := map[string]fabric.NodeID{}
		for id := range f.Nodes {
			where[f.Nodes[id].Desc] = fabric.NodeID(id)
		}
		want := map[[2]fabric.End]bool{} // both directions of every cable
		var walk func(c []int)
		walk = func(c []int) {
			if len(c) < len(sizes) {
				for i := range sizes[len(c)] {
					walk(append(slices.Clone(c), i))
				}
				return
			}
			me := where["switch "+tuple(c)]
			first := 1
			for d, n := range sizes {
				for to := range n {
					other := slices.Clone(c)
					other[d] = to
					for k := range width {
						var mine, theirs int
						switch {
						case to == c[d]:
							continue
						case kind == "hyperx":
							mine, theirs = first+skip(to, c[d])*width+k, first+skip(c[d], to)*width+k
						case to == c[d]+1 || kind == "torus" && n > 2 && c[d] == n-1 && to == 0:
							mine, theirs = 2*d*width+1+k, 2*d*width+width+1+k
						case to == c[d]-1 || kind == "torus" && n > 2 && c[d] == 0 && to == n-1:
							mine, theirs = 2*d*width+width+1+k, 2*d*width+1+k
						default:
							continue
						}
						want[[2]fabric.End{{Node: me, Port: uint8(mine)}, {Node: where["switch "+tuple(other)], Port: uint8(theirs)}}] = true
					}
				}
				first += (n - 1) * width
			}
		}
		walk(nil)
		cables := 0
		for id := range f.Links {
			if !f.IsSwitchLink(fabric.LinkID(id)) {
				continue
			}
			cables++
			l := f.Links[id]
			if !want[[2]fabric.End{l.A, l.B}] || !want[[2]fabric.End{l.B, l.A}] {
				t.Fatalf("%s: cable %s is unexpected", expr, f.LinkName(fabric.LinkID(id)))
			}
		}
		if 2*cables != len(want) {
			t.Fatalf("%s: %d cables, want %d", expr, cables, len(want)/2)
		}
	})
}

// skip is the place of coordinate to among those that are not from.
func skip(to, from int) int {
	if to > from {
		return to - 1
	}
	return to
}

// TestTreeProperties: every XGFT has the level sizes and the parents of its
// definition: the right number, all on the next level, and each set of parents
// shared by the right number of children.
func TestTreeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.IntRange(1, 3).Draw(t, "h")
		m := rapid.SliceOfN(rapid.IntRange(2, 4), h, h).Draw(t, "m")
		w := rapid.SliceOfN(rapid.IntRange(1, 3), h, h).Draw(t, "w")
		join := func(n []int) string {
			return strings.Trim(strings.ReplaceAll(fmt.Sprint(n), " ", ","), "[]")
		}
		expr := fmt.Sprintf("xgft(%d;%s;%s)", h, join(m), join(w))
		f, err := Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		level := Levels(f)
		size := make([]int, h+1)
		for id := range f.Nodes {
			if f.Nodes[id].Type == fabric.Switch {
				size[level[id]]++
			}
		}
		for i := range size {
			want := 1
			for j := 1; j <= h; j++ {
				if j <= i {
					want *= w[j-1]
				} else {
					want *= m[j-1]
				}
			}
			if size[i] != want {
				t.Fatalf("%s: level %d has %d switches, want %d", expr, i, size[i], want)
			}
		}
		families := map[string]int{} // how often a set of parents occurs
		for id := range f.Nodes {
			if f.Nodes[id].Type != fabric.Switch {
				continue
			}
			var parents []int
			for p := range switchPeers(f, fabric.NodeID(id)) {
				switch level[p] - level[id] {
				case 1:
					parents = append(parents, int(p))
				case -1:
				default:
					t.Fatalf("%s: a cable from level %d to level %d", expr, level[id], level[p])
				}
			}
			if level[id] < h {
				slices.Sort(parents)
				if len(slices.Compact(parents)) != w[level[id]] {
					t.Fatalf("%s: a switch of level %d has parents %v", expr, level[id], parents)
				}
				families[fmt.Sprint(level[id], parents)]++
			}
		}
		for set, n := range families {
			if want := m[set[0]-'0']; n != want {
				t.Fatalf("%s: parents %s have %d children, want %d", expr, set, n, want)
			}
		}
	})
}

// TestFT24 compares fat3456 with the rule of the reconstructions.
func TestFT24(t *testing.T) {
	f := parse(t, "fat3456")
	const k = 12
	at := func(name string, i, port int) fabric.End {
		id, err := f.NodeByName(fmt.Sprintf("%s %d", name, i))
		if err != nil {
			t.Fatal(err)
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
		{"juropa", "rack 215 B", 36, 18, "director 7 leaf 35"},
		{"juropa", "rack 6 A", 28, 1, "director 1 leaf 1"},
		{"ranger", "rack 327", 24, 9, "core 1 leaf 79"}, // t=655: leaf 79, ports 7-9
		{"ranger", "rack 0", 13, 1, "core 0 leaf 0"},
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
		a, err := f.NodeByName(c.a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.NodeByName(c.b)
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
			if free := 8 - cabled(n); l > 0 && free == 0 || expr == "now-c" && l == 0 && (free > 0) != (n.Desc == "C1.4") {
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
	root, _ := f.NodeByName("C3.1")
	if n := len(hostPorts(f, root)); n != 1 {
		t.Errorf("C3.1 has %d hosts, want the utility host", n)
	}
}

func hostDiameter(g *fabric.Graph) int32 {
	hops, queue := make([]int32, g.NumSwitches), make([]int32, g.NumSwitches)
	most := int32(0)
	for a := range g.NumHosts {
		g.HopsFrom(g.EndSwitch[a], hops, queue)
		for b := range g.NumHosts {
			most = max(most, hops[g.EndSwitch[b]]+2)
		}
	}
	return most
}

// TestRenamingFig1: levels from n0, and the up end of every channel.
func TestRenamingFig1(t *testing.T) {
	g := parse(t, "renaming-fig1").Compile()
	hops, queue := make([]int32, 9), make([]int32, 9)
	g.HopsFrom(0, hops, queue)
	if want := []int32{0, 1, 1, 1, 2, 2, 2, 2, 2}; !slices.Equal(hops, want) {
		t.Errorf("levels %v, want %v", hops, want)
	}
	up := map[[2]int32]int32{{0, 1}: 0, {0, 2}: 0, {0, 3}: 0, {1, 4}: 1, {2, 5}: 2, {2, 8}: 2,
		{3, 6}: 3, {3, 7}: 3, {4, 5}: 4, {7, 8}: 7, {6, 7}: 6, {5, 6}: 5}
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

// TestKautzArcs: the degree of every switch is 2b, and (b+1)*b/2 pairs of
// switches have two cables for their opposite arcs.
func TestKautzArcs(t *testing.T) {
	for _, c := range []struct{ b, n int }{{2, 2}, {2, 3}, {3, 3}, {4, 2}, {5, 1}} {
		g := parse(t, fmt.Sprintf("kautz(%d,%d)", c.b, c.n)).Compile()
		cables := map[[2]int32]int{}
		for i := 0; i < g.NumChannels; i += 2 {
			cables[[2]int32{g.From[i], g.To[i]}]++
		}
		double := 0
		for pair, n := range cables {
			if n > 2 {
				t.Errorf("kautz(%d,%d): %d cables between %v", c.b, c.n, n, pair)
			}
			double += n - 1
		}
		if want := (c.b + 1) * c.b / 2; double != want {
			t.Errorf("kautz(%d,%d): %d double cables, want %d", c.b, c.n, double, want)
		}
		for s := range int32(g.NumSwitches) {
			if len(g.OutOf(s)) != 2*c.b {
				t.Errorf("kautz(%d,%d): switch %d has %d cables", c.b, c.n, s, len(g.OutOf(s)))
			}
		}
	}
}

// TestSlimFlyDegree: regular, with no double cables.
func TestSlimFlyDegree(t *testing.T) {
	for q, degree := range map[int]int{3: 5, 5: 7, 7: 11, 11: 17, 13: 19, 19: 29} {
		g := parse(t, fmt.Sprintf("slimfly(%d)", q)).Compile()
		for s := range int32(g.NumSwitches) {
			near := map[int32]bool{}
			for _, c := range g.OutOf(s) {
				near[g.To[c]] = true
			}
			if len(near) != degree || len(g.OutOf(s)) != degree {
				t.Fatalf("slimfly(%d): switch %d has %d neighbours by %d cables, want %d", q, s, len(near), len(g.OutOf(s)), degree)
			}
		}
	}
}

// TestDragonflyGroups: every pair of groups is joined by exactly one cable, and
// every switch has h global ones.
func TestDragonflyGroups(t *testing.T) {
	for _, c := range []struct{ a, p, h int }{{4, 2, 2}, {2, 1, 1}, {3, 1, 2}, {5, 0, 1}, {1, 1, 4}} {
		g := parse(t, fmt.Sprintf("dragonfly(%d,%d,%d)", c.a, c.p, c.h)).Compile()
		pairs := map[[2]int32]int{}
		for s := range int32(g.NumSwitches) {
			global := 0
			for _, ch := range g.OutOf(s) {
				x, y := g.From[ch]/int32(c.a), g.To[ch]/int32(c.a)
				if x != y {
					global++
					pairs[[2]int32{min(x, y), max(x, y)}]++
				}
			}
			if global != c.h {
				t.Errorf("dragonfly%v: switch %d has %d global cables", c, s, global)
			}
		}
		groups := c.a*c.h + 1
		if len(pairs) != groups*(groups-1)/2 {
			t.Errorf("dragonfly%v: %d of %d pairs of groups are joined", c, len(pairs), groups*(groups-1)/2)
		}
		for p, n := range pairs {
			if n != 2 {
				t.Errorf("dragonfly%v: groups %v have %d channels", c, p, n)
			}
		}
	}
}

// TestRandomProperties: simple, connected, with the degrees asked for.
func TestRandomProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "switches")
		d := rapid.IntRange(2, 8).Draw(t, "degree")
		s := rapid.Uint64().Draw(t, "seed")
		kind := rapid.SampledFrom([]string{"random", "irregular", "regular"}).Draw(t, "kind")
		most, total := d, n*d/2
		expr := fmt.Sprintf("%s(switches=%d,degree=%d,hosts=3,seed=%d)", kind, n, d, s)
		switch {
		case kind == "random":
			total = rapid.IntRange(n-1, min(n*(n-1)/2, max(n-1, n*d/3))).Draw(t, "links")
			expr = fmt.Sprintf("random(switches=%d,degree=%d,hosts=3,links=%d,seed=%d)", n, d, total, s)
			if total > n*d/2 {
				return
			}
		case d > n-1 || n*d%2 != 0 || kind == "irregular" && d < 4:
			return
		case kind == "irregular":
			most = n
		}
		f, err := Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Compile()
		if _, parts := g.Components(); parts != 1 || g.NumChannels != 2*total {
			t.Fatalf("%s: %d parts, %d channels", expr, parts, g.NumChannels)
		}
		for s := range int32(n) {
			near := map[int32]bool{}
			for _, c := range g.OutOf(s) {
				near[g.To[c]] = true
			}
			out := len(g.OutOf(s))
			if near[s] || len(near) != out || out > most || kind == "regular" && out != d {
				t.Fatalf("%s: switch %d has %d neighbours by %d cables", expr, s, len(near), out)
			}
			if kind != "irregular" && len(g.HostsOf(s)) != 3 {
				t.Fatalf("%s: switch %d has %d hosts", expr, s, len(g.HostsOf(s)))
			}
		}
	})
}
