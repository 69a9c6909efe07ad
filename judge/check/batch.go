package check

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route"
)

// batches says that the LIDs of a block can be judged together: all packets have the same SLs,
// whatever their LID, and no switch discards them or is drained. Packets on a channel then have the
// mask all, and with pairs of hosts among them the mask withHosts too.
type batches struct {
	all, withHosts uint64

	next  []uint16 // by port slot: the next switch; the number of switches for none
	lids  int      // every switch has room for the LIDs below
	words int      // of a set of ports of a switch
}

// newBatches returns nil where LIDs have to be judged one by one.
func newBatches(j *judge) *batches {
	g, l := j.Graph, j.lanes
	switch {
	case j.groups == nil, l.drop != nil, l.numSrc != 1, len(j.drained) > 0: // groups exclude a Choice and VLs by input port
		return nil
	case g.NumSwitches < 2, g.NumSwitches > math.MaxUint16, g.NumHosts > math.MaxUint16:
		return nil
	}
	for lid, o := range j.LIDs.Owner {
		if o >= 0 && (l.dst[lid] != 0 || l.src[o] != 0) {
			return nil
		}
	}
	b := &batches{next: make([]uint16, len(g.Attached)), lids: math.MaxInt, words: 1}
	if !b.findMasks(j) {
		return nil
	}
	for i, c := range g.Attached {
		b.next[i] = uint16(g.NumSwitches)
		if c >= 0 {
			b.next[i] = uint16(g.To[c])
		}
	}
	for _, of := range j.ports.of {
		b.lids = min(b.lids, int(of.lids))
		b.words = max(b.words, (int(of.end-of.first)+62)/64)
	}
	return b
}

// findMasks reports whether all switches send the same SLs, with the field of hosts at switches
// with hosts and nowhere else.
func (b *batches) findMasks(j *judge) bool {
	hosts := j.lanes.fieldMask(hostOnly)
	m := newGroupMasks(j)
	m.setClasses(0, 0)
	for s, mask := range m.bySwitch() {
		if s == 0 {
			b.all = mask &^ hosts
		}
		if mask&^hosts != b.all {
			return false
		}
		if has := mask & hosts; has == 0 != (j.LIDs.Hosts[s] == 0) || has != 0 && b.withHosts != 0 && has != b.withHosts {
			return false
		} else if has != 0 {
			b.withHosts = has
		}
	}
	return b.all&j.lanes.fieldMask(assigned) != 0
}

// batch judges the LIDs of one block that all switches send to their owners. A row of the tables
// has their entries side by side. So the walk visits each switch once for many of them, and what
// belongs to the switch stays in the first cache.
type batch struct {
	*batches
	w       *worker
	block   int           // -1 for none
	toHosts uint64        // its LIDs of hosts, as bits
	entries []route.Block // by switch
	pairs   []pairCounts  // by switch, and once more for no switch
	hops    []uint16      // by switch to the target in work; Unreached from no switch
	skip    []uint64      // by switch: LIDs, as bits, that it does not send to another switch's port

	// By port slot, about the packets that cross its cable to the next switch. after and afterHosts
	// are sets of ports, as bits in one or more words.
	after, afterHosts []uint64 // the ports of their next hop: of all packets; of packets of hosts
	sums              []int64  // their pairs of hosts
	ends              []bool   // some packets end at the next switch
}

// pairCounts holds, by LID of a block, the number of pairs of hosts whose packets come to a switch
// from other switches.
type pairCounts [route.BlockSize]uint16

// some reports whether some of eight LIDs from k on, a multiple of 8, have pairs.
func (c *pairCounts) some(k int) bool {
	n := c[k&(route.BlockSize-8):][:8]
	return n[0]|n[1]|n[2]|n[3]|n[4]|n[5]|n[6]|n[7] != 0
}

// alike returns the port of the entries from k to before end, if these are eight and equal.
func alike(row *route.Block, k, end int) (port uint8, same bool) {
	if end-k != 8 {
		return 0, false
	}
	eight := binary.LittleEndian.Uint64(row[k&(route.BlockSize-8):])
	return uint8(eight), eight == eight&0xFF*0x0101010101010101
}

func newBatch(w *worker) *batch {
	n, slots := w.j.Graph.NumSwitches, len(w.j.Graph.Attached)
	b := w.j.batches
	return &batch{
		batches: b, w: w, block: -1, entries: make([]route.Block, n), pairs: make([]pairCounts, n+1), hops: make([]uint16, n+1), skip: make([]uint64, n),
		after: make([]uint64, slots*b.words), afterHosts: make([]uint64, slots*b.words), sums: make([]int64, slots), ends: make([]bool, slots),
	}
}

