package ftree

import (
	"fmt"
	"testing"

	"weft/fabric"
	"weft/internal/racing"
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
	search := g.NewSearch(nil)
	search.From(from)
	far := search.Hops
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
	racing.SkipLong(t)
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

// TestBaseLIDsByOptions: with LMC the base LIDs go the paths that they go with one LID a port, and
// all LIDs together load no link by more than 2 % more than those paths do.
func TestBaseLIDsByOptions(t *testing.T) {
	racing.SkipLong(t)
	for _, formula := range []string{
		"rlft(8,2)", "mport(6,3)", "rlft(6,3)|hosts(even=3,odd=1)", "rlft(8,3)|fail(links=20,seed=1)", "rlft(6,3)|ports(2)|fail(links=9,seed=2)",
		"racks216|fail(share=0.1,links=up,seed=1)", "rlft(6,3)|fail(switches=4,seed=3)",
	} {
		g := graph(t, formula)
		for _, options := range []map[string]string{
			{}, {"balance": closed}, {"balance": dmodk}, {"multihomed": mftree}, {"multihomed": standby}, {"switches": none},
		} {
			var plans [3]*route.Plan
			for lmc := range plans {
				var err error
				req := &recipe.Request{Engine: Spec(), Options: options, Names: lids.Options{LMC: uint8(lmc)}, Workers: 2}
				if plans[lmc], err = recipe.Run(t.Context(), g, req, func(string) {}); err != nil {
					t.Fatal(err)
				}
			}
			one := plans[0]
			for lmc, plan := range plans[1:] {
				for h := range int32(g.NumHosts) {
					for s := range int32(g.NumSwitches) {
						if got, want := plan.Tables.Port(s, plan.Ends.Base[h]), one.Tables.Port(s, one.Ends.Base[h]); got != want {
							t.Fatalf("%s %v lmc %d: switch %d sends the base LID of host %d by port %d, with one LID by %d", formula, options, lmc+1, s, h, got, want)
						}
					}
				}
				if most, all := mostLoaded(g, one), mostLoaded(g, plan); 50*all > 51*most<<(lmc+1) && len(options) == 0 {
					t.Errorf("%s %v lmc %d: %d paths on the most loaded link, %d with one LID", formula, options, lmc+1, all, most)
				}
				if r := judged(t, g, plan); !r.OK && options["switches"] != none {
					t.Errorf("%s %v lmc %d: unreachable %d, loops %d, deadlock-free %v", formula, options, lmc+1, r.Unreachable, r.Loops, r.DeadlockFree)
				}
			}
		}
	}
}
