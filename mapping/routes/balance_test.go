package routes

import (
	"fmt"
	"testing"

	"weft/mapping"
	"weft/mapping/mappingtest"
)

// allWays lists every shortest legal path from a host to another as the wire-ends through which it
// leaves nodes: all walks of this many wires that never go up after going down.
func allWays(o *order, from, to int32, wires int) (all [][]mapping.End) {
	var walk func(at int32, down bool, way []mapping.End)
	walk = func(at int32, down bool, way []mapping.End) {
		if at == to && len(way) == wires {
			all = append(all, append([]mapping.End(nil), way...))
		}
		if len(way) == wires || o.n.IsHost(at) && at != from {
			return
		}
		for p := range o.n.Ports(at) {
			here := mapping.End{Node: at, Port: p}
			there, ok := o.n.Peer(here)
			if !ok || there.Node == at || down && o.leadsUp(at, there.Node) {
				continue
			}
			walk(there.Node, down || !o.leadsUp(at, there.Node), append(way, here))
		}
	}
	walk(from, false, nil)
	return all
}

// wayOf returns the wire-ends of a route.
func wayOf(n *mapping.Network, from int32, turns []mapping.Turn) []mapping.End {
	way := []mapping.End{{Node: from}}
	for _, turn := range turns {
		in, _ := n.Peer(way[len(way)-1])
		way = append(way, mapping.End{Node: in.Node, Port: in.Port + int32(turn)})
	}
	return way
}

// TestBalance: every route is one of all shortest legal ways, and the busiest wire between
// switches carries no more routes than where the first way found is taken, and mostly
// fewer.
func TestBalance(t *testing.T) {
	ours, first := 0, 0
	networks := []*mapping.Network{mappingtest.Network(t, "karytree(4,2)")}
	for seed := range uint64(30) {
		networks = append(networks, mappingtest.Random(seed, 12))
	}
	for k, n := range networks {
		seed := uint64(k)
		table := Compute(n, &Options{Utility: -1, Seed: seed})
		o := order{n: n, level: n.Distances(table.Root)}
		o.relabel()
		load, plain := map[mapping.End]int{}, map[mapping.End]int{}
		for a := range int32(n.NumHosts()) {
			for b, turns := range table.Turns[a] {
				if turns == nil {
					continue
				}
				all := allWays(&o, a, int32(b), len(turns)+1)
				way, found := wayOf(n, a, turns), false
				for _, other := range all {
					found = found || fmt.Sprint(way) == fmt.Sprint(other)
				}
				if !found {
					t.Fatalf("network %d, %d to %d: %v is none of %v", seed, a, b, way, all)
				}
				for k := 1; k < len(way)-1; k++ {
					load[way[k]]++
					plain[all[0][k]]++
				}
			}
		}
		most, mostPlain := 0, 0
		for _, routes := range load {
			most = max(most, routes)
		}
		for _, routes := range plain {
			mostPlain = max(mostPlain, routes)
		}
		ours, first = ours+most, first+mostPlain
		if k < 1 && 2*most > mostPlain || most > mostPlain {
			t.Errorf("network %d: %d routes on a wire, %d with the first ways", seed, most, mostPlain)
		}
	}
	t.Logf("the busiest wires carry %d routes, %d with the first ways", ours, first)
}

// TestAllWays: between two hosts alone every shortest legal way is taken with some seed.
func TestAllWays(t *testing.T) {
	n := mappingtest.Network(t, "karytree(3,3)")
	keep := make([]bool, n.NumNodes())
	for v := range keep {
		keep[v] = !n.IsHost(int32(v)) || v == 0 || v == n.NumHosts()-1
	}
	n = n.Keep(keep)
	used, all := map[string]bool{}, 0
	for seed := range uint64(200) {
		table := Compute(n, &Options{Utility: -1, Seed: seed})
		o := order{n: n, level: n.Distances(table.Root)}
		o.relabel()
		all = len(allWays(&o, 0, 1, len(table.Turns[0][1])+1))
		used[fmt.Sprint(table.Turns[0][1])] = true
	}
	if all < 3 || len(used) != all {
		t.Errorf("%d of %d ways are used", len(used), all)
	}
}