// judge judges the LIDs of a block. It returns, as bits, the LIDs that all switches send along
// shortest paths. The others remain to be judged; then record records all of them.
func (b *batch) judge(block int, owners []int32) (good uint64) {
	j := b.w.j
	b.block, b.toHosts = -1, 0
	if block >= j.Plan.Tables.NumBlocks() || (block+1)*route.BlockSize > b.lids {
		return 0
	}
	b.block = block
	for s := range b.entries {
		b.entries[s] = *j.Plan.Tables.Block(int32(s), block)
	}
	clear(b.pairs)
	clear(b.skip)
	for from, to := 0, 0; from < len(owners); from = to {
		for to = from + 1; to < len(owners) && j.together(owners[from], owners[to]); to++ {
		}
		if owners[from] >= 0 {
			mask := ^uint64(0) >> (route.BlockSize - (to - from)) << from
			good |= mask &^ b.judgeRun(from, to, owners)
			if j.Graph.IsHost(owners[from]) {
				b.toHosts |= mask
			}
		}
	}
	return good
}

// together reports whether LIDs of two owners have the same target switch, and both are hosts.
func (j *judge) together(a, b int32) bool {
	return a >= 0 && b >= 0 && j.Graph.IsHost(a) && j.Graph.IsHost(b) && j.Graph.EndSwitch[a] == j.Graph.EndSwitch[b]
}

// judgeRun reads the entries of all switches for a run of LIDs with one target switch, to being
// exclusive. It returns the LIDs with an entry that does not lead one hop nearer to the target or,
// there, to the owner.
func (b *batch) judgeRun(from, to int, owners []int32) (faulty uint64) {
	j := b.w.j
	target := j.Graph.EndSwitch[owners[from]]
	hops, order := b.w.distances.To(target)
	if hops[order[len(order)-1]] == Unreached {
		return math.MaxUint64
	}
	copy(b.hops, hops)
	b.hops[len(hops)] = Unreached
	for k := from; k < to; k++ {
		b.skip[target] |= 1 << k
		if j.ports.ending(j.Graph, target, b.entries[target][k], fabric.LID(b.block*route.BlockSize+k), owners[k]) != delivered {
			faulty |= 1 << k
		}
	}
	if j.Graph.IsHost(owners[from]) {
		return faulty | b.carry(order, from, to)
	}
	return faulty | b.follow(target, from)
}

// carry carries the packets to hosts from switch to switch, farthest switches first.
func (b *batch) carry(order []int32, from, to int) (faulty uint64) {
	j, hops := b.w.j, b.hops
	for i := len(order) - 1; i > 0; i-- {
		s := order[i]
		of, row, mine := &j.ports.of[s], &b.entries[s], &b.pairs[s]
		next, want, own := b.next[of.first:of.end], hops[s]-1, uint16(j.LIDs.Hosts[s])
		other := uint16(0)
		for k, end := from, 0; k < to; k = end {
			end = min(to, k&^7+8)
			if port, same := alike(row, k, end); same && own == 0 && int(port) < len(next) && !mine.some(k) {
				other |= hops[next[port]] ^ want // eight LIDs without pairs
				continue
			}
			for k := k; k < end; k++ {
				k := k & (route.BlockSize - 1)
				port := int(row[k])
				if port >= len(next) {
					other = math.MaxUint16
					continue
				}
				then := next[port]
				other |= hops[then] ^ want
				b.pairs[then][k] += mine[k] + own
			}
		}
		if other != 0 {
			faulty |= b.find(s, from, to)
		}
	}
	return faulty
}

// find returns the LIDs that a switch does not send one hop nearer.
func (b *batch) find(s int32, from, to int) (faulty uint64) {
	of := &b.w.j.ports.of[s]
	next := b.next[of.first:of.end]
	for k := from; k < to; k++ {
		if port := int(b.entries[s][k]); port >= len(next) || b.hops[next[port]] != b.hops[s]-1 {
			faulty |= 1 << k
		}
	}
	return faulty
}

// follow looks up the next hop of all switches for the LID of a switch.
func (b *batch) follow(target int32, k int) (faulty uint64) {
	j, hops := b.w.j, b.hops
	k &= route.BlockSize - 1
	other := uint16(0)
	for s := range b.entries {
		of, port := &j.ports.of[s], int32(b.entries[s][k])
		if at := of.first + port; int32(s) == target {
			continue
		} else if at < of.end {
			other |= hops[b.next[at]] ^ (hops[s] - 1)
		} else {
			other = math.MaxUint16
		}
	}
	if other != 0 {
		return 1 << k
	}
	b.end(target, k)
	return 0
}

