package sa

import (
	"cmp"
	"slices"

	"weft/wire/mad"
)

// ranks order the codes of rates by what they stand for: rankByCode[c] is 0 for a code without meaning, and codeByRank its
// inverse.
var rankByCode, codeByRank = func() (ranks [64]uint8, codes []uint8) {
	codes = append(codes, 0)
	for c := range uint8(64) {
		if mad.RateMbps(c) > 0 {
			codes = append(codes, c)
		}
	}
	slices.SortFunc(codes, func(a, b uint8) int { return cmp.Compare(mad.RateMbps(a), mad.RateMbps(b)) })
	for rank, c := range codes {
		ranks[c] = uint8(rank)
	}
	ranks[0] = 0
	return ranks, codes
}()

// rankOf returns the rank of a rate code, 0 for one without meaning.
func rankOf(code uint8) uint8 { return rankByCode[code&63] }

// limit holds what a query asks of the MTU, the rate or the life time of paths.
type limit struct {
	selector uint8
	value    uint8
	on       bool
}

// limitOf reads a limit from the bits of a mask and the values of a record: a value without a selector means exactly that.
func limitOf(mask, selectorBit, valueBit uint64, selector, value uint8) limit {
	l := limit{selector: mad.SelectExactly, value: value}
	if mask&selectorBit != 0 {
		l.selector = selector
	}
	l.on = mask&valueBit != 0 || mask&selectorBit != 0 && l.selector == mad.SelectLargest
	return l
}

// atMost returns the value that a path is told with which can have as much as best; false where such a path is not asked for.
func (l limit) atMost(best uint8) (uint8, bool) {
	switch {
	case !l.on || l.selector == mad.SelectLargest:
		return best, true
	case l.selector == mad.SelectGreater:
		return best, best > l.value
	case l.selector == mad.SelectLess:
		return min(best, l.value-min(l.value, 1)), l.value > 1
	default:
		return l.value, best >= l.value && l.value > 0
	}
}

// holds reports whether a path with exactly this value is asked for.
func (l limit) holds(v uint8) bool {
	switch {
	case !l.on || l.selector == mad.SelectLargest:
		return true
	case l.selector == mad.SelectGreater:
		return v > l.value
	case l.selector == mad.SelectLess:
		return v < l.value
	default:
		return v == l.value
	}
}
