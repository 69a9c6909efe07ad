package route

import (
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
	sorted := append([]Row(nil), rows...)
	sort.Slice(sorted, func(i, j int) bool {
		a, b := sorted[i], sorted[j]
		if a.Source != b.Source {
			return a.Source < b.Source
		}
		if a.Target != b.Target {
			return a.Target < b.Target
		}
		return a.Offset < b.Offset
	})
	c := &Choice{Start: make([]int32, numEnds+1)}
	for i, r := range sorted {
		if i > 0 && r == sorted[i-1] {
			continue
		}
		c.Target = append(c.Target, r.Target)
		c.Offset = append(c.Offset, r.Offset)
		c.Start[r.Source+1] = int32(len(c.Target))
	}
	for s := range numEnds {
		c.Start[s+1] = max(c.Start[s+1], c.Start[s])
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