// end notes the neighbours that send packets for the LID of a switch to it: none leaves it again.
func (b *batch) end(target int32, k int) {
	j := b.w.j
	for _, c := range j.Graph.OutOf(target) {
		s := j.Graph.To[c]
		if at := j.ports.of[s].first + int32(b.entries[s][k]); int32(b.next[at]) == target {
			b.skip[s] |= 1 << k
			b.ends[at] = true
		}
	}
}

// take adds a LID to the batch that all switches send to its owner, but not all along shortest
// paths. It returns false if the batch lacks the LID's block, or some packets do not arrive.
func (b *batch) take(p *Paths) bool {
	if b.block != int(p.LID)/route.BlockSize || slices.Min(p.Depth) <= 0 {
		return false
	}
	k := int(p.LID) % route.BlockSize
	if b.skip[p.Target] |= 1 << k; !b.w.j.Graph.IsHost(p.Owner) {
		b.end(p.Target, k)
		return true
	}
	for s := range b.pairs {
		b.pairs[s][k] = 0
	}
	b.carry(p.Order, k, k+1) // for the pairs alone: hops are those to another target
	return true
}

// record records the dependencies of packets to these LIDs of the block, and counts pairs of hosts.
func (b *batch) record(lids uint64) {
	for s := range b.entries {
		mine := lids &^ b.skip[s]
		if m := mine & b.toHosts; m != 0 {
			b.recordAt(s, m, uint16(b.w.j.LIDs.Hosts[s]))
		}
		if m := mine &^ b.toHosts; m != 0 {
			b.recordAt(s, m, 0)
		}
	}
}

// recordAt records the dependencies at one switch, where so many hosts send to each of the LIDs.
func (b *batch) recordAt(s int, lids uint64, hosts uint16) {
	of, row, mine := &b.w.j.ports.of[s], &b.entries[s], &b.pairs[s]
	next, sums := b.next[of.first:of.end], b.sums[of.first:of.end]
	words := b.words
	after := b.after[int(of.first)*words : int(of.end)*words]
	afterHosts := b.afterHosts[int(of.first)*words : int(of.end)*words]
	for first := 0; first < route.BlockSize; first += 8 {
		some := uint8(lids >> first)
		if some == math.MaxUint8 && hosts == 0 && !mine.some(first) {
			if port, same := alike(row, first, first+8); same {
				if _, same := alike(&b.entries[next[port]], first, first+8); same {
					some = 1 // stands for all
				}
			}
		}
		for ; some != 0; some &= some - 1 {
			k := (first + bits.TrailingZeros8(some)) & (route.BlockSize - 1)
			port := int(row[k])
			out := b.entries[next[port]][k] - 1
			at := port*words + int(out>>6)
			after[at] |= 1 << (out & 63)
			if n := mine[k] + hosts; n > 0 {
				afterHosts[at] |= 1 << (out & 63)
				sums[port] += int64(n)
			}
		}
	}
}

// finish adds the findings of the batches of all workers to the collector of one.
func (b *batches) finish(workers []*worker) {
	var sum *batch
	for _, w := range workers {
		if w != nil && sum == nil {
			sum = w.batch
		} else if w != nil {
			sum.add(w.batch)
		}
	}
	if sum == nil {
		return
	}
	j, c := sum.w.j, &sum.w.collector
	sls := uint16(b.all & j.lanes.fieldMask(assigned))
	for at, channel := range j.Graph.Attached {
		if channel < 0 {
			continue
		}
		used := sum.ends[at]
		for i := range b.words {
			used = b.depend(j, c.deps, channel, i, sum.after[at*b.words+i], sum.afterHosts[at*b.words+i]) || used
		}
		if used {
			c.channels[channel].sls |= sls
			c.channels[channel].pairs += sum.sums[at]
		}
	}
}

// depend records the dependencies of a channel on those out of the ports of the next switch that
// are bits of a word, or deliveries, and reports whether there are any.
func (b *batches) depend(j *judge, d *deps, channel int32, word int, after, afterHosts uint64) bool {
	first := j.Graph.PortStart[j.Graph.To[channel]] + 1 + int32(word)*64
	for m := after; m != 0; m &= m - 1 {
		k := bits.TrailingZeros64(m)
		then := j.Graph.Attached[first+int32(k)]
		if then < 0 {
			d.arrive(channel, -2-then)
			continue
		}
		mask := b.all
		if afterHosts>>k&1 == 1 {
			mask |= b.withHosts
		}
		d.add(d.pair(channel, then, 0), mask)
	}
	return after != 0
}

// add adds the findings of another worker.
func (b *batch) add(o *batch) {
	for i, m := range o.after {
		b.after[i] |= m
		b.afterHosts[i] |= o.afterHosts[i]
	}
	for i, n := range o.sums {
		b.sums[i] += n
		b.ends[i] = b.ends[i] || o.ends[i]
	}
}
