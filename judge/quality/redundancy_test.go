package quality

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
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
		out.Ports.addDumb(d, n, ports)
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

// addDumb takes every leaf and pair of ports by itself, and every host of the leaf.
func (p *PortPairs) addDumb(d *dumb, node int32, ports []int32) {
	g := d.g
	for leaf := range int32(g.NumSwitches) {
		for i, a := range ports {
			for _, b := range ports[:i] {
				if g.EndSwitch[a] == g.EndSwitch[b] || g.EndSwitch[a] == leaf || g.EndSwitch[b] == leaf {
					continue
				}
				reaches, shares := false, false
				for _, h := range g.HostsOf(leaf) {
					if g.EndNode[h] == node || len(d.lids[h]) == 0 {
						continue
					}
					toA, toB := d.pathsTo(h, a), d.pathsTo(h, b)
					if len(toA) == 0 || len(toB) == 0 {
						continue
					}
					reaches = true
					for s := range int32(g.NumSwitches) {
						all := s != leaf
						for _, path := range slices.Concat(toA, toB) {
							all = all && path[s]
						}
						shares = shares || all
					}
				}
				if reaches {
					p.Pairs++
				}
				if shares {
					p.Shared++
				}
			}
		}
	}
}

// pathsTo returns the switches of each path from a host to a port that arrives.
func (d *dumb) pathsTo(source, target int32) (paths []map[int32]bool) {
	for _, lid := range d.lids[target] {
		if d.owner[lid] != target || !d.p.Uses(source, target, lid) {
			continue
		}
		if s, _, arrives := d.walk(d.g.EndSwitch[source], lid); arrives {
			paths = append(paths, setOf(s, 1))
		}
	}
	return paths
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
	found, shared, sharing := 0, int64(0), int64(0)
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
		sharing += want.Ports.Shared
		if (len(got.Ports.Examples) == 0) != (got.Ports.Shared == 0) {
			t.Fatalf("%d pairs of ports share a switch, examples %q", got.Ports.Shared, got.Ports.Examples)
		}
		got.Ports.Examples = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
	t.Logf("%d fabrics with such nodes, %d pairs with a single point of failure, %d pairs of ports that share a switch", found, shared, sharing)
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
		text   string
	}{
		"one root":     {func(int32) int32 { return roots[0] }, 16, "ports all 8 (leaf, two ports of a node) share a switch"},
		"root by port": {func(end int32) int32 { return roots[g.EndNum[end]-1] }, 0, "ports no two ports of a node share a switch, from any leaf (8 pairs)"},
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
		report := judged(t, g, p, 2)
		r := report.MultiHomed
		if r == nil || r.Ports.Pairs != 8 || r.Ports.Shared != c.shared/2 {
			t.Errorf("%s: ports %+v", name, r)
		}
		var short strings.Builder
		if err := report.Write(&short); err != nil {
			t.Error(err)
		}
		wants(t, short.String(), c.text)
		// The node beside one has a way that crosses no root.
		if r == nil || r.Nodes != 4 || r.To.Pairs != 24 || r.To.Shared != c.shared || r.To.Cables != c.shared {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// manyPorts is four leaves under some spines, and six nodes. draw draws the ports of a node, and
// the leaf of each port.
func manyPorts(t tb, spines int, draw func() int) *fabric.Graph {
	t.Helper()
	f, used := fabric.New("many ports"), map[fabric.NodeID]uint8{}
	add := func(kind fabric.NodeType, ports int) fabric.NodeID {
		id, err := f.AddNode(kind, fabric.GUID(0x100*(len(f.Nodes)+1)), ports, "")
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	link := func(x, y fabric.NodeID) {
		used[x]++
		used[y]++
		if _, err := f.Connect(fabric.End{Node: x, Port: used[x]}, fabric.End{Node: y, Port: used[y]}, 4, fabric.EDR); err != nil {
			t.Fatal(err)
		}
	}
	var low []fabric.NodeID
	for range 4 {
		low = append(low, add(fabric.Switch, 36))
	}
	for range spines {
		s := add(fabric.Switch, 36)
		for _, l := range low {
			link(l, s)
		}
	}
	for range 6 {
		ports := draw()
		node := add(fabric.CA, ports)
		for range ports {
			link(node, low[draw()-1])
		}
	}
	return f.Compile()
}

// TestPortPairsOfMany: nodes with up to four ports, some on one leaf, under few spines.
func TestPortPairsOfMany(t *testing.T) {
	shared, apart := int64(0), int64(0)
	rapid.Check(t, func(t *rapid.T) {
		g := manyPorts(t, rapid.IntRange(1, 4).Draw(t, "spines"), func() int { return rapid.IntRange(1, 4).Draw(t, "ports or leaf") })
		p := routedBy(t, g, "minhop", uint8(rapid.IntRange(0, 1).Draw(t, "lmc")))
		got, want := judged(t, g, p, 2).MultiHomed, dumbRedundancy(newDumb(g, p))
		if want.Nodes == 0 {
			return
		}
		got.Ports.Examples = nil
		if diff := cmp.Diff(want.Ports, got.Ports); diff != "" {
			t.Fatal(diff)
		}
		shared, apart = shared+got.Ports.Shared, apart+got.Ports.Pairs-got.Ports.Shared
	})
	if shared == 0 || apart == 0 {
		t.Errorf("%d pairs of ports share a switch, %d do not", shared, apart)
	}
}
