package check

import (
	"slices"

	"weft/judge/check/internal/search"
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

// node names a channel with a VL.
func node(c int32, vl uint8) int32 { return c*route.NumSLs + int32(vl) }

// multicast judges the pool of trees.
func (j *judge) multicast(r *Report) {
	m, k := j.Plan.Multicast, j.copies
	if m == nil {
		return
	}
	out := &Multicast{SL: m.SL, Trees: len(m.Trees), DeadlockFree: Yes, Cycle: []Hold{}}
	r.Multicast = out
	r.fault(k.bad)
	d := search.GraphOf(slices.Clone(k.edges))
	out.Edges = len(d.To)
	if out.OwnVLs = j.apart(r); !out.OwnVLs {
		d = search.GraphOf(j.unicastEdges(k.edges))
	}
	cycle, _ := d.ShortestCycle(search.LengthStep(j.Graph))
	if cycle == nil {
		return
	}
	out.DeadlockFree = No
	g := j.Graph
	for _, x := range cycle {
		c := d.Names[x] / route.NumSLs
		out.Cycle = append(out.Cycle, Hold{
			Channel: c, VL: uint8(d.Names[x] % route.NumSLs), SL: m.SL,
			From: g.SwitchPort(g.From[c], g.FromPort[c]), To: g.SwitchPort(g.To[c], g.ToPort[c]),
		})
	}
}

// apart reports whether on no channel assigned traffic and the trees use the same VL.
func (j *judge) apart(r *Report) bool {
	if r.ChannelVLs == nil {
		return false
	}
	for c, vls := range r.ChannelVLs {
		if vls&j.copies.ports[j.Graph.PortStart[j.Graph.From[c]]+int32(j.Graph.FromPort[c])] != 0 {
			return false
		}
	}
	return true
}

// unicastEdges adds the dependencies of assigned traffic.
func (j *judge) unicastEdges(edges []search.Edge) []search.Edge {
	d := j.dependencies(assigned)
	nv := int32(len(j.lanes.vls))
	name := func(n int32) int32 { return node(n/nv, j.lanes.vls[n%nv]) }
	for n := range int32(len(d.Start) - 1) {
		for _, to := range d.Successors(n) {
			edges = append(edges, search.Edge{From: name(n), To: name(to)})
		}
	}
	return edges
}
