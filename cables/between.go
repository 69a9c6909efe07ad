package cables

import (
	"maps"
	"slices"
)

// slot is a port of a group: of the switch with this place in it.
type slot struct {
	place int32
	port  uint8
}

// rule says what the slots of all groups have in common that lead from group i to group j of so many; to is its inverse.
type rule struct {
	of func(i, j, groups int32) int32
	to func(i, of, groups int32) int32
}

// The rules: so many groups ahead, counted around; or the group of that number, the own one left out.
var (
	ahead = rule{
		of: func(i, j, groups int32) int32 { return (j - i + groups) % groups },
		to: func(i, of, groups int32) int32 { return (i + of) % groups },
	}
	numbered = rule{
		of: func(i, j, _ int32) int32 {
			if j > i {
				return j - 1
			}
			return j
		},
		to: func(i, of, _ int32) int32 {
			if of >= i {
				return of + 1
			}
			return of
		},
	}
)

// byRule finds the cables between groups by a rule, as pairs of switches: what most groups have in a slot, all should have.
// The cables from one group to another are those back, in the order of their slots. It returns nil where groups differ
// in size, or slots do not agree.
func (d *dragonfly) byRule(r rule) (found [][2]int32) {
	groups := int32(len(d.group))
	for _, g := range d.group {
		if len(g) != len(d.group[0]) {
			return nil
		}
	}
	seen := map[slot]map[int]int{}
	for _, p := range d.between() {
		for _, id := range d.plugged[p] {
			for _, ends := range [2][2]int32{{p.a, p.b}, {p.b, p.a}} {
				at := slot{d.place[ends[0]], d.portAt(ends[0], id)}
				if seen[at] == nil {
					seen[at] = map[int]int{}
				}
				seen[at][int(r.of(d.of[ends[0]], d.of[ends[1]], groups))]++
			}
		}
	}
	lead := map[joined][]int32{} // from group a to group b, not ordered: switches of a
	for _, at := range slices.SortedFunc(maps.Keys(seen), compareSlots) {
		of, n := mode(seen[at])
		if 2*n <= int(groups) {
			continue
		}
		for i := range groups {
			j := r.to(i, int32(of), groups)
			lead[joined{i, j}] = append(lead[joined{i, j}], d.group[i][at.place])
		}
	}
	for i := range groups {
		for j := i + 1; j < groups; j++ {
			there, back := lead[joined{i, j}], lead[joined{j, i}]
			if len(there) != len(back) {
				return nil
			}
			for k := range there {
				found = append(found, [2]int32{there[k], back[k]})
			}
		}
	}
	return found
}

// allJoined lists the cables of a full mesh, as pairs of switches: as many between two as between most.
func (d *dragonfly) allJoined() (found [][2]int32) {
	times := map[int]int{}
	for _, links := range d.plugged {
		times[len(links)]++
	}
	usual, _ := mode(times)
	for s := range int32(d.g.NumSwitches) {
		for t := s + 1; t < int32(d.g.NumSwitches); t++ {
			for range usual {
				found = append(found, [2]int32{s, t})
			}
		}
	}
	return found
}
