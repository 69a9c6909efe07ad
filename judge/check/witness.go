package check

import (
	"context"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route"
)

// explain names the channels of a cycle and, for each, a packet that holds it and waits for the
// next one: the first by LID, then by source.
func (j *judge) explain(cycle []int32, traffic int) []Hold {
	g, l := j.Graph, j.lanes
	nv := int32(len(l.vls))
	w := j.worker(0)
	holds := make([]Hold, len(cycle))
	for i, node := range cycle {
		next := cycle[(i+1)%len(cycle)]
		c := node / nv
		h := Hold{
			Channel: c, VL: l.vls[node%nv],
			From: g.SwitchPort(g.From[c], g.FromPort[c]), To: g.SwitchPort(g.To[c], g.ToPort[c]),
		}
		w.findHolder(&h, next/nv, l.vls[next%nv], traffic)
		holds[i] = h
	}
	return holds
}

// findHolder finds a packet that takes the channel of h and then the given one.
func (w *worker) findHolder(h *Hold, after int32, afterVL uint8, traffic int) {
	j, g, p, t := w.j, w.j.Graph, &w.paths, w.j.Plan.Tables
	from, to := g.From[h.Channel], g.To[h.Channel]
	for i, owner := range j.LIDs.Owner {
		lid := fabric.LID(i)
		if owner < 0 || t.Port(from, lid) != h.From.Port || t.Port(to, lid) != g.FromPort[after] {
			continue
		}
		w.loadBlock(i / route.BlockSize)
		w.follow(lid, owner)
		if p.Out(from) != h.Channel || p.Out(to) != after {
			continue
		}
		through := p.through(from)
		for e := range int32(g.NumEnds) {
			if !through[g.EndSwitch[e]] || e == owner {
				continue
			}
			for m := j.lanes.field(w.senders.of(e)&j.trafficTo(owner), traffic); m != 0; m &= m - 1 {
				sl := j.lanes.sls[bits.TrailingZeros64(m)]
				if w.holds(e, sl, h, after, afterVL) {
					h.Source, h.LID, h.SL = g.EndName(e), lid, sl
					return
				}
			}
		}
	}
}

// through marks the switches whose way passes a switch.
func (p *Paths) through(at int32) []bool {
	mark := make([]bool, len(p.at))
	mark[at] = true
	for i := range p.loops.end {
		if loop := p.loops.of(i); slices.Contains(loop, at) {
			for _, s := range loop {
				mark[s] = true
			}
		}
	}
	for _, s := range p.Order {
		next := p.at[s].next
		mark[s] = mark[s] || next >= 0 && mark[next]
	}
	return mark
}

// holds reports whether a packet of an end holds h and then waits for a channel.
func (w *worker) holds(e int32, sl uint8, h *Hold, after int32, afterVL uint8) bool {
	last, lastVL, found := int32(-1), uint8(0), false
	w.send(e, sl, func(c int32, vl uint8) bool {
		found = last == h.Channel && lastVL == h.VL && c == after && vl == afterVL
		last, lastVL = c, vl
		return !found
	})
	return found
}

// send follows a packet over its channels with their VLs, and at last to its host (channel -1),
// until hop returns false. It reports whether no table discarded the packet.
func (w *worker) send(e int32, sl uint8, hop func(c int32, vl uint8) bool) bool {
	g, p := w.j.Graph, &w.paths
	s, in := g.EndSwitch[e], g.EndPort[e]
	for range 3*len(p.at) + 1 { // twice round any loop
		out, ok := p.exitPort(s)
		if !ok {
			return true
		}
		vl := w.j.lanes.vl(g, s, in, out, sl)
		if vl == route.DropVL {
			return false
		}
		c := p.Out(s)
		if !hop(c, vl) || c < 0 {
			return true
		}
		s, in = g.To[c], g.ToPort[c]
	}
	return true
}

// discards counts the pairs that the tables deliver, but an SL2VL table discards on an SL that they
// may use.
func (j *judge) discards(ctx context.Context, r *Report) error {
	f := r.Find(DiscardVL)
	if f == nil || j.lanes.hostDrop == nil { // only packets of the trees are discarded
		return nil
	}
	lost := make([]int64, len(j.found.blocks))
	err := j.eachLID(ctx, func(w *worker) {
		p := &w.paths
		for e := range int32(j.Graph.NumEnds) {
			if e != p.Owner && p.Depth[j.Graph.EndSwitch[e]] > 0 && w.discarded(e) {
				lost[int(p.LID)/route.BlockSize]++
			}
		}
	})
	for _, n := range lost {
		r.Discarded += n
	}
	f.Pairs = r.Discarded
	return err
}

// discarded reports whether some packet of an end to the LID is discarded. Where a table discards,
// senders are always by source.
func (w *worker) discarded(e int32) bool {
	l := w.j.lanes
	m := w.senders.(*sourceMasks).beforeDiscards(e)
	if l.hostDrop != nil && int(e) < w.j.Graph.NumHosts && l.field(m&l.hostDrop[e], assigned) != 0 {
		return true
	}
	for f := l.field(m, assigned); f != 0; f &= f - 1 {
		if !w.send(e, l.sls[bits.TrailingZeros64(f)], func(int32, uint8) bool { return true }) {
			return true
		}
	}
	return false
}
