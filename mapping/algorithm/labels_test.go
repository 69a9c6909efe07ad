package algorithm

import (
	"testing"

	"weft/mapping"
	"weft/mapping/mappingtest"
	"weft/mapping/theory"
)

// treeOf returns the model tree of a small network, and C of its vertices: nodes and the entry
// ports of their strings.
func treeOf(t *testing.T, n *mapping.Network, rule mapping.Collision, depth int) (*tree, []mapping.End) {
	t.Helper()
	m := mapping.NewMapper(mapping.NewModel(n, rule, mapping.Myrinet), 0, mapping.Conditions{})
	tree, _ := exploreTree(t.Context(), m, &Options{Self: n.Hosts[0], Radix: n.Radix(), Depth: depth, Limit: 5_000})
	if tree.Stopped() != nil {
		return nil, nil
	}
	ends := make([]mapping.End, len(tree.parent))
	for v := int32(1); int(v) < len(ends); v++ {
		_, at, ok := follow(n, 0, tree.string(v))
		if !ok {
			t.Fatalf("vertex %d has the string %v of no path", v, tree.string(v))
		}
		ends[v] = at
	}
	return tree, ends
}

// TestLemmas2And3: after every round of the labeler vertices with the same label are
// replicates with the same indexing offset (Lemma 2); and vertices with parallel paths
// of k edges to vertices that have one label at first have the same label after k rounds
// (Lemma 3).
func TestLemmas2And3(t *testing.T) {
	trees, merged := 0, 0
	for seed := range uint64(100) {
		n := mappingtest.Random(seed, 4)
		facts := theory.FactsOf(n, 0)
		for _, rule := range mapping.Collisions() {
			tree, ends := treeOf(t, n, rule, min(5, facts.Depth()))
			if tree == nil {
				continue
			}
			trees++
			classes := newClasses(tree)
			for round, more := 1, true; more; round++ {
				more = tree.merge()
				merged += sameLabels(t, seed, tree, ends)
				classes.extend(tree, ends)
				for v := range tree.parent {
					if w := classes.of[v]; tree.label[v] != tree.label[w] {
						t.Fatalf("network %d, %s, round %d: parallel paths of that length join %v and %v, which have two labels", seed, rule, round, tree.string(int32(v)), tree.string(w))
					}
				}
			}
		}
	}
	if trees < 60 || merged < 1000 {
		t.Errorf("only %d trees, %d labels seen twice", trees, merged)
	}
}

// sameLabels checks Lemma 2 and counts the vertices that share a label with another.
func sameLabels(t *testing.T, seed uint64, tree *tree, ends []mapping.End) (shared int) {
	t.Helper()
	for _, with := range tree.with {
		for _, v := range with {
			w := with[0]
			if v == w {
				continue
			}
			shared++
			if ends[v].Node != ends[w].Node {
				t.Fatalf("network %d: %v and %v have the same label and lead to two nodes", seed, tree.string(v), tree.string(w))
			}
			if int(ends[v].Port)-tree.offset[v] != int(ends[w].Port)-tree.offset[w] {
				t.Fatalf("network %d: %v and %v have the same label and two indexing offsets", seed, tree.string(v), tree.string(w))
			}
		}
	}
	return shared
}

// classes are sets of vertices; each is known by its least vertex.
type classes struct{ of []int32 }

// newClasses has a class for each host, and one for each switch-vertex.
func newClasses(tree *tree) *classes {
	c := &classes{of: make([]int32, len(tree.parent))}
	first := map[int32]int32{}
	for v := range c.of {
		w, known := first[tree.label[v]]
		if !known {
			w = int32(v)
			first[tree.label[v]] = w
		}
		c.of[v] = w
	}
	return c
}

