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

// rule gives the other groups numbers, as one group counts them: slots of all groups with one number lead to the groups of that number.
type rule struct {
	number func(i, j, groups int32) int32      // of group j as group i counts
	target func(i, number, groups int32) int32 // the group that has the number for group i
}

// The rules: so many groups ahead, counted around; or the group of that number, the own one left out.
var (
	ahead = rule{
		number: func(i, j, groups int32) int32 { return (j - i + groups) % groups },
		target: func(i, number, groups int32) int32 { return (i + number) % groups },
	}
	numbered = rule{
		number: func(i, j, _ int32) int32 {
			if j > i {
				return j - 1
			}
			return j
		},
		target: func(i, number, _ int32) int32 {
			if number >= i {
				return number + 1
			}
			return number
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
				seen[at][int(r.number(d.of[ends[0]], d.of[ends[1]], groups))]++
			}
		}
	}
	lead := map[pair][]int32{} // from group a to group b, not ordered: switches of a
	for _, at := range slices.SortedFunc(maps.Keys(seen), compareSlots) {
		number, n := mode(seen[at])
		if 2*n <= int(groups) {
			continue
		}
		for i := range groups {
			j := r.target(i, int32(number), groups)
			lead[pair{i, j}] = append(lead[pair{i, j}], d.group[i][at.place])
		}
	}
	for i := range groups {
		for j := i + 1; j < groups; j++ {
			there, back := lead[pair{i, j}], lead[pair{j, i}]
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
