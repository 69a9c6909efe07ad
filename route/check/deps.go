package check

import "math/bits"

// deps holds the dependencies found so far: for two channels of which the second
// leaves the switch that the first one enters, and for the VL on the first where
// tables by input port make it differ, a mask of SLs. The rest follows from SL2VL.
// Masks are packed. Each worker has masks of its own, which are joined at the end: that
// takes no atomic operation, and no branch that says whether a bit is new.
type deps struct {
	row   []int32 // by channel: slot of the pair (channel, first channel that leaves its end)
	rank  []int32 // by channel: its place among those that leave its switch
	perVL int64   // masks a slot
	size  uint    // bits of a mask
	words []uint64
	shift uint // log2(64/size): masks a word

	lastRow  []int64  // by channel: bit of the pair (channel, first host of its end)
	hostRank []int32  // by host: its place among those of its switch
	last     []uint64 // a bit for each pair on which assigned traffic arrives

	numWords, numLast int64
}

func newDeps(j *judge) *deps {
	g := j.g
	d := &deps{row: make([]int32, g.NumChannels), rank: make([]int32, g.NumChannels), perVL: 1, size: j.lanes.size}
	if j.lanes.inOut {
		d.perVL = int64(len(j.lanes.vls))
	}
	d.lastRow = make([]int64, g.NumChannels)
	d.hostRank = make([]int32, g.NumHosts)
	slots, lasts := int64(0), int64(0)
	for s := range int32(g.NumSwitches) {
		out := g.OutOf(s)
		for i, c := range out {
			d.rank[c] = int32(i)
			d.row[c^1] = int32(slots) + int32(i*len(out))
			d.lastRow[c^1] = lasts + int64(i*len(g.HostsOf(s)))
		}
		for i, h := range g.HostsOf(s) {
			d.hostRank[h] = int32(i)
		}
		lasts += int64(len(out) * len(g.HostsOf(s)))
		slots += int64(len(out) * len(out))
	}
	for d.size<<d.shift < 64 {
		d.shift++
	}
	d.numWords = (slots*d.perVL)>>d.shift + 1
	d.numLast = lasts/64 + 1
	return d
}

// own has the same shape and no dependencies.
func (d *deps) own() *deps {
	o := *d
	o.words = make([]uint64, d.numWords)
	o.last = make([]uint64, d.numLast)
	return &o
}

// join adds what another one has, which is not used any more.
func (d *deps) join(o *deps) {
	if d.words == nil {
		d.words, d.last = o.words, o.last
		return
	}
	for i, m := range o.words {
		d.words[i] |= m
	}
	for i, m := range o.last {
		d.last[i] |= m
	}
}

// slot is the place of the pair of a channel and one by rank that leaves its end.
func (d *deps) slot(c, rank int32) int64 { return int64(d.row[c]+rank) * d.perVL }

// arrive notes that packets from a channel are delivered to a host.
func (d *deps) arrive(c, host int32) {
	bit := d.lastRow[c] + int64(d.hostRank[host])
	d.last[bit/64] |= 1 << (bit % 64)
}

// add joins a mask to a slot.
func (d *deps) add(slot int64, mask uint64) {
	d.words[slot>>d.shift] |= mask << (uint(slot&(1<<d.shift-1)) * d.size)
}

// at is the mask of a slot.
func (d *deps) at(slot int64) uint64 {
	m := d.words[slot>>d.shift] >> (uint(slot&(1<<d.shift-1)) * d.size)
	if d.size < 64 {
		m &= 1<<d.size - 1
	}
	return m
}

// bits counts those that all slots have of a mask.
func (d *deps) bits(mask uint64) int {
	for size := d.size; size < 64; size *= 2 {
		mask |= mask << size
	}
	n := 0
	for _, w := range d.words {
		n += bits.OnesCount64(w & mask)
	}
	return n
}
