package sa

import (
	"cmp"
	"slices"

	"weft/wire/mad"
)

// rankByCode and codeByRank order the codes of rates by bandwidth: rankByCode[c] is 0 for an
// unknown code, and codeByRank is the inverse.
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

// rankOf returns the rank of a rate code, 0 if unknown.
func rankOf(code uint8) uint8 { return rankByCode[code&63] }

// limit is a query's condition on the MTU, the rate or the life time of paths.
type limit struct {
	selector uint8
	value    uint8
	on       bool
}

// limitOf decodes a limit; a value without a selector means exactly that value.
func limitOf(mask, selectorBit, valueBit uint64, selector, value uint8) limit {
	l := limit{selector: mad.SelectExactly, value: value}
	if mask&selectorBit != 0 {
		l.selector = selector
	}
	l.on = mask&valueBit != 0 || mask&selectorBit != 0 && l.selector == mad.SelectLargest
	return l
}

// atMost returns the value for a path that supports up to best; false if the limit excludes the
// path.
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

// holds reports whether the limit allows a value.
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
