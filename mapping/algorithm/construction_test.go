package algorithm

import (
	"slices"
	"testing"

	"weft/mapping"
	"weft/mapping/mappingtest"
	"weft/mapping/theory"
)

// simple calls visit with every way from a host that uses no wire twice, in either
// direction, up to a length; where it may go on, and where it ends at a host. The wire
// of the mapper may be used again at the end.
func simple(n *mapping.Network, mapper int32, most int, visit func(w proofWay, at mapping.End)) {
	used := map[mapping.End]bool{}
	var w proofWay
	var from func(out mapping.End)
	from = func(out mapping.End) {
		in, ok := n.Peer(out)
		if !ok || len(w) == most || used[out] && in.Node != mapper {
			return
		}
		w = append(w, out)
		visit(w, in)
		if !n.IsHost(in.Node) {
			used[out], used[in] = true, true
			for p := range n.Ports(in.Node) {
				if next := (mapping.End{Node: in.Node, Port: p}); next != in || in.Port == p && len(w) == 1 {
					from(next)
				}
			}
			used[out], used[in] = false, false
		}
		w = w[:len(w)-1]
	}
	from(mapping.End{Node: mapper})
}

// TestConstruction: for every switch v of the core of small networks, with the purple and red path
// of Q(v), and for every green path of up to D + 1 wires to a replicate of it, the construction
// ends. Every path that it pastes gets through under circuit routing, ends at a host, and is no
// longer than Q + D. Nowhere is Q + D + 1 needed.
func TestConstruction(t *testing.T) {
	pastes, longest, bound := 0, 0, false
	for seed := range uint64(800) {
		n := mappingtest.Random(seed, 5)
		facts := theory.FactsOf(n, 0)
		purple, red := make([]proofWay, n.NumNodes()), make([]proofWay, n.NumNodes())
		simple(n, 0, facts.Q, func(w proofWay, at mapping.End) {
			if !n.IsHost(at.Node) {
				return
			}
			for i := 1; i < len(w); i++ {
				if v := w[i].Node; int(facts.QOf[v]) == len(w) && purple[v] == nil {
					purple[v], red[v] = slices.Clone(w[:i]), slices.Clone(w[i:])
				}
			}
		})
		for v := n.NumHosts(); v < n.NumNodes(); v++ {
			if (purple[v] == nil) != (facts.QOf[v] < 0) {
				t.Fatalf("network %d: Q(%s) is %d, and a way of that length was found: %v", seed, n.NodeName(int32(v)), facts.QOf[v], purple[v] != nil)
			}
		}
		simple(n, 0, facts.D+1, func(green proofWay, at mapping.End) {
			if n.IsHost(at.Node) || purple[at.Node] == nil {
				return
			}
			pasted, err := construct(n, purple[at.Node], red[at.Node], slices.Clone(green))
			if err != nil {
				t.Fatalf("network %d, %v: %v", seed, green, err)
			}
			for _, w := range pasted {
				pastes++
				end, _ := n.Peer(w[len(w)-1])
				if !w.passes(n) || !n.IsHost(end.Node) || len(w) > facts.Q+facts.D {
					t.Fatalf("network %d: pasted %v of %d wires, Q %d, D %d", seed, w, len(w), facts.Q, facts.D)
				}
				longest = max(longest, len(w))
				bound = bound || len(w) == facts.Q+facts.D
			}
		})
	}
	t.Logf("%d pastes, the longest of %d wires, one of Q + D: %v", pastes, longest, bound)
	if pastes < 10_000 || !bound {
		t.Errorf("only %d pastes; one of Q + D: %v", pastes, bound)
	}
}

// TestFollow: the correspondence map agrees with the messages of the model, and a proofWay
// with its turns.
func TestFollow(t *testing.T) {
	for seed := range uint64(20) {
		n := mappingtest.Random(seed, 5)
		m := mapping.NewModel(n, mapping.Packet, mapping.Myrinet)
		simple(n, 0, 6, func(w proofWay, at mapping.End) {
			turns := w.turns(n)
			way, end, ok := follow(n, 0, turns)
			if !ok || end != at || !slices.Equal(way, w) {
				t.Fatalf("network %d: %v leads to %v by %v, want %v by %v", seed, turns, end, way, at, w)
			}
			outcome, node, _ := m.Send(0, turns)
			want := mapping.Stranded
			if n.IsHost(at.Node) {
				want = mapping.Delivered
			}
			if outcome != want || node != at.Node {
				t.Fatalf("network %d: %v is %s at %d", seed, turns, outcome, node)
			}
			if _, _, ok := follow(n, 0, append(turns, 100)); ok {
				t.Fatalf("network %d: a turn of 100 leads somewhere", seed)
			}
		})
	}
}

// TestChunks is Definition 7 by hand: on a chain of switches 1 to 5 the way there and
// back in parts.
func TestChunks(t *testing.T) {
	end := func(node, port int32) mapping.End { return mapping.End{Node: node, Port: port} }
	n, err := mapping.New([]mapping.Host{{ID: 1}}, []int32{8, 8, 8, 8, 8}, []mapping.Wire{
		{end(0, 0), end(1, 0)},
		{end(1, 1), end(2, 0)},
		{end(2, 1), end(3, 0)},
		{end(3, 1), end(4, 0)},
		{end(4, 1), end(5, 0)},
		{end(1, 2), end(4, 2)},
		{end(2, 2), end(5, 2)},
	})
	if err != nil {
		t.Fatal(err)
	}
	a := proofWay{end(0, 0), end(1, 1), end(2, 1), end(3, 1), end(4, 1)} // 1 2 3 4 5
	for _, c := range []struct {
		name string
		b    proofWay
		want []chunk
	}{
		{"itself", a, []chunk{{0, 0, 5, false}}},
		{"reversed behind the first", proofWay{end(0, 0), end(1, 2), end(4, 0), end(3, 0), end(2, 2)}, []chunk{{0, 0, 1, false}, {2, 2, 2, true}}},
		{"two that abut", proofWay{end(0, 0), end(1, 2), end(4, 1), end(5, 2), end(2, 1)}, []chunk{{0, 0, 1, false}, {2, 4, 1, false}, {4, 2, 1, false}}},
		{"nothing", proofWay{end(1, 2)}, nil},
	} {
		if got := chunksOf(n, a, c.b); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
