package gen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"

	"pgregory.net/rapid"
)

// TestDiameters checks known facts, in cables between switches.
func TestDiameters(t *testing.T) {
	for expr, want := range map[string]int{
		"torus(8x8x8)":                 12,
		"torus(5x4)":                   4,
		"mesh(4x5)":                    7,
		"hypercube(7)":                 7,
		"kautz(2,3)":                   3,
		"kautz(3,2)":                   2,
		"dragonfly(4,2,2)":             3,
		"dragonfly(6,3,3)":             3,
		"hyperx(4x3x5)":                3,
		"dragonfly(6,1,2,groups=5)":    3,
		"dragonflyplus(3,3,2,2)":       5,
		"rail(4,6,2)":                  2,
		"rail(3,4,2,spines=2,cores=2)": 4,
		"rail(2,3,4,2,1,1,1,2)":        4, // two groups
		"hyperx(9)":                    1,
		"fullmesh(9)":                  1,
		"slimfly(3)":                   2,
		"slimfly(5)":                   2,
		"slimfly(7)":                   2,
		"slimfly(11)":                  2,
		"slimfly(13)":                  2,
		"slimfly(17)":                  2,
		"rlft(8,2)":                    2,
		"rlft(8,3)":                    4,
		"karytree(3,4)":                6,
		"butterfly(3,3)":               4, // from side to side two, within a side up to four
		"fat648":                       2,
		"racks648":                     4,
		"pgft(3;4,3,2;1,2,2;1,1,2)":    4,
		"fullmesh(1)":                  0,
		"regular(6,5,1,1)":             1,
		"xgft(2;6,6;3,3)|ports(2)":     4,
	} {
		if got, err := parse(t, expr).Compile().Diameter(t.Context()); got != want || err != nil {
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

// skip returns the index of coordinate to among all coordinates except from.
func skip(to, from int) int {
	if to > from {
		return to - 1
	}
	return to
}

// TestTreeProperties: every XGFT and PGFT has the level sizes and the parents of
// its definition: the right number, by the right number of cables, all on the
// next level, and each set of parents shared by the right number of children.
func TestTreeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.IntRange(1, 3).Draw(t, "h")
		m := append([]int{2}, rapid.SliceOfN(rapid.IntRange(2, 4), h, h).Draw(t, "m")...)
		w := append([]int{1}, rapid.SliceOfN(rapid.IntRange(1, 3), h, h).Draw(t, "w")...)
		p := ones(h + 1)
		join := func(n []int) string {
			return strings.Trim(strings.ReplaceAll(fmt.Sprint(n), " ", ","), "[]")
		}
		expr := fmt.Sprintf("xgft(%d;%s;%s;hosts=%d)", h, join(m[1:]), join(w[1:]), 2*product(m[1:]))
		if rapid.Bool().Draw(t, "parallel") {
			w[0] = rapid.IntRange(1, 3).Draw(t, "w1")
			p = rapid.SliceOfN(rapid.IntRange(1, 2), h+1, h+1).Draw(t, "p")
			expr = fmt.Sprintf("pgft(%d;%s;%s;%s)", h+1, join(m), join(w), join(p))
		}
		f, err := Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		level := Levels(f)
		size := make([]int, h+1)
		families := map[string]int{} // how often a set of parents occurs
		hosts := 0
		for id := range f.Nodes {
			if f.Nodes[id].Type != fabric.Switch {
				hosts++
				families[parentsOf(t, f, level, id, w[0], p[0])]++
				continue
			}
			size[level[id]]++
			if l := int(level[id]); l < h {
				families[parentsOf(t, f, level, id, w[l+1], p[l+1])]++
			}
		}
		if hosts != product(m) {
			t.Fatalf("%s: %d hosts, want %d", expr, hosts, product(m))
		}
		for i := range size {
			if want := product(w[:i+1]) * product(m[i+1:]); size[i] != want {
				t.Fatalf("%s: level %d has %d switches, want %d", expr, i, size[i], want)
			}
		}
		for set, n := range families {
			if want := m[set[0]-'0']; n != want {
				t.Fatalf("%s: parents %s have %d children, want %d", expr, set, n, want)
			}
		}
	})
}

// parentsOf names the set of parents of a node, after the level they are on; it
// checks that there are w of them, with p cables each.
func parentsOf(t *rapid.T, f *fabric.Fabric, level []int32, id, w, p int) string {
	cables := map[int]int{}
	for port := 1; port < len(f.Nodes[id].Ports); port++ {
		if f.Nodes[id].Ports[port].Link == fabric.NoLink {
			continue
		}
		peer := f.Peer(fabric.End{Node: fabric.NodeID(id), Port: uint8(port)}).Node
		switch level[peer] - level[id] {
		case 1:
			cables[int(peer)]++
		case -1:
		default:
			t.Fatalf("%s: a cable from level %d to level %d", f.Name, level[id], level[peer])
		}
	}
	var parents []int
	for s, n := range cables {
		if n != p {
			t.Fatalf("%s: %d parallel cables, want %d", f.Name, n, p)
		}
		parents = append(parents, s)
	}
	slices.Sort(parents)
	if len(parents) != w {
		t.Fatalf("%s: a node of level %d has the parents %v", f.Name, level[id], parents)
	}
	return fmt.Sprint(level[id]+1, parents)
}