// extend joins vertices with parallel edges to one class.
func (c *classes) extend(tree *tree, ends []mapping.End) {
	type edge struct {
		from mapping.End // the actual wire-end
		to   int32       // class
	}
	before := append([]int32(nil), c.of...)
	first := map[edge]int32{}
	join := func(v int32, port int32, u int32) {
		e := edge{mapping.End{Node: ends[v].Node, Port: port}, before[u]}
		w, known := first[e]
		if !known {
			first[e] = v
			return
		}
		a, b := c.of[v], c.of[w]
		for x := range c.of {
			if c.of[x] == max(a, b) {
				c.of[x] = min(a, b)
			}
		}
	}
	for v := int32(1); int(v) < len(c.of); v++ {
		u := tree.parent[v]
		join(v, ends[v].Port, u)
		join(u, ends[u].Port+int32(tree.turn[v]), v)
	}
}

// tight is the smallest network found that needs the whole bound: two hosts on one
// switch, and two wires to another that has a loopback cable.
func tight(t *testing.T) *mapping.Network {
	t.Helper()
	end := func(node, port int32) mapping.End { return mapping.End{Node: node, Port: port} }
	n, err := mapping.New([]mapping.Host{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}}, []int32{8, 8}, []mapping.Wire{
		{end(0, 0), end(2, 1)}, {end(1, 0), end(2, 5)}, {end(2, 4), end(3, 3)}, {end(2, 7), end(3, 0)}, {end(3, 4), end(3, 5)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestBound: to explore strings of Q + D - 3 turns is enough on random networks, and
// not one less on a small one. The probes are then of Q + D - 2 turns, over Q + D - 1
// wires: the + 1 of section 3.1.4 is never needed, and section 3.2.7 leaves it out.
func TestBound(t *testing.T) {
	n := tight(t)
	facts := theory.FactsOf(n, 0)
	if facts.Q != 4 || facts.D != 2 {
		t.Fatalf("Q %d, D %d", facts.Q, facts.D)
	}
	for _, name := range []string{"berkeley-labels", "berkeley"} {
		for depth := range facts.Depth() + 2 {
			r, err := mapped(find(t, name), n, 0, mapping.Circuit, depth)
			if err != nil {
				t.Fatal(err)
			}
			if right := theory.Same(r.Map, n) == nil; right != (depth >= facts.Depth()-3) {
				t.Errorf("%s at depth %d of %d: right is %v", name, depth, facts.Depth(), right)
			}
		}
	}
	for seed := range uint64(100) {
		n := mappingtest.Random(seed, 4)
		facts := theory.FactsOf(n, 0)
		for _, name := range []string{"berkeley-labels", "berkeley"} {
			for _, extra := range []int{0, 1, 3} {
				r, err := mapped(find(t, name), n, 0, mapping.Circuit, facts.Depth()-3+extra)
				if err != nil {
					break // the tree is too large
				}
				if err := theory.Same(r.Map, theory.Core(n)); err != nil {
					t.Errorf("network %d, %s at depth %d: %v", seed, name, facts.Depth()-3+extra, err)
				}
			}
		}
	}
}

// TestLabelProbes: the labels send as many probes as theory says, if no message collides with
// itself.
func TestLabelProbes(t *testing.T) {
	mapped := 0
	for seed := range uint64(60) {
		n := mappingtest.Random(seed, 4)
		for depth := range 5 {
			want := theory.LabelProbes(n, 0, depth)
			if want > 20_000 {
				break
			}
			m := mapping.NewMapper(mapping.NewModel(n, mapping.Packet, mapping.Myrinet), 0, mapping.Conditions{})
			tree, _ := exploreTree(t.Context(), m, &Options{Self: n.Hosts[0], Radix: n.Radix(), Depth: depth})
			if got := float64(tree.Probes.Total().Sent); got != want {
				t.Errorf("network %d, depth %d: %v probes, want %v", seed, depth, got, want)
			}
			mapped++
		}
	}
	if mapped < 100 {
		t.Errorf("only %d trees", mapped)
	}
}
