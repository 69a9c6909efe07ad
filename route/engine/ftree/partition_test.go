package ftree

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"weft/examples"
	"weft/fabric"
	"weft/fabric/netfile"
	"weft/internal/dumps"
	"weft/route"
	"weft/route/recipe"
)

// TestFlippedLeaf: a leaf without hosts is still a leaf (paper IV, figure 1), by
// itself and by its role.
func TestFlippedLeaf(t *testing.T) {
	for _, formula := range []string{"rlft(8,2)", "rlft(8,3)", "fat648", "rlft(6,3)"} {
		whole := recognise(graph(t, formula), nil, nil)
		g := graph(t, formula+"|hosts(even=3,odd=0)")
		bare := recognise(g, nil, nil)
		var empty, roots []int32
		for s := range int32(g.NumSwitches) {
			if whole.Level[s] == 0 && len(g.HostsOf(s)) == 0 {
				empty = append(empty, s)
			}
			if whole.Level[s] == whole.Top {
				roots = append(roots, s)
			}
		}
		for name, heights := range map[string][]int32{
			"inferred": bare.Level, "leaves": recognise(g, nil, empty).Level, "roots": recognise(g, roots, nil).Level,
		} {
			if len(empty) == 0 || !slices.Equal(heights, whole.Level) {
				t.Errorf("%s, %s: %d empty leaves, levels %v, want %v", formula, name, len(empty), heights, whole.Level)
			}
		}
	}
}

// TestEmptyRack: a rack switch without hosts is beside its partner.
func TestEmptyRack(t *testing.T) {
	whole := recognise(graph(t, "racks648"), nil, nil)
	if got := recognise(graph(t, "racks648|hosts(even=22,odd=1)"), nil, nil); !slices.Equal(got.Level, whole.Level) {
		t.Errorf("levels %v, want %v", got.Level, whole.Level)
	}
}

// TestStrict: strict takes whole trees and refuses others, by a typed refusal.
func TestStrict(t *testing.T) {
	for formula, ok := range map[string]bool{
		"fat648": true, "rlft(8,3)": true, "karytree(3,3)": true, "racks648": false, "fat648|fail(links=1,seed=1)": false,
	} {
		g := graph(t, formula)
		_, err := recipe.Run(t.Context(), g, &recipe.Request{Engine: Spec(), Options: map[string]string{"strict": "true"}, Workers: 1}, func(string) {})
		var no *route.Refusal
		if (err == nil) != ok || err != nil && !errors.As(err, &no) {
			t.Errorf("%s: %v", formula, err)
		}
	}
	for _, formula := range []string{"torus(4x4,hosts=1)", "hyperx(4x3,hosts=2)", "kautz(2,3,hosts=24)"} {
		_, err := recipe.Run(t.Context(), graph(t, formula), &recipe.Request{Engine: Spec(), Workers: 1}, func(string) {})
		if _, ok := errors.AsType[*route.Refusal](err); !ok {
			t.Errorf("%s: %v", formula, err)
		}
	}
}

// common counts the (source, node) pairs whose paths to the two ports of the node
// share a switch that is not the source's own.
func common(g *fabric.Graph, plan *route.Plan) (pairs, shared int) {
	for n := range g.NumNodes {
		ends := g.NodeEnds[g.NodeStart[n]:g.NodeStart[n+1]]
		if len(ends) < 2 || g.EndSwitch[ends[0]] == g.EndSwitch[ends[1]] {
			continue
		}
		for s := range int32(g.NumSwitches) {
			if len(g.HostsOf(s)) == 0 || s == g.EndSwitch[ends[0]] || s == g.EndSwitch[ends[1]] {
				continue
			}
			pairs++
			on := map[int32]bool{}
			for _, end := range ends {
				for at := s; at != g.EndSwitch[end]; {
					c, _ := g.At(at, plan.Tables.Port(at, plan.Ends.Base[end]))
					if at = g.To[c]; at != g.EndSwitch[end] {
						if on[at] {
							shared++
							break
						}
						on[at] = true
					}
				}
			}
		}
	}
	return pairs, shared
}

