package check

import (
	"fmt"
	"math"
	"slices"

	"weft/fabric"
	"weft/route"
)

// Multicast is the verdict on the pool of trees of a Plan.
type Multicast struct {
	SL    uint8 `json:"sl"`
	Trees int   `json:"trees"`
	// OwnVLs says that on no channel assigned traffic and the trees use the same VL.
	OwnVLs bool `json:"own_vls"`
	// DeadlockFree covers the trees together with assigned traffic. A copied packet waits for all
	// of its outputs: each channel of a tree into a switch depends on every other one out of it.
	DeadlockFree Answer `json:"deadlock_free"`
	Edges        int    `json:"edges"` // dependencies of the trees between (channel, VL) pairs
	Cycle        []Hold `json:"cycle"` // a shortest one, without example packets
}

// pair is a dependency between two nodes: channels, each with a VL.
type pair struct{ from, to int32 }

// node names a channel with a VL.
func node(c int32, vl uint8) int32 { return c*route.NumSLs + int32(vl) }

// multicast judges the pool of trees.
func (j *judge) multicast(r *Report) {
	m := j.Plan.Multicast
	if m == nil {
		return
	}
	out := &Multicast{SL: m.SL, Trees: len(m.Trees), DeadlockFree: Yes, Cycle: []Hold{}}
	r.Multicast = out
	bad := Finding{Kind: BadTree}
	var pairs []pair
	for i := range m.Trees {
		if fault := treeFault(j.Graph, &m.Trees[i]); fault != "" {
			bad.add(func() route.Remark { return remark(fmt.Sprintf("tree %d: %s", i, fault)) })
			continue
		}
		pairs = j.waits(pairs, &m.Trees[i], m.SL, &bad)
	}
	r.fault(bad)
	slices.SortFunc(pairs, comparePairs)
	pairs = slices.Compact(pairs)
	out.Edges = len(pairs)
	if out.OwnVLs = j.apart(r, pairs); !out.OwnVLs {
		pairs = j.unicastPairs(pairs)
	}
	d := graphOf(pairs)
	cycle, _ := d.shortestCycle(lengthStep(j.Graph))
	if cycle == nil {
		return
	}
	out.DeadlockFree = No
	g := j.Graph
	for _, x := range cycle {
		c := d.names[x] / route.NumSLs
		out.Cycle = append(out.Cycle, Hold{
			Channel: c, VL: uint8(d.names[x] % route.NumSLs), SL: m.SL,
			From: g.SwitchPort(g.From[c], g.FromPort[c]), To: g.SwitchPort(g.To[c], g.ToPort[c]),
		})
	}
}

// treeFault says why a tree is invalid, "" if it is valid.
func treeFault(g *fabric.Graph, t *route.SpanningTree) string {
	if t.Up[t.Root] != fabric.Nothing {
		return "its root has a parent"
	}
	for s := range int32(g.NumSwitches) {
		at := s
		for hops := 0; t.Up[at] >= 0; hops++ {
			at = g.To[t.Up[at]]
			if hops > g.NumSwitches {
				return fmt.Sprintf("switch %s is on a ring", fabric.SwitchName(g, s))
			}
			if g.Drained[at] {
				return fmt.Sprintf("it leads through %s, which is drained", fabric.SwitchName(g, at))
			}
		}
		if t.Up[s] != route.Outside && at != t.Root {
			return fmt.Sprintf("switch %s has no path to the root", fabric.SwitchName(g, s))
		}
	}
	return ""
}

// waits adds the dependencies of a tree, for any members of its groups.
func (j *judge) waits(pairs []pair, t *route.SpanningTree, sl uint8, bad *Finding) []pair {
	g := j.Graph
	leave := make([][]int32, g.NumSwitches)
	for _, c := range t.Up {
		if c >= 0 {
			leave[g.From[c]] = append(leave[g.From[c]], c)
			leave[g.To[c]] = append(leave[g.To[c]], c^1)
		}
	}
	for s := range int32(g.NumSwitches) {
		for _, back := range leave[s] {
			in := back ^ 1
			vls := j.treeVLs(leave, in, sl)
			for _, out := range leave[s] {
				if out == back {
					continue
				}
				to := j.lanes.vl(g, s, g.ToPort[in], g.FromPort[out], sl)
				if to == route.DropVL {
					bad.add(func() route.Remark {
						return remark(fmt.Sprintf("SL %d of the trees is discarded here", sl), g.SwitchPort(s, g.FromPort[out]))
					})
					continue
				}
				if fault := j.laneFault(s, g.FromPort[out], to); fault != "" {
					bad.add(func() route.Remark { return remark(fault, g.SwitchPort(s, g.FromPort[out])) })
				}
				for vl := range uint8(route.NumSLs) {
					if vls>>vl&1 != 0 {
						pairs = append(pairs, pair{node(in, vl), node(out, to)})
					}
				}
			}
		}
	}
	return pairs
}

