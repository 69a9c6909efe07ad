package graph

import (
	"errors"
	"math/rand/v2"
	"testing"

	"weft/mapping"
	"weft/mapping/mappingtest"
	"weft/mapping/theory"
)

// seen is a vertex with its true node.
type seen struct {
	vertex int32
	at     mapping.End // its port 0
}

// wander puts what a host sees on random ways on a map, each switch a fresh vertex, and
// returns what the vertices are.
func wander(m *Graph, n *mapping.Network, host int32, r *rand.Rand, ways int) (all []seen) {
	start := m.Host(n.Hosts[host])
	for range ways {
		v, here := start, mapping.End{Node: host}
		i, out := 0, here
		for range 1 + r.IntN(8) {
			in, ok := n.Peer(out)
			if !ok {
				break
			}
			if n.IsHost(in.Node) {
				m.Connect(v, i, m.Host(n.Hosts[in.Node]), 0)
				break
			}
			u := m.AddSwitch(0)
			m.Connect(v, i, u, 0)
			all = append(all, seen{u, in})
			v, here = u, in
			out = mapping.End{Node: in.Node, Port: r.Int32N(n.Ports(in.Node))}
			i = int(out.Port - here.Port)
			if i == 0 {
				break
			}
		}
	}
	return all
}

// TestLemma2: merged vertices are one node, with the right shift of ports (Lemma 2), and maps of
// several hosts merge to the same map in any order.
func TestLemma2(t *testing.T) {
	merged := 0
	for seed := range uint64(300) {
		n := mappingtest.Random(seed, 12)
		r := rand.New(rand.NewPCG(seed, 1))
		m := New(n.Radix())
		var all []seen
		for h := range int32(min(3, n.NumHosts())) {
			all = append(all, wander(m, n, h, r, 30)...)
		}
		if m.Err() != nil {
			t.Fatalf("network %d: %v", seed, m.Err())
		}
		for k, a := range all {
			for _, b := range all[:k] {
				ra, sa := m.Find(a.vertex)
				rb, sb := m.Find(b.vertex)
				if ra != rb {
					continue
				}
				merged++
				if a.at.Node != b.at.Node || sa-sb != int(a.at.Port-b.at.Port) {
					t.Fatalf("network %d: %+v (%d) and %+v (%d) were merged", seed, a, sa, b, sb)
				}
			}
		}
	}
	if merged < 10_000 {
		t.Errorf("only %d pairs were merged", merged)
	}
}

// TestMerge: the maps of several hosts make the same map in any order, and whether
// they are absorbed or learned.
func TestMerge(t *testing.T) {
	for seed := range uint64(200) {
		n := mappingtest.Random(seed, 12)
		var maps []*mapping.Network
		for _, order := range [][]int32{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
			whole, base := New(n.Radix()), New(n.Radix())
			learner := base.Clone()
			for _, h := range order {
				if int(h) >= n.NumHosts() {
					continue
				}
				one := New(n.Radix())
				wander(one, n, h, rand.New(rand.NewPCG(seed, uint64(h))), 60)
				whole.Absorb(one)
				wander(learner, n, h, rand.New(rand.NewPCG(seed, uint64(h))), 60)
			}
			base.Learn(learner, 0)
			for _, m := range []*Graph{whole, base} {
				net, _, err := m.Network()
				if err != nil {
					t.Fatal(seed, err)
				}
				maps = append(maps, net)
			}
		}
		for k, m := range maps[1:] {
			if err := theory.Same(maps[0], m); err != nil && m.NumSwitches() == theory.Reached(m, 0).NumSwitches() {
				t.Errorf("network %d, order %d: %v", seed, k, err)
			}
		}
	}
}

