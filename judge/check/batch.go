package check

import (
	"math"
	"math/bits"

	"weft/fabric"
	"weft/route"
)

// batches says that LIDs with one target switch can be judged together: all packets have the same
// SLs, whatever their LID, and no switch discards them or is drained. Packets on a channel then
// have the mask all, and with pairs of hosts among them the mask withHosts too.
type batches struct {
	all, withHosts uint64
	links          []link  // by port slot
	ranks          []uint8 // by port slot: the rank of its channel among those of its switch
}

// link is the way out of a port: the next switch, -1 for none, and the bit in deps.words of its
// channel with the first channel after it.
type link struct {
	next int32
	row  uint32
}

// newBatches returns nil where LIDs have to be judged one by one.
func newBatches(j *judge) *batches {
	g, l := j.Graph, j.lanes
	switch {
	case j.groups == nil, l.drop != nil, l.numSrc != 1, len(j.drained) > 0, g.NumSwitches < 2, g.NumHosts > math.MaxUint16:
		return nil // groups exclude a Choice and VLs by input port
	case j.deps.numWords > math.MaxUint32/64:
		return nil
	}
	for lid, o := range j.LIDs.Owner {
		if o >= 0 && (l.dst[lid] != 0 || l.src[o] != 0) {
			return nil
		}
	}
	b := &batches{}
	if !b.findMasks(j) {
		return nil
	}
	b.links, b.ranks = make([]link, len(g.Attached)), make([]uint8, len(g.Attached))
	for i, c := range g.Attached {
		b.links[i].next = -1
		if c >= 0 {
			b.links[i] = link{g.To[c], uint32(j.deps.row[c])}
			b.ranks[i] = uint8(j.deps.rank[c] / int32(j.deps.size))
		}
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

// batch judges LIDs of one block whose owners are hosts at one switch. A row of the tables has
// their entries side by side. So the walk visits each switch once for all of them, and what belongs
// to the switch and its channels stays in the first cache.
type batch struct {
	*batches
	w      *worker
	block  int            // -1 at first
	rows   []*route.Block // by switch: its entries of the block
	target int32
	lids   []uint8 // in the block
	cells  []cell  // by switch, LID of the block
	sums   []int64 // by port slot: pairs of hosts; and once more for each LID
}

// cell is an entry on the way: the pairs of hosts that pass or start at the switch, and the rank of
// the channel that they leave by.
type cell struct {
	pairs uint16
	rank  uint8
}

// once counts a LID in sums, above its pairs: a LID without pairs uses the channel too.
const once = 1 << 40

// fewest is the smallest number of LIDs that are judged together.
const fewest = 4

func newBatch(w *worker) *batch {
	n := w.j.Graph.NumSwitches * route.BlockSize
	return &batch{batches: w.j.batches, w: w, block: -1, rows: make([]*route.Block, w.j.Graph.NumSwitches), cells: make([]cell, n), sums: make([]int64, len(w.j.Graph.Attached))}
}

// judge judges the LIDs of a block, from one with an owner on, that have the same target switch. It
// returns those that all switches send along shortest paths, as bits, and the next LID to try. The
// others before it remain to be judged.
func (b *batch) judge(block, from int, owners []int32) (good uint64, next int) {
	j := b.w.j
	b.lids, b.target = b.lids[:0], j.Graph.EndSwitch[owners[from]]
	for next = from; next < len(owners) && owners[next] >= 0 && j.Graph.EndSwitch[owners[next]] == b.target && j.Graph.IsHost(owners[next]); next++ {
		b.lids = append(b.lids, uint8(next))
		good |= 1 << next
	}
	if len(b.lids) < fewest || block >= j.Plan.Tables.NumBlocks() {
		return 0, max(next, from+1)
	}
	hops, order := b.w.distances.To(b.target)
	if hops[order[len(order)-1]] == Unreached {
		return 0, next
	}
	if b.block != block {
		b.block = block
		for s := range b.rows {
			b.rows[s] = j.Plan.Tables.Block(int32(s), block)
		}
	}
	good &^= b.faulty(hops, owners)
	b.lids = b.lids[:0]
	for m := good; m != 0; m &= m - 1 {
		b.lids = append(b.lids, uint8(bits.TrailingZeros64(m)))
	}
	b.carry(hops, order, owners)
	return good, next
}

// faulty reads the entries of all switches, and returns the LIDs with an entry that does not lead
// one hop nearer to the target or, there, to the owner.
func (b *batch) faulty(hops []uint16, owners []int32) (lids uint64) {
	j := b.w.j
	first := fabric.LID(b.block * route.BlockSize)
	for s := range int32(len(hops)) {
		row, of := b.rows[s], j.ports.of[s]
		if s == b.target {
			for _, k := range b.lids {
				if j.ports.ending(j.Graph, s, row[k], first+fabric.LID(k), owners[k]) != delivered {
					lids |= 1 << k
				}
			}
			continue
		}
		if int(first)+route.BlockSize > int(of.lids) {
			return math.MaxUint64
		}
		links, ranks := b.links[of.first:of.end], b.ranks[of.first:of.end]
		cells := (*[route.BlockSize]cell)(b.cells[int(s)*route.BlockSize:])
		want, hosts := hops[s]-1, uint16(j.LIDs.Hosts[s])
		for _, k := range b.lids {
			k &= route.BlockSize - 1
			port := int(row[k])
			if port >= len(links) || links[port].next < 0 || hops[links[port].next] != want {
				lids |= 1 << k
				continue
			}
			cells[k] = cell{hosts, ranks[port]}
		}
	}
	return lids
}

// carry carries the packets to the LIDs from switch to switch, farthest switches first, and records
// their dependencies.
func (b *batch) carry(hops []uint16, order []int32, owners []int32) {
	j, words, size := b.w.j, b.w.collector.deps.words, uint32(b.w.j.deps.size)
	masks := [2]uint64{b.all, b.all | b.withHosts}
	for i := len(order) - 1; i > 0; i-- {
		s := order[i]
		row, of := b.rows[s], j.ports.of[s]
		links, sums := b.links[of.first:of.end], b.sums[of.first:of.end]
		mine := (*[route.BlockSize]cell)(b.cells[int(s)*route.BlockSize:])
		if hops[s] == 1 {
			for _, k := range b.lids {
				sums[row[k]] += int64(mine[k].pairs) + once
				b.w.collector.deps.arrive(j.Graph.Attached[of.first+int32(row[k])], owners[k])
			}
			continue
		}
		for _, k := range b.lids {
			k &= route.BlockSize - 1
			port, n := row[k], mine[k].pairs
			to := links[port]
			sums[port] += int64(n) + once
			then := &b.cells[int(to.next)*route.BlockSize+int(k)]
			then.pairs += n
			m := masks[0]
			if n > 0 {
				m = masks[1]
			}
			place := to.row + uint32(then.rank)*size
			words[place>>6] |= m << (place & 63)
		}
	}
}

// finish adds the sums to those of the channels.
func (b *batch) finish(channels []onChannel) {
	j := b.w.j
	sls := uint16(b.all & j.lanes.fieldMask(assigned))
	for i, c := range j.Graph.Attached {
		if sum := b.sums[i]; sum != 0 {
			channels[c].pairs += sum % once
			channels[c].sls |= sls
		}
	}
	clear(b.sums)
}
