package route

import (
	"slices"
	"sort"

	"weft/fabric"
)

// Choice tells which LIDs of a target a source uses, where it may not use any of
// them. Rows are sparse, by source end port and target end port; several rows of
// one pair are a set (multipath). A pair without a row uses the base LID.
type Choice struct {
	Start  []int32 // rows of source s: Start[s] to Start[s+1]; length NumEnds+1
	Target []int32 // ascending within a source
	Offset []uint8 // LID = base of the target + offset
}

// Row is one row of a Choice.
type Row struct {
	Source, Target int32
	Offset         uint8
}

// NewChoice builds a Choice from rows in any order.
func NewChoice(numEnds int, rows []Row) *Choice {
	first := make([]int, numEnds+1) // by source: where its rows begin
	for _, r := range rows {
		first[r.Source+1]++
	}
	for s := range numEnds {
		first[s+1] += first[s]
	}
	sorted, at := make([]uint64, len(rows)), slices.Clone(first)
	for _, r := range rows {
		sorted[at[r.Source]] = uint64(r.Target)<<8 | uint64(r.Offset)
		at[r.Source]++
	}
	c := &Choice{Start: make([]int32, numEnds+1)}
	for s := range numEnds {
		own := sorted[first[s]:first[s+1]]
		slices.Sort(own) // at no cost where the rows came by target
		for _, row := range slices.Compact(own) {
			c.Target = append(c.Target, int32(row>>8))
			c.Offset = append(c.Offset, uint8(row))
		}
		c.Start[s+1] = int32(len(c.Target))
	}
	return c
}

// Offsets lists the offsets that a source uses for a target.
func (c *Choice) Offsets(source, target int32) []uint8 {
	lo, hi := c.Start[source], c.Start[source+1]
	row := c.Target[lo:hi]
	first := sort.Search(len(row), func(i int) bool { return row[i] >= target })
	last := first
	for last < len(row) && row[last] == target {
		last++
	}
	if first == last {
		return baseOffset
	}
	return c.Offset[int(lo)+first : int(lo)+last]
}

var baseOffset = []uint8{0}

// Uses reports whether a source may send to this LID of a target.
func (p *Plan) Uses(source, target int32, lid fabric.LID) bool {
	if p.Choice == nil {
		return true
	}
	for _, o := range p.Choice.Offsets(source, target) {
		if p.Ends.Base[target]+fabric.LID(o) == lid {
			return true
		}
	}
	return false
}
