package check

import (
	"context"
	"math/bits"
	"slices"

	"weft/internal/par"
	"weft/judge/check/internal/search"
	"weft/route"
)

// verdicts gives the four answers about deadlock.
func (j *judge) verdicts(ctx context.Context, r *Report) error {
	l := j.lanes
	answers := [numTraffics]*Verdict{&r.Assigned, &r.HostOnly, &r.AnyDLID, &r.NoPathRecord}
	var distinct []int
	same := [numTraffics]int{}
	for t := range numTraffics {
		same[t] = t
		for _, o := range distinct {
			if l.shift[o] == l.shift[t] {
				same[t] = o
			}
		}
		if same[t] == t {
			distinct = append(distinct, t)
		}
	}
	onCycles, err := j.cyclicSLs(ctx)
	if err != nil {
		return err
	}
	var cycles [numTraffics][]int32
	err = par.For(ctx, len(j.workers), len(distinct), func(_, i int) error {
		t := distinct[len(distinct)-1-i] // the slowest first
		switch {
		case onCycles != nil && !j.has(onCycles, t):
			*answers[t] = j.acyclic(int64(j.deps.bits(l.fieldMask(t))))
		case onCycles == nil && t == hostOnly:
			r.HostOnly = j.acyclic(j.countEdges(t))
		default:
			*answers[t], cycles[t] = j.verdict(t, onCycles)
		}
		return nil
	})
	if err != nil {
		return err
	}
	// Traffic among hosts is part of all traffic, and free of cycles if that is.
	if onCycles == nil && r.Assigned.DeadlockFree != Yes {
		r.HostOnly, cycles[hostOnly] = j.verdict(hostOnly, nil)
	}
	for t, cycle := range cycles { // one after the other: they share a worker
		if cycle != nil {
			answers[t].Cycle = j.explain(cycle, t)
		}
	}
	for t := range numTraffics {
		*answers[t] = *answers[same[t]]
	}
	r.DeadlockFree, r.Cycle = r.Assigned.DeadlockFree, r.Assigned.Cycle
	return nil
}

// acyclic is the verdict on a graph with some edges and no cycle.
func (j *judge) acyclic(edges int64) Verdict {
	return Verdict{OneLane: j.lanes.sl == nil, Edges: edges, Cycle: []Hold{}, Shortest: true, DeadlockFree: Yes}
}

// has reports whether some channel has SLs of one kind of traffic.
func (j *judge) has(masks []uint64, traffic int) bool {
	for _, m := range masks {
		if j.lanes.field(m, traffic) != 0 {
			return true
		}
	}
	return false
}

// verdict judges one kind of traffic by the part of its graph that may be on cycles (nil for all).
// It returns a cycle without the packets that hold it.
func (j *judge) verdict(traffic int, onCycles []uint64) (Verdict, []int32) {
	var d *search.Digraph
	var v Verdict
	if onCycles == nil {
		d = j.dependencies(traffic)
		v = j.acyclic(int64(len(d.To)))
	} else {
		d = j.cyclicPart(traffic, onCycles)
		v = j.acyclic(int64(j.deps.bits(j.lanes.fieldMask(traffic))))
	}
	cycle, shortest := d.ShortestCycle(search.LengthStep(j.Graph))
	if cycle == nil {
		return v, nil
	}
	if d.Names != nil {
		for i, x := range cycle {
			cycle[i] = d.Names[x]
		}
	}
	v.DeadlockFree, v.Shortest = No, shortest
	if v.OneLane {
		v.DeadlockFree = Unknown
	}
	return v, cycle
}

// dependencies returns the dependency graph of one kind of traffic. The node of a channel c and the
// VL with index v is c*len(vls)+v.
func (j *judge) dependencies(traffic int) *search.Digraph {
	g := j.Graph
	nv := int32(len(j.lanes.vls))
	d := &search.Digraph{
		Start: make([]int64, 1, g.NumChannels*int(nv)+1),
		To:    make([]int32, 0, j.deps.bits(j.lanes.fieldMask(traffic))),
	}
	after := make([][]int32, nv) // by VL index on the channel: the nodes that follow
	var pairs vlPairs
	for c := range int32(g.NumChannels) {
		for v := range after {
			after[v] = after[v][:0]
		}
		for _, next := range g.OutOf(g.To[c]) {
			for before := j.pairVLs(c, next, traffic, &pairs); before != 0; before &= before - 1 {
				v := bits.TrailingZeros16(before)
				for m := pairs[v]; m != 0; m &= m - 1 {
					after[v] = append(after[v], next*nv+int32(bits.TrailingZeros16(m)))
				}
				pairs[v] = 0
			}
		}
		for _, nodes := range after {
			d.To = append(d.To, nodes...)
			d.Start = append(d.Start, int64(len(d.To)))
		}
	}
	return d
}