// TestContradictions: facts of two different networks do not fit.
func TestContradictions(t *testing.T) {
	a, b := mapping.Host{ID: 1, Name: "a"}, mapping.Host{ID: 2, Name: "b"}
	for name, tell := range map[string]func(*Graph){
		"a host on two ports": func(m *Graph) {
			s := m.AddSwitch(0)
			m.Connect(m.Host(a), 0, s, 0)
			m.Connect(m.Host(a), 0, s, 3)
		},
		"two hosts on a port": func(m *Graph) {
			s := m.AddSwitch(0)
			m.Connect(m.Host(a), 0, s, 0)
			m.Connect(m.Host(b), 0, s, 0)
		},
		"a host and a switch on a port": func(m *Graph) {
			s := m.AddSwitch(0)
			m.Connect(m.Host(a), 0, s, 0)
			m.Connect(m.AddSwitch(0), 0, s, 0)
		},
		"ports too far apart": func(m *Graph) {
			s := m.AddSwitch(0)
			m.Connect(m.Host(a), 0, s, -3)
			m.Connect(m.Host(b), 0, s, 5)
		},
		"no such port":            func(m *Graph) { m.Connect(m.Host(a), 0, m.AddSwitch(0), 8) },
		"a second port of a host": func(m *Graph) { m.Connect(m.Host(a), 1, m.AddSwitch(0), 0) },
	} {
		m := New(8)
		tell(m)
		if _, _, err := m.Network(); !errors.Is(err, ErrContradiction) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTree: the ways lead where they say, by as few wires as there are.
func TestTree(t *testing.T) {
	for seed := range uint64(100) {
		n := mappingtest.Random(seed, 12)
		m := New(n.Radix())
		all := wander(m, n, 0, rand.New(rand.NewPCG(seed, 1)), 60)
		host := m.Host(n.Hosts[0])
		tree := m.Tree(host)
		for _, s := range all {
			v, shift := m.Find(s.vertex)
			if !tree.Reaches(v) {
				t.Fatalf("network %d: no way to %d", seed, v)
			}
			in, _ := n.Peer(mapping.End{})
			turns := tree.Turns(v)
			for _, turn := range turns {
				in, _ = n.Peer(mapping.End{Node: in.Node, Port: in.Port + int32(turn)})
			}
			if want := (mapping.End{Node: s.at.Node, Port: s.at.Port + int32(tree.Entry(v)-shift)}); in != want {
				t.Fatalf("network %d: the way %v to %d leads to %v, want %v", seed, turns, v, in, want)
			}
			if way := tree.Way(v); len(way) != len(turns)+1 || way[len(way)-1] != v {
				t.Fatalf("network %d: way %v, turns %v", seed, way, turns)
			}
		}
	}
}

// TestAround: the vertices and distances equal the tree's, nearest first.
func TestAround(t *testing.T) {
	for seed := range uint64(100) {
		n := mappingtest.Random(seed, 12)
		m := New(n.Radix())
		wander(m, n, 0, rand.New(rand.NewPCG(seed, 1)), 60)
		for v := range int32(m.Len()) {
			if !m.IsRoot(v) {
				continue
			}
			tree := m.Tree(v)
			k, toHost := 0, -1
			for u, wires := range m.Around(v) {
				if u != tree.Order[k] || wires != tree.Depth(u) {
					t.Fatalf("network %d: %d at %d wires, want %d at %d", seed, u, wires, tree.Order[k], tree.Depth(u))
				}
				if toHost < 0 && m.IsHost(u) {
					toHost = wires
				}
				k++
			}
			if wires, ok := m.DistanceToHost(v); k != len(tree.Order) || ok != (toHost >= 0) || ok && wires != toHost {
				t.Fatalf("network %d: %d of %d vertices, a host at %d, %v, want %d", seed, k, len(tree.Order), wires, ok, toHost)
			}
		}
	}
}

// TestWindow: ports of a switch are within a radix of each other.
func TestWindow(t *testing.T) {
	m := New(8)
	s := m.AddSwitch(0)
	if low, high := m.Window(s); low != -7 || high != 7 {
		t.Errorf("ports %d to %d of a switch without wires", low, high)
	}
	m.Connect(m.Host(mapping.Host{ID: 1}), 0, s, 0)
	m.Connect(s, 3, m.AddSwitch(0), 0)
	m.Connect(s, -2, m.AddSwitch(0), 0)
	if low, high := m.Window(s); low != -4 || high != 5 {
		t.Errorf("ports %d to %d of a switch with wires in -2 to 3", low, high)
	}
	if i, ok := m.Next(s, 0, -1, func(i int) bool { return m.At(s, i).IsUnknown() }); !ok || i != -1 {
		t.Errorf("the next port is %d, %v", i, ok)
	}
	if i, ok := m.Next(s, 0, 1, func(i int) bool { return i > 5 }); ok {
		t.Errorf("port %d is none of the switch", i)
	}
}

// TestSilence: a switch that is merged brings along how often its ports were silent, by
// which ways they were probed, and keeps the numbering of the one of lower rank.
func TestSilence(t *testing.T) {
	m := New(8)
	a, b := m.AddSwitch(5), m.AddSwitch(2)
	m.AddSilence(a, 1, ForHost)
	m.AddSilence(a, 1, ForHost)
	m.AddSilence(b, 3, ForSwitch)
	m.AddWay(a, []int32{a})
	kept, gone := int32(-1), int32(-1)
	m.Merging = func(k, g int32) { kept, gone = k, g }
	m.Merge(a, b, -2) // port 3 of b is port 1 of a
	if kept != b || gone != a {
		t.Fatalf("%d was merged into %d", gone, kept)
	}
	if root, shift := m.Find(a); root != b || shift != 2 {
		t.Errorf("%d by %d", root, shift)
	}
	want := [2]uint8{ForHost: 2, ForSwitch: 1}
	other := New(8)
	other.Absorb(m)
	for _, g := range []*Graph{m, other} {
		v := b
		if g == other {
			v = 0
		}
		if got := g.At(v, 3).Silent; got != want || !g.HasSilent(v) || len(g.Ways(v)) != 1 {
			t.Errorf("silent %v, want %v, tests %v", got, want, g.Ways(v))
		}
	}
	m.ForgetSilence(b)
	if m.HasSilent(b) || len(m.Ways(b)) != 0 {
		t.Error("silence was not forgotten")
	}
	if m.Nodes() != 1 || m.Peak() != 2 || m.Merges() != 1 || m.Wires() != 0 {
		t.Errorf("%d nodes, %d at most, %d merged, %d wires", m.Nodes(), m.Peak(), m.Merges(), m.Wires())
	}
}

// TestLearn: what two clones added to one graph is added to it, each vertex under a number
// of its own.
func TestLearn(t *testing.T) {
	g := New(8)
	h := g.Host(mapping.Host{ID: 1})
	a := g.AddSwitch(0)
	g.Connect(h, 0, a, 0)
	base := g.Len()
	var clones []*Graph
	for k := range 2 {
		c := g.Clone()
		u := c.AddSwitch(0)
		c.Connect(a, k+1, u, 0)
		for range k + 1 {
			c.AddSilence(u, 3, ForSwitch)
		}
		c.AddWay(u, []int32{a, u})
		if c.Added() != 4+k {
			t.Errorf("%d things were added to clone %d", c.Added(), k)
		}
		clones = append(clones, c)
	}
	for _, c := range clones {
		g.Learn(c, base)
	}
	for k := range 2 {
		u := g.At(a, k+1).To
		if u != int32(base+k) || g.At(u, 3).Silent[ForSwitch] != uint8(k+1) || len(g.Ways(u)) != 1 || g.Ways(u)[0][1] != u {
			t.Errorf("behind port %d: vertex %d, %+v, ways %v", k+1, u, g.At(u, 3), g.Ways(u))
		}
	}
}
