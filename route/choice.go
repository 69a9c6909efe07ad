package route

import (
	"slices"
	"sort"

	"weft/fabric"
)

// Choice says which LIDs of its target a source uses. With one LID a port all choices are the same.
type Choice struct {
	By ChoiceBy
	// Rows of ListedLIDs, sparse, by source and target end port. Several rows of one pair are a set
	// (multipath); a pair without a row uses the base LID. Source s has rows Start[s] to
	// Start[s+1]; Start has NumEnds+1 elements.
	Start  []int32
	Target []int32 // ascending within a source
	Offset []uint8 // LID = base LID of the target + offset
}

// ChoiceBy is a rule for sources to choose among the LIDs of a target.
type ChoiceBy uint8

// The rules. A Plan with AnyLID must be right for every LID that a source could choose.
const (
	AnyLID     ChoiceBy = iota // any of them: clients choose in an unknown way
	BaseLID                    // the base LID alone, as most MPI libraries do
	HashedLID                  // one for each source, see HashedOffset
	ListedLIDs                 // the LIDs in the rows
)

// String returns the rule in words, as in reports and Plan files.
func (b ChoiceBy) String() string {
	if int(b) < len(choiceWords) {
		return choiceWords[b]
	}
	return "unknown"
}

var choiceWords = [...]string{AnyLID: "any LID", BaseLID: "base LID", HashedLID: "hashed by source", ListedLIDs: "listed by source and target"}

// ParseChoiceBy finds a rule by its words.
func ParseChoiceBy(words string) (by ChoiceBy, ok bool) {
	i := slices.Index(choiceWords[:], words)
	return ChoiceBy(i), i >= 0
}

// ChoiceRow is one row of a Choice by ListedLIDs.
type ChoiceRow struct {
	Source, Target int32
	Offset         uint8
}

// NewChoice builds a Choice by ListedLIDs from rows in any order.
func NewChoice(numEnds int, rows []ChoiceRow) Choice {
	first := make([]int, numEnds+1) // by source: its first row
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
	c := Choice{By: ListedLIDs, Start: make([]int32, numEnds+1)}
	for s := range numEnds {
		own := sorted[first[s]:first[s+1]]
		slices.Sort(own) // cheap if the rows came by target
		for _, row := range slices.Compact(own) {
			c.Target = append(c.Target, int32(row>>8))
			c.Offset = append(c.Offset, uint8(row))
		}
		c.Start[s+1] = int32(len(c.Target))
	}
	return c
}

// Offsets lists the offsets in a source's rows for a target. The Choice is by ListedLIDs.
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

// HashedOffset returns the offset that a source uses for all LIDs of a target under HashedLID: the
// number of its own block of LIDs modulo the target's number of LIDs. So sources of consecutive
// blocks spread evenly.
func HashedOffset(source fabric.LID, sourceLMC uint8, count int) uint8 {
	return uint8((int(source) >> sourceLMC) % count)
}

// Uses reports whether a source may send to this LID of a target.
func (p *Plan) Uses(source, target int32, lid fabric.LID) bool {
	offset := uint8(lid - p.Ends.Base[target])
	switch p.Choice.By {
	case BaseLID:
		return offset == 0
	case HashedLID:
		return offset == HashedOffset(p.Ends.Base[source], p.Ends.LMC[source], max(1, p.Ends.Count(target)))
	case ListedLIDs:
		return slices.Contains(p.Choice.Offsets(source, target), offset)
	case AnyLID:
	}
	return true
}