// cyclicPart returns the part of that graph that may be on cycles, where packets keep their VLs.
// Its nodes have the same names.
func (j *judge) cyclicPart(traffic int, onCycles []uint64) *search.Digraph {
	g, l := j.Graph, j.lanes
	nv := int32(len(l.vls))
	d := &search.Digraph{Start: make([]int64, 1)}
	number := make([]int32, g.NumChannels*int(nv)) // of its nodes, by name
	for c, m := range onCycles {
		vls := uint16(0)
		for m = l.field(m, traffic); m != 0; m &= m - 1 {
			vls |= 1 << j.keepsVL(int32(c))[bits.TrailingZeros64(m)&15]
		}
		for ; vls != 0; vls &= vls - 1 {
			name := int32(c)*nv + int32(bits.TrailingZeros16(vls))
			number[name] = int32(len(d.Names))
			d.Names = append(d.Names, name)
		}
	}
	var row []uint64
	for _, name := range d.Names {
		c, v := name/nv, name%nv
		sl := slices.Index(j.keepsVL(c)[:len(l.sls)], uint8(v))
		bit := uint64(1) << sl << l.shift[traffic]
		out := g.OutOf(g.To[c])
		row = j.deps.after(row[:0], c, len(out))
		for i, next := range out {
			if row[i]&onCycles[next]&bit != 0 {
				d.To = append(d.To, number[next*nv+v])
			}
		}
		d.Start = append(d.Start, int64(len(d.To)))
	}
	return d
}

// countEdges counts the edges of the dependency graph.
func (j *judge) countEdges(traffic int) int64 {
	g, n := j.Graph, 0
	var pairs vlPairs
	for c := range int32(g.NumChannels) {
		for _, next := range g.OutOf(g.To[c]) {
			for before := j.pairVLs(c, next, traffic, &pairs); before != 0; before &= before - 1 {
				v := bits.TrailingZeros16(before)
				n += bits.OnesCount16(pairs[v])
				pairs[v] = 0
			}
		}
	}
	return int64(n)
}

// keepsVL returns the table of a channel if all channels after it have the same and it gives each
// SL a VL of its own, otherwise nil.
func (j *judge) keepsVL(c int32) *vlIndices {
	l := j.lanes
	if l.sl2vl == nil {
		return &oneVL
	}
	if l.byInput {
		return nil
	}
	from, to := &l.sl2vl.Switch[j.Graph.From[c]], &l.sl2vl.Switch[j.Graph.To[c]]
	if from.By != route.ByNothing || to.By != route.ByNothing || from.Index[0] != to.Index[0] || !l.distinct[from.Index[0]] {
		return nil
	}
	return &l.pool[from.Index[0]]
}

// vlPairs holds, by VL index on a channel, the VL indices on the next channel.
type vlPairs [route.NumSLs]uint16

// pairVLs converts the SLs of two successive channels to pairs of VLs. It returns the set of VL
// indices on the first channel. The caller passes empty pairs.
func (j *judge) pairVLs(c, next int32, traffic int, pairs *vlPairs) (before uint16) {
	g, l := j.Graph, j.lanes
	if j.beside != nil {
		return j.mixedPairs(c, next, traffic, pairs)
	}
	masks := 1
	if l.byInput {
		masks = len(l.vls)
	}
	for k := range masks {
		m := l.field(j.deps.at(j.deps.pair(c, next, k)), traffic)
		if m == 0 {
			continue
		}
		then := l.indices(g, g.To[c], g.ToPort[c], g.FromPort[next])
		var now *vlIndices // that of k if byInput
		if !l.byInput {
			now = l.indices(g, g.From[c], 0, g.FromPort[c])
		}
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if then[i] == dropped {
				continue
			}
			v := uint8(k)
			if now != nil {
				v = now[i]
			}
			before |= 1 << v
			pairs[v] |= 1 << then[i]
		}
	}
	return before
}
