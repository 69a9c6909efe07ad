package check

import (
	"math/bits"

	"weft/fabric"
	"weft/route"
)

// carry sends the SLs and the pairs of one LID along the paths, farthest switches
// first, where the VL depends on SL and output port alone.
func (w *walker) carry(lid fabric.LID) {
	mine := w.startMasks()
	for s, m := range w.from {
		w.at[s].acc = m & mine
	}
	w.at[w.target].acc = w.without(w.owner) & mine
	w.push(w.order)
	w.goRound(w.push)
	if end := &w.at[w.target]; end.next == delivered {
		w.j.arriving[lid] = w.j.lanes.field(end.acc, assigned)
	}
}

// push carries what passes or starts at switches, from the last to the first, over the
// channels that they leave by.
func (w *walker) push(list []int32) {
	at, use, words := w.at, w.use, w.deps.words
	for i := len(list) - 1; i >= 0; i-- {
		s := list[i]
		h := &at[s]
		if h.out < 0 {
			continue
		}
		to, u, m := &at[h.next], &use[h.out], h.acc
		u.lanes |= uint16(m & w.assigned)
		u.paths += int64(h.pairs)
		to.pairs += h.pairs
		if w.drop != nil {
			m &^= w.drop[w.j.g.PortStart[s]+int32(w.j.g.FromPort[h.out])]
		}
		to.acc |= m
		if to.out < 0 {
			w.arriving(h.out, h.next, m)
			continue
		}
		place := h.row + int64(to.rank)
		words[place>>6] |= m << (place & 63)
		if w.passes {
			w.passing(h.next, m)
		}
	}
}

// goRound carries on in loops: after two rounds every packet has been everywhere.
func (w *walker) goRound(push func([]int32)) {
	start := int32(0)
	for _, end := range w.ringAt {
		for range 2 {
			push(w.rings[start:end])
		}
		start = end
	}
}

// starts finds what starts at every switch to the LID followed.
func (w *walker) starts() {
	if w.sets != nil {
		w.sets.set(int(w.lid), w.owner)
	}
	w.singly()
}

// singly makes sure that mask is for the LID followed.
func (w *walker) singly() {
	if w.masks != nil {
		w.masks.set(w.lid, w.owner)
	}
}

// mask is what starts at one end.
func (w *walker) mask(e int32) uint64 {
	if w.sets != nil {
		return w.sets.of(e, int(w.lid), w.owner)
	}
	return w.masks.of[e]
}

// startMasks is what all masks are cut down to: packets to a switch are no traffic
// of hosts.
func (w *walker) startMasks() uint64 {
	if w.owner >= int32(w.j.g.NumHosts) {
		return ^w.j.lanes.fieldMask(hostOnly)
	}
	return ^uint64(0)
}

// without is the mask of all ends of the target's switch but one.
func (w *walker) without(end int32) uint64 {
	g, m := w.j.g, uint64(0)
	for _, h := range g.HostsOf(w.target) {
		if m == w.from[w.target] { // that of all ends
			return m
		}
		if h != end {
			m |= w.mask(h)
		}
	}
	if z := g.PortZero(w.target); z != end {
		m |= w.mask(z)
	}
	return m
}

// passing notes assigned traffic that a drained switch lets through.
func (w *walker) passing(s int32, m uint64) {
	if w.j.g.Drained[s] && w.j.lanes.field(m, assigned) != 0 {
		w.transit[s] = true
	}
}

// arriving notes assigned traffic that a host gets from a channel.
func (w *walker) arriving(c, s int32, m uint64) {
	if w.at[s].next == delivered && w.owner < int32(w.j.g.NumHosts) && w.j.lanes.field(m, assigned) != 0 {
		w.deps.arrive(c, w.owner)
	}
}

