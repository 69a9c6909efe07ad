package cables

import (
	"maps"
	"slices"
)

// slot is a port of a group: its switch by place in the group, and its port number.
type slot struct {
	place int32
	port  uint8
}

// rule numbers the other groups from the view of one group: slots with the same number in all
// groups lead to the groups of that number.
type rule struct {
	number func(i, j, groups int32) int32      // number of group j from the view of group i
	target func(i, number, groups int32) int32 // the group with the given number from the view of group i
}

// The rules: groups ahead, counted cyclically; or the group's own number, skipping the own group.
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

// byRule finds the cables between groups by a rule, as pairs of switches: every group should have
// in a slot what most groups have there. The cables from one group to another match the cables
// back, in the order of their slots. It returns nil if groups differ in size, or slots do not
// agree.
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

// allJoined lists the cables of a full mesh, as pairs of switches: each pair has as many as most
// pairs.
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
