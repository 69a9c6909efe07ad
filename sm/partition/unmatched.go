package partition

import (
	"path"
	"slices"

	"weft/fabric"
)

// Unmatched returns, by partition, the indexes of the members that select none of the ports with
// these GUIDs on nodes with these descriptions. Words such as ALL_ROUTERS count as matched.
func (ps Partitions) Unmatched(guids map[fabric.GUID]bool, descriptions map[string]bool) [][]int {
	list := make([][]int, len(ps))
	for i := range ps {
		for j := range ps[i].Members {
			m := &ps[i].Members[j]
			if m.Who == OnePort && !guids[m.GUID] || m.Who == Described && !matchesAny(m.Pattern, descriptions) {
				list[i] = append(list[i], j)
			}
		}
	}
	return list
}

// NameAny reports whether a member is one of these GUIDs.
func (ps Partitions) NameAny(guids map[fabric.GUID]bool) bool {
	return len(guids) > 0 && slices.ContainsFunc(ps, func(p Partition) bool {
		return slices.ContainsFunc(p.Members, func(m Member) bool { return m.Who == OnePort && guids[m.GUID] })
	})
}

// NamesPorts reports whether a member is a port or a pattern, not a word such as ALL.
func (ps Partitions) NamesPorts() bool {
	return slices.ContainsFunc(ps, func(p Partition) bool {
		return slices.ContainsFunc(p.Members, func(m Member) bool { return m.Who <= Described })
	})
}

// matchesAny reports whether a pattern matches one of some descriptions.
func matchesAny(pattern string, descriptions map[string]bool) bool {
	if descriptions[pattern] {
		return true
	}
	for d := range descriptions {
		if ok, err := path.Match(pattern, d); ok && err == nil {
			return true
		}
	}
	return false
}
