package check

import (
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route"
)

// prepareMix reads two Plans for the new Graph. o is nil where the old Plan has the same lanes and
// is not needed. Otherwise both have the same room.
func prepareMix(old *fabric.Graph, before *route.Plan, g *fabric.Graph, after *route.Plan, workers int) (j, o *judge) {
	j = prepare(g, after, workers, room{})
	was := onNewGraph(old, before, g, after)
	if sameLanes(was, after) {
		return j, nil
	}
	for need := j.lanes.room; ; need = j.lanes.and(o.lanes.room) {
		if o = prepare(g, was, workers, need); o.lanes.room == j.lanes.room {
			return j, o
		}
		j = prepare(g, after, workers, need)
	}
}

// sameLanes reports whether under two Plans for one Graph every packet has the same LIDs, SLs and
// VLs, as far as both know it.
func sameLanes(was, now *route.Plan) bool {
	if was.Choice.By != now.Choice.By || !slices.Equal(was.Choice.Start, now.Choice.Start) ||
		!slices.Equal(was.Choice.Target, now.Choice.Target) || !slices.Equal(was.Choice.Offset, now.Choice.Offset) ||
		was.Service != now.Service || !slices.EqualFunc(was.Levels, now.Levels, func(a, b route.Level) bool { return a.SL == b.SL }) || !slices.Equal(was.JobLanes, now.JobLanes) {
		return false
	}
	if was.SL == nil || was.SL2VL == nil || now.SL == nil || now.SL2VL == nil {
		return (was.SL == nil || was.SL2VL == nil) && (now.SL == nil || now.SL2VL == nil)
	}
	return sameSLs(was.SL, now.SL) && sameVLs(was.SL2VL, now.SL2VL)
}

func sameSLs(was, now *route.SLs) bool {
	return was.NumSrc == now.NumSrc && was.NumDst == now.NumDst && slices.Equal(was.Src, now.Src) && slices.Equal(was.Dst, now.Dst) &&
		slices.Equal(was.Cells, now.Cells)
}

func sameVLs(was, now *route.SL2VL) bool {
	return slices.EqualFunc(was.Switch, now.Switch, func(a, b route.SwitchSL2VL) bool {
		return a.By == b.By && slices.EqualFunc(a.Index, b.Index, func(x, y uint16) bool { return was.Pool[x] == now.Pool[y] })
	})
}

// onNewGraph converts the old Plan, without its tables, to the new Graph. New end ports have no
// LIDs and no SLs, new switches the SL2VL tables of the new Plan.
func onNewGraph(old *fabric.Graph, before *route.Plan, g *fabric.Graph, after *route.Plan) *route.Plan {
	held := route.Hold(old, before, g)
	p := &route.Plan{Ends: held.Ends, Tables: after.Tables, Choice: route.Choice{By: before.Choice.By}, VLs: before.VLs, Levels: before.Levels, JobLanes: before.JobLanes, Service: before.Service}
	if p.Choice.By == route.ListedLIDs {
		p.Choice = *held.Choice
	}
	if before.SL == nil || before.SL2VL == nil {
		return p
	}
	switches, ends := fabric.Match(old, g)
	p.SL, p.SL2VL = new(*before.SL), &route.SL2VL{Pool: slices.Clone(before.SL2VL.Pool), Host: make([]uint16, g.NumHosts), Switch: make([]route.SwitchSL2VL, g.NumSwitches)}
	p.SL.Src = slices.Repeat([]int32{-1}, g.NumEnds)
	for e, o := range ends {
		if o >= 0 {
			p.SL.Src[e] = before.SL.Src[o]
		}
		if o >= 0 && e < g.NumHosts {
			p.SL2VL.Host[e] = before.SL2VL.Host[o]
		}
	}
	for s, o := range switches {
		switch {
		case o >= 0 && old.SwitchPorts[o] == g.SwitchPorts[s]:
			p.SL2VL.Switch[s] = before.SL2VL.Switch[o]
		case after.SL2VL != nil:
			p.SL2VL.Switch[s] = route.SwitchSL2VL{By: after.SL2VL.Switch[s].By}
			for _, i := range after.SL2VL.Switch[s].Index {
				p.SL2VL.Switch[s].Index = append(p.SL2VL.Switch[s].Index, p.SL2VL.Intern(after.SL2VL.Pool[i]))
			}
		default:
			p.SL2VL.Switch[s].Index = []uint16{0}
		}
	}
	return p
}

// beside holds the lanes of the old Plan, where Mix judges it with a new Plan of other lanes.
type beside struct {
	lanes *lanes
	of    Of // whose tables ports may have
}