func product(n []int) int {
	p := 1
	for _, v := range n {
		p *= v
	}
	return p
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

// TestFewerGroups: in a Dragonfly or Dragonfly+ of any number of groups all are joined by as many
// cables, or one more, and a group leaves one global port free at most.
func TestFewerGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, h := rapid.IntRange(1, 5).Draw(t, "switches"), rapid.IntRange(1, 4).Draw(t, "h")
		groups := rapid.IntRange(1, n*h+1).Draw(t, "groups")
		plus := rapid.Bool().Draw(t, "plus")
		expr := fmt.Sprintf("dragonfly(%d,1,%d,groups=%d)", n, h, groups)
		if plus {
			expr = fmt.Sprintf("dragonflyplus(2,%d,1,%d,groups=%d)", n, h, groups)
		}
		f, err := Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		group := func(id fabric.NodeID) (g int) {
			if _, err := fmt.Sscanf(f.Nodes[id].Desc, "group %d", &g); err != nil {
				t.Fatal(err)
			}
			return g
		}
		between, of, byGroup := map[[2]int]int{}, map[fabric.NodeID]int{}, map[int]int{}
		for i, l := range f.Links {
			if !f.IsSwitchLink(fabric.LinkID(i)) {
				continue
			}
			x, y := group(l.A.Node), group(l.B.Node)
			if x == y {
				continue
			}
			between[[2]int{min(x, y), max(x, y)}]++
			for _, end := range []fabric.NodeID{l.A.Node, l.B.Node} {
				of[end]++
				byGroup[group(end)]++
			}
		}
		if groups == 1 {
			return
		}
		least := n * h / (groups - 1)
		for x := range groups {
			for y := range x {
				if c := between[[2]int{y, x}]; c < least || c > least+1 {
					t.Fatalf("%s: groups %d and %d have %d cables, want %d or one more", expr, y, x, c, least)
				}
			}
			if free := n*h - byGroup[x]; free > 1 || free == 1 && groups%2 == 0 {
				t.Fatalf("%s: group %d has %d global ports free", expr, x, free)
			}
		}
		for id, c := range of {
			if c > h {
				t.Fatalf("%s: %s has %d global cables", expr, f.NodeName(id), c)
			}
		}
	})
}

// TestRails: port i of every host is on rail switch i of its pod.
func TestRails(t *testing.T) {
	const k, servers = 4, 3
	f := parse(t, "rail(4,3,2,spines=2)")
	for i := range 2 * servers {
		h, ok := f.NodeByGUID(guidOfHost(i))
		if !ok {
			t.Fatalf("no host %d", i)
		}
		for port := 1; port <= k; port++ {
			peer := f.Peer(fabric.End{Node: h, Port: uint8(port)}).Node
			if got, want := f.Nodes[peer].Desc, fmt.Sprintf("pod %d rail %d", i/servers, port-1); got != want {
				t.Errorf("port %d of host %d is on %s, want %s", port, i, got, want)
			}
		}
	}
}

// TestRailPlanes: with cores the spines of a rail are joined to its rail switches alone, and each
// core to one spine of every rail.
func TestRailPlanes(t *testing.T) {
	f := parse(t, "rail(3,4,5,spines=2,width=2,cores=3,up=2)")
	cables := map[[2]string]int{}
	for _, l := range f.Links {
		a, b := f.Nodes[l.A.Node].Desc, f.Nodes[l.B.Node].Desc
		cables[[2]string{a, b}]++
	}
	for rail := range 3 {
		for s := range 2 {
			spine := fmt.Sprintf("rail %d spine %d", rail, s)
			for pod := range 5 {
				for other := range 3 {
					want := 0
					if other == rail {
						want = 2
					}
					if got := cables[[2]string{fmt.Sprintf("pod %d rail %d", pod, other), spine}]; got != want {
						t.Errorf("pod %d rail %d has %d cables to %s", pod, other, got, spine)
					}
				}
			}
			for core := range 6 {
				want := 0
				if core/3 == s {
					want = 2
				}
				if got := cables[[2]string{spine, fmt.Sprintf("core %d", core)}]; got != want {
					t.Errorf("%s has %d cables to core %d", spine, got, core)
				}
			}
		}
	}
}

// TestMerged: the merged tree contains both trees, with their hosts under each leaf; parts that
// were down stay down; GUIDs and descriptions are unique.
func TestMerged(t *testing.T) {
	f := parse(t, "rlft(8,2)|merge(rlft(6,2)|fail(links=3),at=leaves)")
	hosts, down := map[int]int{}, 0
	seen, desc := map[fabric.GUID]bool{}, map[string]bool{}
	for id := range f.Nodes {
		n := &f.Nodes[id]
		if seen[n.GUID] || desc[n.Desc] {
			t.Errorf("%s or its GUID comes twice", n.Desc)
		}
		seen[n.GUID], desc[n.Desc] = true, true
		if nodes.IsSwitch(f, fabric.NodeID(id)) {
			hosts[len(nodes.HostPorts(f, fabric.NodeID(id)))]++
		}
	}
	for _, l := range f.Links {
		if l.Down {
			down++
		}
	}
	// rlft(8,2) has 8 leaves of 4 and 4 spines, rlft(6,2) 6 leaves of 3 and 3 spines.
	if hosts[7] != 6 || hosts[4] != 2 || hosts[0] != 7 || down != 3 {
		t.Errorf("switches by hosts %v, %d links down", hosts, down)
	}
	if _, parts := f.Compile().Components(); parts != 1 {
		t.Errorf("%d parts", parts)
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
