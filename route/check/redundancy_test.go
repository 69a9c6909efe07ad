package check

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/lids"
)

// dumbPath is the switches and cables from a switch to the port of a LID, nil if it
// does not get there.
func (d *dumb) dumbPath(from int32, lid fabric.LID) (switches, cables map[int32]bool) {
	end := d.owner[lid]
	switches, cables = map[int32]bool{}, map[int32]bool{}
	for at := from; !switches[at]; {
		switches[at] = true
		port := d.p.Tables.Port(at, lid)
		if limit := d.g.SwitchFDBCap[at]; port == route.NoPort || limit > 0 && int32(lid) >= limit {
			return nil, nil
		}
		c, host := d.g.At(at, port)
		if c < 0 {
			if host == end {
				return switches, cables
			}
			return nil, nil
		}
		cables[c/2] = true
		at = d.g.To[c]
	}
	return nil, nil
}

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
						if s, c := d.dumbPath(g.EndSwitch[source], lid); s != nil {
							switches, cables = append(switches, s), append(cables, c)
						}
					}
				}
				f.addDumb(switches, cables, g.EndSwitch[h])
			}
		}
	}
	return out
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
		g := drawGraph(t)
		p := drawPlan(t, g)
		r, err := Judge(t.Context(), g, p, Options{Workers: rapid.IntRange(1, 3).Draw(t, "workers")})
		if err != nil {
			t.Fatal(err)
		}
		got := r.MultiHomed
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
	f, err := gen.Parse("mftree-fig2")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	var roots []int32
	for s := range int32(g.NumSwitches) {
		if len(g.HostsOf(s)) == 0 {
			roots = append(roots, s)
		}
	}
	ends, err := lids.Assign(g, lids.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		root   func(end int32) int32
		shared int64
	}{
		"one root":     {func(int32) int32 { return roots[0] }, 16},
		"root by port": {func(end int32) int32 { return roots[g.EndNum[end]-1] }, 0},
	} {
		p := &route.Plan{Ends: ends, Tables: treeTables(g, &ends)}
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
		r := judged(t, good{g, p}).MultiHomed
		// The node beside one has a way that crosses no root.
		if r == nil || r.Nodes != 4 || r.To.Pairs != 24 || r.To.Shared != c.shared || r.To.Cables != c.shared {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
