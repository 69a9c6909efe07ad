package theory

import (
	"slices"
	"testing"

	"weft/mapping"
	"weft/mapping/mappingtest"
)

// TestNOW has the facts of the reconstructions.
func TestNOW(t *testing.T) {
	for _, c := range []struct {
		name string
		q, d int
	}{{"now-c", 6, 4}, {"now-ca", 7, 7}, {"now-cab", 8, 8}} {
		n := mappingtest.Network(t, c.name)
		utility, err := n.FindHost("host 35")
		if err != nil {
			t.Fatal(err)
		}
		if facts := FactsOf(n, utility); facts.Q != c.q || facts.D != c.d || len(facts.F) != 0 {
			t.Errorf("%s: Q %d, D %d, F %v, want %d, %d and none", c.name, facts.Q, facts.D, facts.F, c.q, c.d)
		}
	}
}

// walks finds Q(v) by trying all walks from the mapper that repeat no wire, but that
// the first and the last may be the same.
type walks struct {
	n    *mapping.Network
	used map[mapping.End]bool
	best []int32
	on   []int32
}

func (w *walks) from(out mapping.End) {
	in, ok := w.n.Peer(out)
	if !ok || w.used[out] && !w.n.IsHost(in.Node) {
		return
	}
	w.on = append(w.on, in.Node)
	defer func() { w.on = w.on[:len(w.on)-1] }()
	if w.n.IsHost(in.Node) {
		for _, v := range append(slices.Clone(w.on), 0) {
			if length := int32(len(w.on)); w.best[v] < 0 || length < w.best[v] {
				w.best[v] = length
			}
		}
		return
	}
	w.used[out], w.used[in] = true, true
	for p := range w.n.Ports(in.Node) {
		if next := (mapping.End{Node: in.Node, Port: p}); !w.used[next] || w.mapper(next) {
			w.from(next)
		}
	}
	w.used[out], w.used[in] = false, false
}

func (w *walks) mapper(e mapping.End) bool {
	in, ok := w.n.Peer(e)
	return ok && in.Node == 0
}

// TestQ compares the flow with the definition on small networks.
func TestQ(t *testing.T) {
	for seed := range uint64(200) {
		n := mappingtest.Random(seed, 5)
		w := walks{n: n, used: map[mapping.End]bool{}, best: make([]int32, n.NumNodes())}
		for v := range w.best {
			w.best[v] = -1
		}
		w.from(mapping.End{})
		facts := FactsOf(n, 0)
		for v := n.NumHosts(); v < n.NumNodes(); v++ {
			if facts.QOf[v] != w.best[v] {
				t.Errorf("network %d, Q(%s) is %d by flow and %d by definition", seed, n.NodeName(int32(v)), facts.QOf[v], w.best[v])
			}
		}
	}
}

// separated marks the nodes without a flow of two to the hosts (Lemma 1).
func separated(n *mapping.Network) []bool {
	f := newFlow(n.NumNodes())
	f.wires(n, -1)
	for h := range int32(n.NumHosts()) {
		f.arc(h, f.sink, 2, 0)
		// A bridge to a host is no switch-bridge: its wire may be used twice.
		if e, ok := n.Peer(mapping.End{Node: h}); ok {
			f.arc(e.Node, h, 1, 1)
			f.arc(h, e.Node, 1, 1)
		}
	}
	f.keep()
	cut := make([]bool, n.NumNodes())
	for v := range cut {
		f.reset()
		for range 2 {
			if _, ok := f.augment(int32(v)); !ok {
				cut[v] = true
			}
		}
	}
	return cut
}

// TestDiameter compares it with a search from every node, in parts too.
func TestDiameter(t *testing.T) {
	for seed := range uint64(200) {
		n := mappingtest.Random(seed, 12)
		if seed%2 == 0 { // without some wires
			part, err := mapping.New(n.Hosts, n.Degree, n.Wires()[seed%7:])
			if err != nil {
				t.Fatal(err)
			}
			n = part
		}
		most := int32(0)
		for v := range int32(n.NumNodes()) {
			most = max(most, slices.Max(n.Distances(v)))
		}
		if d := Diameter(n); d != int(most) {
			t.Errorf("network %d: diameter %d, want %d", seed, d, most)
		}
	}
}

// TestF is Lemma 1: the same nodes by flow, by Q and by switch-bridges.
func TestF(t *testing.T) {
	some := 0
	for seed := range uint64(300) {
		n := mappingtest.Random(seed, 40)
		facts := FactsOf(n, 0)
		some += len(facts.F)
		for v, cut := range separated(n) {
			if cut != slices.Contains(facts.F, int32(v)) {
				t.Errorf("network %d: %s has Q %d, cut off by flow: %v", seed, n.NodeName(int32(v)), facts.QOf[v], cut)
			}
		}
		keep := make([]bool, n.NumNodes())
		for v := range keep {
			keep[v] = !slices.Contains(facts.F, int32(v))
		}
		if err := Same(Core(n), n.Keep(keep)); err != nil {
			t.Errorf("network %d: %v", seed, err)
		}
	}
	if some == 0 {
		t.Error("no network had anything in F")
	}
}

// TestSame permutes switches and shifts ports; a wire moved by one port is noticed.
func TestSame(t *testing.T) {
	for seed := range uint64(50) {
		n := mappingtest.Random(seed, 30)
		if err := Same(n, mappingtest.Shuffled(t, n, seed, n.Wires())); err != nil {
			t.Errorf("network %d: %v", seed, err)
		}
		moved := n.Wires() // to the port after the last
		moved[0][1].Port = n.Ports(moved[0][1].Node)
		if err := Same(n, mappingtest.Shuffled(t, n, seed, moved)); err == nil {
			t.Errorf("network %d: a moved wire was not noticed", seed)
		}
	}
}

// TestSameShift: one switch whose wires are shifted by two offsets is not the same.
func TestSameShift(t *testing.T) {
	hosts := []mapping.Host{{ID: 1}, {ID: 2}}
	of := func(second int32) *mapping.Network {
		return mappingtest.New(t, hosts, []int32{8}, []mapping.Wire{{{Node: 0}, {Node: 2, Port: 1}}, {{Node: 1}, {Node: 2, Port: second}}})
	}
	if Same(of(3), of(4)) == nil || Same(of(3), of(3)) != nil {
		t.Error("hosts 2 ports apart are not hosts 3 ports apart")
	}
	// Parallel wires that cross each other lead to the same switch by other ports.
	parallel := func(a, b int32) *mapping.Network {
		return mappingtest.New(t, hosts, []int32{8, 8}, []mapping.Wire{
			{{Node: 0}, {Node: 2, Port: 5}},
			{{Node: 1}, {Node: 3, Port: 5}},
			{{Node: 2, Port: 1}, {Node: 3, Port: a}},
			{{Node: 2, Port: 2}, {Node: 3, Port: b}},
		})
	}
	if Same(parallel(1, 2), parallel(2, 1)) == nil || Same(parallel(1, 2), parallel(1, 2)) != nil {
		t.Error("two wires that cross are not two that do not")
	}
}
