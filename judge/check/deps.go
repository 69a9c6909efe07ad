package check

import (
	"math/bits"

	"weft/fabric"
)

// deps holds the dependencies found so far: a mask of SLs for each pair of a channel and a channel
// out of the switch that it enters. Where VLs depend on the input port there is a mask for each VL
// on the first channel. The SL2VL tables give the rest. Masks are packed. Each worker fills masks
// of its own, which are joined at the end: that needs no atomic operation, and no test whether a
// bit is new.
type deps struct {
	row   []int64 // by channel: bit of the pair (channel, first channel that leaves its end)
	rank  []int32 // by channel: bits from the first channel that leaves its switch to it
	size  uint    // bits of a mask, a power of two
	words []uint64

	lastRow  []int64  // by channel: bit of the pair (channel, first host of its end)
	hostRank []int32  // by host: its place among those of its switch
	last     []uint64 // a bit for each pair on which assigned traffic arrives

	numWords, numLast int64
}

func newDeps(g *fabric.Graph, l *lanes) *deps {
	d := &deps{row: make([]int64, g.NumChannels), rank: make([]int32, g.NumChannels), size: l.size}
	pair := int(d.size) // bits of a pair
	if l.byInput {
		pair *= len(l.vls)
	}
	d.lastRow = make([]int64, g.NumChannels)
	d.hostRank = make([]int32, g.NumHosts)
	pairs, lasts := int64(0), int64(0)
	for s := range int32(g.NumSwitches) {
		out := g.OutOf(s)
		for i, c := range out {
			d.rank[c] = int32(i * pair)
			d.row[c] = pairs * int64(pair)
			pairs += int64(len(g.OutOf(g.To[c])))
			d.lastRow[c^1] = lasts + int64(i*len(g.AttachedTo(s)))
		}
		for i, h := range g.AttachedTo(s) {
			d.hostRank[h] = int32(i)
		}
		lasts += int64(len(out) * len(g.AttachedTo(s)))
	}
	d.numWords = pairs*int64(pair)/64 + 1
	d.numLast = lasts/64 + 1
	return d
}

// own returns deps of the same shape without dependencies.
func (d *deps) own() *deps {
	o := *d
	o.words = make([]uint64, d.numWords)
	o.last = make([]uint64, d.numLast)
	return &o
}

// join adds the dependencies of another deps, which must not be used afterwards.
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

// pair returns the place of the mask of a channel and a channel out of its end. The VL, by index,
// counts where each has a mask of its own.
func (d *deps) pair(c, next int32, vl int) int64 {
	return d.row[c] + int64(d.rank[next]) + int64(vl)*int64(d.size)
}

// arrive records that packets from a channel are delivered to a host.
func (d *deps) arrive(c, host int32) {
	bit := d.lastRow[c] + int64(d.hostRank[host])
	d.last[bit/64] |= 1 << (bit % 64)
}

// add adds SLs to the mask at a place.
func (d *deps) add(place int64, mask uint64) {
	d.words[place>>6] |= mask << (place & 63)
}

// at returns the mask at a place.
func (d *deps) at(place int64) uint64 {
	return d.words[place>>6] >> (place & 63) & (^uint64(0) >> (64 - d.size))
}

// after appends the masks of a channel with each of the n channels out of its end. It needs one
// mask a pair.
func (d *deps) after(list []uint64, c int32, n int) []uint64 {
	words, mask := d.words, ^uint64(0)>>(64-d.size)
	place := d.row[c]
	for range n {
		list = append(list, words[place>>6]>>(place&63)&mask)
		place += int64(d.size)
	}
	return list
}

// bits counts the bits of all pairs that are set in a mask too.
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