// laneFault says why a switch's port cannot send on a VL, "" if it can.
func (j *judge) laneFault(s int32, port, vl uint8) string {
	g, p := j.Graph, j.Plan
	switch has := g.PortVLs[g.PortStart[s]+int32(port)]; {
	case has > 0 && vl >= has && j.lanes.sl2vl != nil:
		return fmt.Sprintf("the trees use VL %d, which the port does not have", vl)
	case p.Arbitration != nil && j.lanes.sl2vl != nil && p.Arbitration.OfSwitch(g, s, port).Weight(vl) == 0:
		return fmt.Sprintf("the trees use VL %d, which never gets a turn", vl)
	case p.Arbitration != nil && j.lanes.sl2vl != nil && mayStarve(p.Arbitration.OfSwitch(g, s, port), math.MaxUint16)>>vl&1 != 0:
		return fmt.Sprintf("the trees use VL %d, which VL arbitration starves while VLs of high priority have packets", vl)
	}
	return ""
}

// treeVLs returns the VLs that packets of a tree may have on a channel, over all input ports.
func (j *judge) treeVLs(leave [][]int32, c int32, sl uint8) (vls uint16) {
	g, s := j.Graph, j.Graph.From[c]
	add := func(in uint8) { vls |= 1 << j.lanes.vl(g, s, in, g.FromPort[c], sl) }
	if !j.lanes.byInput {
		add(0)
		return vls &^ (1 << route.DropVL)
	}
	for _, d := range leave[s] {
		if d != c {
			add(g.FromPort[d])
		}
	}
	for _, e := range g.AttachedTo(s) {
		add(g.EndPort[e])
	}
	add(0)
	return vls &^ (1 << route.DropVL)
}

// apart reports whether assigned traffic uses no node of the dependencies.
func (j *judge) apart(r *Report, pairs []pair) bool {
	if r.ChannelVLs == nil {
		return false
	}
	for _, p := range pairs {
		for _, n := range [2]int32{p.from, p.to} {
			if r.ChannelVLs[n/route.NumSLs]>>(n%route.NumSLs)&1 != 0 {
				return false
			}
		}
	}
	return true
}

// unicastPairs adds the dependencies of assigned traffic.
func (j *judge) unicastPairs(pairs []pair) []pair {
	d := j.dependencies(assigned)
	nv := int32(len(j.lanes.vls))
	name := func(n int32) int32 { return node(n/nv, j.lanes.vls[n%nv]) }
	for n := range int32(len(d.start) - 1) {
		for _, to := range d.successors(n) {
			pairs = append(pairs, pair{name(n), name(to)})
		}
	}
	slices.SortFunc(pairs, comparePairs)
	return slices.Compact(pairs)
}

func comparePairs(a, b pair) int {
	if a.from != b.from {
		return int(a.from) - int(b.from)
	}
	return int(a.to) - int(b.to)
}

// graphOf makes a graph of sorted dependencies with their nodes.
func graphOf(pairs []pair) *digraph {
	d := &digraph{start: []int64{0}}
	for _, p := range pairs {
		d.names = append(d.names, p.from, p.to)
	}
	slices.Sort(d.names)
	d.names = slices.Compact(d.names)
	at := 0
	for _, n := range d.names {
		for ; at < len(pairs) && pairs[at].from == n; at++ {
			to, _ := slices.BinarySearch(d.names, pairs[at].to)
			d.to = append(d.to, int32(to))
		}
		d.start = append(d.start, int64(len(d.to)))
	}
	return d
}