// TestMFtree: no path to one port of a node shares a switch with that to the other, and
// no link has more paths for it. Failures change neither, nor odd numbers of links.
func TestMFtree(t *testing.T) {
	for _, c := range []struct {
		formula  string
		balances []string
	}{
		{"fat648", []string{closed, zahavi, beft}},
		{"racks648", []string{closed, zahavi, beft}},
		{"racks216", []string{closed, zahavi, beft}},
		{"rlft(8,3)", []string{closed, zahavi, beft}},
		{"rlft(8,2)", []string{closed, zahavi, beft}},
		{"over384", []string{auto}},
		{"fat648|fail(share=0.05,links=up,seed=1)", []string{auto}},
		{"racks648|fail(share=0.01,links=up,seed=1)", []string{auto}},
		{"rlft(8,3)|fail(share=0.05,links=up,seed=1)", []string{auto}},
	} {
		base, suffix, _ := strings.Cut(c.formula, "|")
		formula := base + "|ports(2)"
		if suffix != "" {
			formula += "|" + suffix
		}
		g := graph(t, formula)
		for _, balance := range c.balances {
			if testing.Short() && balance != c.balances[0] {
				continue
			}
			plain, apart := routed(t, g, "balance="+balance), routed(t, g, "multihomed=mftree balance="+balance)
			pairs, without := common(g, plain)
			_, with := common(g, apart)
			a, b := mostLoaded(g, plain), mostLoaded(g, apart)
			t.Logf("%s %s: of %d pairs of leaf and node %d share a switch, with mftree %d; most loaded link %d, %d", formula, balance, pairs, without, with, a, b)
			if with > 0 || 100*b > 105*a {
				t.Errorf("%s %s: %d pairs share a switch, a link has %d paths, not %d", formula, balance, with, b, a)
			}
		}
	}
}

// TestStandby: the first ports of all nodes are balanced as if there were no others, and
// still the paths to the ports of one node are apart.
func TestStandby(t *testing.T) {
	for _, formula := range []string{"fat648|ports(2)", "racks216|ports(2)", "rlft(8,3)|ports(2)"} {
		g := graph(t, formula)
		for _, balance := range []string{closed, beft} {
			uneven := map[string]int{}
			for _, homes := range []string{mftree, standby} {
				plan := routed(t, g, "multihomed="+homes+" balance="+balance)
				if _, shared := common(g, plan); shared > 0 {
					t.Errorf("%s %s %s: %d pairs share a switch", formula, balance, homes, shared)
				}
				var first []int32
				for n := range g.NumNodes {
					if e := g.NodeEnds[g.NodeStart[n]]; !g.IsPortZero(e) {
						first = append(first, e)
					}
				}
				tr := recognise(g, nil, nil)
				through := make([]int, g.NumSwitches)
				for c, n := range destinations(g, plan, first) {
					if tr.Level[g.From[c]] > tr.Level[g.To[c]] {
						through[g.From[c]] += n
					}
				}
				least, most := 1<<30, 0
				for s, n := range through {
					if tr.Level[s] == tr.Top {
						least, most = min(least, n), max(most, n)
					}
				}
				uneven[homes] = most - least
			}
			allowed := 1
			if strings.HasPrefix(formula, "racks") {
				allowed = 4 // four leaves of a pod share 18 spines
			}
			if uneven[standby] > allowed {
				t.Errorf("%s %s: roots differ by %d first ports, with mftree by %d", formula, balance, uneven[standby], uneven[mftree])
			}
		}
	}
}

// destinations counts the end ports, of some, that packets from hosts come to by each
// channel.
func destinations(g *fabric.Graph, plan *route.Plan, ends []int32) []int {
	count := make([]int, g.NumChannels)
	last := make([]int32, g.NumChannels)
	for _, end := range ends {
		for s := range int32(g.NumSwitches) {
			if len(g.HostsOf(s)) == 0 {
				continue
			}
			for at := s; at != g.EndSwitch[end]; {
				c, _ := g.At(at, plan.Tables.Port(at, plan.Ends.Base[end]))
				if last[c] != end+1 {
					last[c] = end + 1
					count[c]++
				}
				at = g.To[c]
			}
		}
	}
	return count
}

// TestRealDumps: dumps of real clusters are routed and proven, also those that OpenSM's
// fat-tree routing refuses.
func TestRealDumps(t *testing.T) {
	for _, c := range []struct {
		name string
		data []byte // nil: a dump that is no part of the project
	}{
		{"janus/ibnetdiscover-2014-02-12.txt", nil},
		{"ndr-dgx/ibnetdiscover-2025-08-06.txt", nil},
		{"ndr-sequoia/ibdiagnet2.ibnetdiscover", nil},
		{"sx6036", examples.SX6036},
		{"psmn-x5", examples.PSMNX5},
		{"trinityx", examples.Trinityx},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := c.data
			if data == nil {
				data = dumps.Read(t, c.name)
			}
			f, _, err := netfile.Read(c.name, data, netfile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			g := f.Compile()
			r := judged(t, g, routed(t, g, ""))
			t.Logf("hops %v, load %+v, host pairs not minimal %d of %d", r.Hops, r.Load, r.HostPairs.NonMinimal, r.HostPairs.Pairs)
			if !r.OK {
				t.Errorf("unreachable %d, deadlock-free %v", r.Unreachable, r.DeadlockFree)
			}
		})
	}
}