// tablesAt appends the SL2VL tables of each Plan for packets through a switch. A Plan without
// tables adds a table for each VL.
func (j *judge) tablesAt(list []*vlIndices, s int32, in, out uint8) []*vlIndices {
	add := func(l *lanes) {
		if l.sl2vl != nil {
			list = append(list, l.indices(j.Graph, s, in, out))
			return
		}
		for v := range l.vls {
			list = append(list, &constantVLs[v])
		}
	}
	if j.beside == nil || j.beside.of.new() {
		add(j.lanes)
	}
	if j.beside != nil && j.beside.of.old() {
		add(j.beside.lanes)
	}
	return list
}

// constantVLs holds, by index of a VL, the table that maps every SL to it.
var constantVLs = func() (list [route.NumSLs]vlIndices) {
	for v := range list {
		for i := range list[v] {
			list[v][i] = uint8(v)
		}
	}
	return list
}()

// mixedPairs is pairVLs where every port may have the table of either Plan.
func (j *judge) mixedPairs(c, next int32, traffic int, pairs *vlPairs) (before uint16) {
	g, l := j.Graph, j.lanes
	masks := 1
	if l.byInput {
		masks = len(l.vls)
	}
	var memory [2][2 * route.NumSLs]*vlIndices
	for k := range masks {
		m := l.field(j.deps.at(j.deps.pair(c, next, k)), traffic)
		if m == 0 {
			continue
		}
		nows, thens := memory[0][:0], j.tablesAt(memory[1][:0], g.To[c], g.ToPort[c], g.FromPort[next])
		if l.byInput {
			nows = append(nows, &constantVLs[k])
		} else {
			nows = j.tablesAt(nows, g.From[c], 0, g.FromPort[c])
		}
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			vls := uint16(0)
			for _, t := range thens {
				if t[i] != dropped {
					vls |= 1 << t[i]
				}
			}
			for _, t := range nows {
				if v := t[i]; v != dropped && vls != 0 {
					before |= 1 << v
					pairs[v] |= vls
				}
			}
		}
	}
	return before
}

// findStale finds the packets whose old SL leads onto a cycle under the new tables.
func (x *mixing) findStale(part []int32, out *Mixture) {
	if x.o == nil || !x.part.Choices.old() || !x.part.Choices.new() {
		return
	}
	m, l := newMixer(x, 0), x.j.lanes
	for lid, owner := range x.j.LIDs.Owner {
		if owner < 0 {
			continue
		}
		was := m.wasSent(fabric.LID(lid))
		if was == nil {
			continue
		}
		m.w.address(fabric.LID(lid), owner)
		now := m.w.senders.bySwitch()
		for s := range was {
			for old := l.field(was[s]&^now[s], assigned); old != 0; old &= old - 1 {
				if i := bits.TrailingZeros64(old); x.meetsCycle(int32(s), fabric.LID(lid), i, part) {
					if out.StalePairs++; len(out.Stale) < examplesShown {
						out.Stale = append(out.Stale, Stale{x.j.Graph.SwitchPort(int32(s), 0), fabric.LID(lid), l.sls[i]})
					}
				}
			}
		}
	}
}

// meetsCycle reports whether a packet on an SL, by index, makes a dependency within a cyclic part
// under the last tables.
func (x *mixing) meetsCycle(s int32, lid fabric.LID, sl int, part []int32) bool {
	g, nv := x.j.Graph, int32(len(x.j.lanes.vls))
	tables := x.steps[len(x.steps)-1]
	ins := []uint8{0}
	for _, h := range g.AttachedTo(s) {
		ins = append(ins, g.EndPort[h])
	}
	var last, nodes []int32 // of the previous channel, and of this one
	var memory [2 * route.NumSLs]*vlIndices
	for range g.NumSwitches {
		c, _ := g.At(s, tables.Port(s, lid))
		if c < 0 {
			return false
		}
		nodes = nodes[:0]
		for _, in := range ins {
			for _, t := range x.j.tablesAt(memory[:0], s, in, g.FromPort[c]) {
				if t[sl] != dropped {
					nodes = append(nodes, c*nv+int32(t[sl]))
				}
			}
		}
		for _, a := range last {
			if part[a] >= 0 && slices.ContainsFunc(nodes, func(b int32) bool { return part[b] == part[a] }) {
				return true
			}
		}
		last, nodes = nodes, last
		s, ins = g.To[c], append(ins[:0], g.ToPort[c])
	}
	return false
}