// drained counts the drained switches that let traffic to a LID through.
func (w *walker) drained(lid fabric.LID) {
	for _, s := range w.j.drained {
		if !w.transit[s] {
			continue
		}
		w.transit[s] = false
		w.sum.transit++
		if len(w.found.transit) < examplesShown {
			w.found.transit = append(w.found.transit,
				lidName(w.j.g, lid, w.owner)+": through drained "+route.SwitchName(w.j.g, s))
		}
	}
}

// carryByPort does as carry where the VL depends on the input port too. What is on
// the channel a switch leaves by is then kept by VL.
func (w *walker) carryByPort(lid fabric.LID) {
	clear(w.lane)
	clear(w.laneVL)
	mine := w.startMasks()
	for s := range int32(len(w.at)) {
		if _, ok := w.exit(s); ok {
			w.start(s, mine)
		}
	}
	w.pushByPort(w.order)
	w.goRound(w.pushByPort)
	if w.at[w.target].next == delivered {
		w.j.arriving[lid] = uint64(w.laneVL[w.target])
	}
}

// exit is the port by which packets leave a switch on data VLs: to another switch
// or to the host they are for.
func (w *walker) exit(s int32) (port uint8, ok bool) {
	if c := w.at[s].out; c >= 0 {
		return w.j.g.FromPort[c], true
	}
	if w.at[s].next == delivered && w.owner < int32(w.j.g.NumHosts) {
		return w.j.g.EndPort[w.owner], true
	}
	return 0, false
}

// start puts the packets of a switch's own ends on its channel.
func (w *walker) start(s int32, mine uint64) {
	g := w.j.g
	for _, h := range g.HostsOf(s) {
		if h != w.owner {
			w.enter(s, g.EndPort[h], w.mask(h)&mine)
		}
	}
	if z := g.PortZero(s); z != w.owner {
		w.enter(s, 0, w.mask(z)&mine)
	}
}

// enter takes packets that came in by a port through a switch to its channel.
func (w *walker) enter(s int32, in uint8, m uint64) {
	l := w.j.lanes
	out, ok := w.exit(s)
	if !ok || m == 0 {
		return
	}
	table := l.sl2vl.Table(w.j.g, s, in, out)
	at := int(s) * len(l.vls)
	for i, sl := range l.sls {
		these := m & l.sel[i]
		if these == 0 {
			continue
		}
		vl := table[sl]
		if l.field(these, assigned) != 0 {
			w.laneVL[s] |= 1 << vl
		}
		if vl != route.DropVL {
			w.lane[at+int(l.vlIndex[vl])] |= these
		}
	}
}

func (w *walker) pushByPort(list []int32) {
	vls := len(w.j.lanes.vls)
	for i := len(list) - 1; i >= 0; i-- {
		s := list[i]
		h := &w.at[s]
		if h.out < 0 {
			continue
		}
		to, u := &w.at[h.next], &w.use[h.out]
		u.lanes |= w.laneVL[s]
		u.paths += int64(h.pairs)
		to.pairs += h.pairs
		all := uint64(0)
		for v, m := range w.lane[int(s)*vls:][:vls] {
			all |= m
			if m != 0 && to.out >= 0 {
				w.deps.add(w.deps.pair(h.out, to.out, v), m)
			}
		}
		if to.out >= 0 {
			w.passing(h.next, all)
		} else {
			w.arriving(h.out, h.next, all)
		}
		w.enter(h.next, w.j.g.ToPort[h.out], all)
	}
}

// vlsUsed is the set of VLs (15 for discarded) of assigned traffic on a channel.
func (l *lanes) vlsUsed(c int32, use uint16) uint16 {
	if l.inOut {
		return use
	}
	return l.vlsOf(uint64(use), l.sl2vl.Table(l.g, l.g.From[c], 0, l.g.FromPort[c]))
}

// countVLs counts the VLs in a set, VL 15 left out.
func countVLs(set uint16) int { return bits.OnesCount16(set &^ (1 << route.DropVL)) }
