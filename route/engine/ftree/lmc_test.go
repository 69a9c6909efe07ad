package ftree

import (
	"fmt"
	"testing"

	"weft/fabric"
	"weft/route"
	"weft/route/lids"
	"weft/route/recipe"
)

// pathsTo counts the different paths from a switch to the LIDs of a host, and how many
// of them share no channel.
func pathsTo(g *fabric.Graph, plan *route.Plan, from, host int32) (different, disjoint int) {
	taken := make([]bool, g.NumChannels)
	seen := map[string]bool{}
	for k := range plan.Ends.Count(host) {
		var path []int32
		apart := true
		for at := from; at != g.EndSwitch[host]; {
			c, _ := g.At(at, plan.Tables.Port(at, plan.Ends.Base[host]+fabric.LID(k)))
			path = append(path, c)
			apart = apart && !taken[c]
			at = g.To[c]
		}
		seen[fmt.Sprint(path)] = true
		if !apart {
			continue
		}
		disjoint++
		for _, c := range path {
			taken[c] = true
		}
	}
	return len(seen), disjoint
}

// shortest counts the shortest paths from a switch to all others.
func shortest(g *fabric.Graph, from int32) []int {
	count := make([]int, g.NumSwitches)
	count[from] = 1
	far := distances(g, []int32{from}, nil)
	for d := int32(0); int(d) < g.NumSwitches; d++ {
		for c := range g.NumChannels {
			if u, v := g.From[c], g.To[c]; far[u] == d && far[v] == d+1 {
				count[v] += count[u]
			}
		}
	}
	return count
}

// TestMultipleLIDs: with LMC the LIDs of a host take paths of their own, as in the
// multiple-LID scheme for m-port n-trees (Lin, Chung, Huang 2004): as many different ones
// as there are LIDs or shortest paths, as many disjoint ones as there are LIDs or links
// up from a leaf. Routing by load gives the latter only.
func TestMultipleLIDs(t *testing.T) {
	for formula, links := range map[string]int{"mport(4,3)": 2, "mport(8,3)": 4, "mport(6,3)": 3, "rlft(8,2)": 4} {
		g := graph(t, formula)
		for lmc := range uint8(5) {
			for _, balance := range []string{closed, dmodk, zahavi, beft} {
				req := &recipe.Request{Engine: Spec(), Options: map[string]string{"balance": balance}, Names: lids.Options{LMC: lmc}, Workers: 1}
				plan, err := recipe.Run(t.Context(), g, req, func(string) {})
				if err != nil {
					t.Fatal(err)
				}
				for s := range int32(g.NumSwitches) {
					if len(g.HostsOf(s)) == 0 {
						continue
					}
					ways := shortest(g, s)
					for host := range int32(g.NumHosts) {
						to := g.EndSwitch[host]
						if s == to {
							continue
						}
						different, disjoint := pathsTo(g, plan, s, host)
						want := min(1<<lmc, ways[to])
						if disjoint < min(1<<lmc, links) || different < want && balance != zahavi && balance != beft {
							t.Fatalf("%s lmc %d %s: %d paths for %d LIDs, %d of them disjoint; %d exist", formula, lmc, balance, different, 1<<lmc, disjoint, ways[to])
						}
					}
				}
			}
		}
	}
}
