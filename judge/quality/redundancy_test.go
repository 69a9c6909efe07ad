package quality

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/route"
)

// dumbRedundancy takes every pair of a host and a node by itself, and every switch and
// cable: what is left of the paths without it.
func dumbRedundancy(d *dumb) *Redundancy {
	g := d.g
	out := &Redundancy{}
	for _, f := range []*Failures{&out.To, &out.From} {
		f.Lost, f.Weakened = make([]int64, g.NumSwitches), make([]int64, g.NumSwitches)
	}
	for n := range int32(g.NumNodes) {
		var ports []int32
		apart := false
		for _, end := range g.NodeEnds[g.NodeStart[n]:g.NodeStart[n+1]] {
			if !g.IsPortZero(end) && len(d.lids[end]) > 0 {
				ports = append(ports, end)
				apart = apart || g.EndSwitch[end] != g.EndSwitch[ports[0]]
			}
		}
		if !apart {
			continue
		}
		out.Nodes++
		for h := range int32(g.NumHosts) {
			if g.EndNode[h] == n || len(d.lids[h]) == 0 {
				continue
			}
			for dir, f := range []*Failures{&out.To, &out.From} {
				var switches, cables []map[int32]bool
				for _, port := range ports {
					source, target := h, port
					if dir == 1 {
						source, target = port, h
					}
					for _, lid := range d.lids[target] {
						if d.owner[lid] != target || !d.p.Uses(source, target, lid) {
							continue
						}
						if s, c, arrives := d.walk(g.EndSwitch[source], lid); arrives {
							switches, cables = append(switches, setOf(s, 1)), append(cables, setOf(c, 2))
						}
					}
				}
				f.addDumb(switches, cables, g.EndSwitch[h])
			}
		}
	}
	return out
}

func setOf(list []int32, unit int32) map[int32]bool {
	set := map[int32]bool{}
	for _, x := range list {
		set[x/unit] = true
	}
	return set
}

func (f *Failures) addDumb(switches, cables []map[int32]bool, except int32) {
	if len(switches) == 0 {
		return
	}
	f.Pairs++
	on := func(all []map[int32]bool, x int32) (n int) {
		for _, path := range all {
			if path[x] {
				n++
			}
		}
		return n
	}
	shared := false
	for s := range int32(len(f.Lost)) {
		switch n := on(switches, s); {
		case n == 0 || s == except:
		case n == len(switches):
			f.Lost[s]++
			shared = true
		default:
			f.Weakened[s]++
		}
	}
	if shared {
		f.Shared++
	}
	for c := range cables[0] {
		if on(cables, c) == len(cables) {
			f.Cables++
			break
		}
	}
}

// TestRedundancyAsDumb compares with paths walked one by one, on any number of cores.
func TestRedundancyAsDumb(t *testing.T) {
	found, shared := 0, int64(0)
	rapid.Check(t, func(t *rapid.T) {
		g, p := drawPlan(t)
		got := judged(t, g, p, rapid.IntRange(1, 3).Draw(t, "workers")).MultiHomed
		want := dumbRedundancy(newDumb(g, p))
		if want.Nodes == 0 {
			if got != nil {
				t.Fatalf("no such node, but %+v", got)
			}
			return
		}
		found++
		shared += want.To.Shared + want.From.Shared
		for _, f := range []*Failures{&got.To, &got.From} {
			if (len(f.Examples) == 0) != (f.Shared == 0) {
				t.Fatalf("%d pairs share a switch, examples %q", f.Shared, f.Examples)
			}
			f.Examples = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
	t.Logf("%d fabrics with such nodes, %d pairs with a single point of failure", found, shared)
}

// TestRedundancyKnown: the cluster of Paper VI, figure 2, with paths through one root
// and through both.
func TestRedundancyKnown(t *testing.T) {
	g, base := plan(t, "mftree-fig2", "minhop", 0)
	var roots []int32
	for s := range int32(g.NumSwitches) {
		if len(g.HostsOf(s)) == 0 {
			roots = append(roots, s)
		}
	}
	ends := base.Ends
	for name, c := range map[string]struct {
		root   func(end int32) int32
		shared int64
	}{
		"one root":     {func(int32) int32 { return roots[0] }, 16},
		"root by port": {func(end int32) int32 { return roots[g.EndNum[end]-1] }, 0},
	} {
		p := &route.Plan{Ends: ends, Tables: base.Tables.Clone()}
		for h := range int32(g.NumHosts) {
			for s := range int32(g.NumSwitches) {
				if s == g.EndSwitch[h] || slices.Contains(roots, s) {
					continue
				}
				for _, out := range g.OutOf(s) {
					if g.To[out] == c.root(h) {
						p.Tables.Set(s, ends.Base[h], g.FromPort[out])
					}
				}
			}
		}
		r := judged(t, g, p, 2).MultiHomed
		// The node beside one has a way that crosses no root.
		if r == nil || r.Nodes != 4 || r.To.Pairs != 24 || r.To.Shared != c.shared || r.To.Cables != c.shared {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
