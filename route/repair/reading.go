package repair

import (
	"context"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// read collects the dependencies of the old Plan.
func (d *dependencies) read(ctx context.Context, workers int, wholeOnly bool) (*reader, error) {
	lostAt := make(map[int][]int32, len(d.lost))
	if wholeOnly {
		for _, c := range d.lost {
			lostAt[c.lid] = c.switches
		}
	}
	own, lids := make([]*reader, max(1, workers)), d.lidsBySwitch()
	err := par.For(ctx, workers, len(lids), func(worker, i int) error {
		if own[worker] == nil {
			own[worker] = newReader(d)
		}
		if d.l.n == 1 && !wholeOnly {
			own[worker].readSwitch(int32(i))
			return nil
		}
		var done []int // LIDs whose packets all take different ways
		for _, lid := range lids[i] {
			switch {
			case lostAt[lid] != nil:
				own[worker].readColumn(lid, lostAt[lid])
			case !slices.ContainsFunc(done, func(other int) bool { return d.alike(lid, other) }):
				own[worker].readColumn(lid, nil)
				done = append(done, lid)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all *reader
	for _, r := range own {
		switch {
		case r == nil:
		case all == nil:
			all = r
		default:
			for layer, edges := range r.edges {
				for i, word := range edges {
					all.edges[layer][i] |= word
				}
			}
		}
	}
	if all == nil {
		all = newReader(d)
	}
	return all, nil
}

// lidsBySwitch lists, by switch, the LIDs of its end ports that are the same as in the old Plan.
func (d *dependencies) lidsBySwitch() [][]int {
	lids := make([][]int, d.b.g.NumSwitches)
	for lid, end := range d.b.owner {
		if d.b.same[lid] {
			s := d.b.g.EndSwitch[end]
			lids[s] = append(lids[s], lid)
		}
	}
	return lids
}

// alike reports whether packets to two LIDs of one switch take the same channels and lanes.
func (d *dependencies) alike(lid, other int) bool {
	b := d.b
	owner, before := b.owner[lid], b.owner[other]
	if sl := d.l.plan.SL; d.l.n > 1 && (sl.Dst[lid] != sl.Dst[other] || sl.Src[owner] != sl.Src[before]) {
		return false
	}
	to := b.g.EndSwitch[owner]
	for s, row := range b.rows {
		block, k := row[lid/route.BlockSize], lid%route.BlockSize
		if block[k] != row[other/route.BlockSize][other%route.BlockSize] && int32(s) != to {
			return false
		}
	}
	return b.channel(to, lid) == b.channel(to, other)
}

// reader collects the dependencies of columns.
type reader struct {
	d      *dependencies
	edges  [][]uint64 // by layer: a bit by number of an edge
	next   []int32    // by switch: the channel of its entry
	waits  []int32    // by switch: number of unfinished switches whose entries lead to it
	sorted []int32    // switches, each before its next one
	sent   []uint16   // by switch: the SLs of its packets to LIDs of the classes sentTo
	sentTo cell       // classes of replies to the LIDs, and of the LIDs
	on     []uint16   // VLs, as a set by index, on the channel of a switch: by switch and SL, or by switch if packets keep their VL
}

func newReader(d *dependencies) *reader {
	n := d.l.g.NumSwitches
	r := &reader{d: d, next: make([]int32, n), waits: make([]int32, n)}
	for range d.l.layers() {
		r.edges = append(r.edges, make([]uint64, d.index.Size/64+1))
	}
	switch {
	case d.l.layers() > 1:
		r.on = make([]uint16, n)
	case d.l.n > 1:
		r.on = make([]uint16, n*route.NumSLs)
	}
	if d.l.n > 1 {
		r.sent, r.sentTo = make([]uint16, n), cell{-1, -1}
	}
	return r
}

// add adds the edge from channel c to e of a layer.
func (r *reader) add(layer int, c, e int32) {
	i := r.d.index.Number(c, e)
	r.edges[layer][i/64] |= 1 << (i % 64)
}

// readSwitch adds the dependencies of packets that come from a switch, with one VL. It first notes
// which ports follow which, and then looks up their channels. This takes a third of the time of
// reading all columns.
func (r *reader) readSwitch(s int32) {
	g, b := r.d.l.g, r.d.b
	channels := b.channels[g.PortStart[s]:][:g.SwitchPorts[s]+1]
	follows := make([]bool, len(channels)<<8) // by port, port at the switch behind it
	var after [256]*route.Block               // by port: block of that switch
	for i, block := range b.rows[s] {
		for port, c := range channels {
			if after[port] = block; c >= 0 {
				after[port] = b.rows[g.To[c]][i]
			}
		}
		same := b.same[min(i*route.BlockSize, len(b.same)):]
		for k, port := range block[:min(len(block), len(same))] {
			if same[k] && int(port) < len(channels) {
				follows[int(port)<<8|int(after[port][k])] = true
			}
		}
	}
	for port, c := range channels {
		if c < 0 {
			continue
		}
		t := g.To[c]
		for then, yes := range follows[port<<8:][:g.SwitchPorts[t]+1] {
			if e := b.channels[int(g.PortStart[t])+then]; yes && e >= 0 {
				r.add(0, c, e)
			}
		}
	}
}

// readColumn adds the dependencies of the entries of a LID, except the entries of some switches.
func (r *reader) readColumn(lid int, without []int32) {
	g := r.d.l.g
	for s := range r.next {
		r.next[s] = r.d.b.channel(int32(s), lid)
	}
	for _, s := range without {
		r.next[s] = fabric.Nothing
	}
	if r.d.l.n > 1 {
		r.readByLane(lid)
		return
	}
	for _, c := range r.next {
		if c < 0 {
			continue
		}
		if e := r.next[g.To[c]]; e >= 0 {
			r.add(0, c, e)
		}
	}
}

// readByLane adds the dependencies of a LID with several layers: it follows the packets of all
// sources from switch to switch, except those on a ring of switches.
func (r *reader) readByLane(lid int) {
	g, l := r.d.l.g, r.d.l
	r.sortSwitches()
	r.readSent(lid)
	clear(r.on)
	for _, s := range r.sorted {
		c := r.next[s]
		if c < 0 {
			continue
		}
		e := r.next[g.To[c]]
		if l.stay {
			r.on[s] |= l.vlsOn(r.sent[s])
			r.keepLane(c, e, r.on[s])
			continue
		}
		on := r.on[int(s)*route.NumSLs:][:route.NumSLs]
		for sls := r.sent[s]; sls != 0; sls &= sls - 1 {
			sl := bits.TrailingZeros16(sls)
			on[sl] |= l.firstVLs(c, uint8(sl))
		}
		if e >= 0 {
			r.step(c, e, on)
		}
	}
}

// readSent finds the SLs of all switches' packets to a LID. It does nothing if they equal the SLs
// of the previous LID.
func (r *reader) readSent(lid int) {
	m := r.d.l.plan.SL
	to := cell{m.Src[r.d.l.owner[lid]], m.Dst[lid]}
	if r.sentTo == to {
		return
	}
	r.sentTo = to
	for s := range r.sent {
		r.sent[s] = r.d.l.slsTo(int32(s), lid)
	}
}

// sortSwitches lists the switches in the order that packets pass them, without switches on a ring.
func (r *reader) sortSwitches() {
	g := r.d.l.g
	clear(r.waits)
	for _, c := range r.next {
		if c >= 0 {
			r.waits[g.To[c]]++
		}
	}
	r.sorted = r.sorted[:0]
	for s, n := range r.waits {
		if n == 0 {
			r.sorted = append(r.sorted, int32(s))
		}
	}
	for i := 0; i < len(r.sorted); i++ {
		if c := r.next[r.sorted[i]]; c >= 0 {
			t := g.To[c]
			if r.waits[t]--; r.waits[t] == 0 {
				r.sorted = append(r.sorted, t)
			}
		}
	}
}

// keepLane moves packets on some VLs, by index, from channel c to e, if there is an e.
func (r *reader) keepLane(c, e int32, vls uint16) {
	if e >= 0 {
		r.on[r.d.l.g.To[c]] |= vls
		i := r.d.index.Number(c, e)
		for ; vls != 0; vls &= vls - 1 {
			r.edges[bits.TrailingZeros16(vls)][i/64] |= 1 << (i % 64)
		}
	}
}

// step moves packets from channel c to e.
func (r *reader) step(c, e int32, on []uint16) {
	g, l, t := r.d.l.g, r.d.l, r.d.l.g.To[c]
	for _, sl := range l.sls {
		vls := on[sl]
		if vls == 0 {
			continue
		}
		then := l.vl(t, g.ToPort[c], g.FromPort[e], sl)
		if then == noLane {
			continue
		}
		for ; vls != 0; vls &= vls - 1 {
			r.add(0, l.pair(c, int32(bits.TrailingZeros16(vls))), l.pair(e, int32(then)))
		}
		r.on[int(t)*route.NumSLs+int(sl)] |= 1 << then
	}
}
