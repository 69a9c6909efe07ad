package routes

import (
	"testing"

	"weft/fabric/gen"
	"weft/mapping"
)

// TestRoutes tries every route in the network, and looks for a cycle among the wires
// that messages hold and wait for.
func TestRoutes(t *testing.T) {
	for seed := range uint64(60) {
		n := mapping.Random(seed, 30)
		table := Compute(n, &Options{Utility: -1, Seed: seed})
		try(t, n, table)
		if cycle(n, table) {
			t.Errorf("network %d: the routes can wait for each other", seed)
		}
	}
}

func try(t *testing.T, n *mapping.Network, table *Table) {
	t.Helper()
	m := mapping.NewModel(n, mapping.Circuit, mapping.Myrinet)
	for a := range n.Hosts {
		for b := range n.Hosts {
			if a == b {
				continue
			}
			if table.Turns[a][b] == nil {
				t.Errorf("no route from %d to %d", a, b)
				continue
			}
			if outcome, at, _ := m.Send(int32(a), table.Turns[a][b]); outcome != mapping.Delivered || at != int32(b) {
				t.Errorf("%d to %d: %s at %d", a, b, outcome, at)
			}
		}
	}
}

// cycle says whether the dependencies between directions of wires have a cycle.
func cycle(n *mapping.Network, table *Table) bool {
	after := map[mapping.End]map[mapping.End]bool{}
	for a := range table.Turns {
		for b, turns := range table.Turns[a] {
			if a == b {
				continue
			}
			out := mapping.End{Node: int32(a)}
			for _, turn := range turns {
				in, _ := n.Peer(out)
				next := mapping.End{Node: in.Node, Port: in.Port + int32(turn)}
				if after[out] == nil {
					after[out] = map[mapping.End]bool{}
				}
				after[out][next] = true
				out = next
			}
		}
	}
	state := map[mapping.End]int{}
	var visit func(e mapping.End) bool
	visit = func(e mapping.End) bool {
		switch state[e] {
		case 1:
			return true
		case 2:
			return false
		}
		state[e] = 1
		for next := range after[e] {
			if visit(next) {
				return true
			}
		}
		state[e] = 2
		return false
	}
	for e := range after {
		if visit(e) {
			return true
		}
	}
	return false
}

// TestRoot is the natural root of subcluster C: a switch of the third level.
func TestRoot(t *testing.T) {
	f, err := gen.Parse("now-c")
	if err != nil {
		t.Fatal(err)
	}
	n, err := mapping.FromFabric(f)
	if err != nil {
		t.Fatal(err)
	}
	if root := n.NodeName(Root(n, 35)); root != "C3.1" && root != "C3.2" {
		t.Errorf("root %s", root)
	}
	if root := n.NodeName(Root(n, -1)); root != "C3.2" {
		t.Errorf("root %s when the utility host counts", root)
	}
}
