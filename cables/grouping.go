package cables

import (
	"maps"
	"slices"
)

// makeGroups finds the groups of a tier. A switch belongs to the group with which it shares the most switches
// above; at first these are those of any member, then those of most, so that a cable that is crossed joins no groups.
func (t *tree) makeGroups(x *tier) {
	usual := map[int]int{}
	for _, s := range x.low {
		for _, v := range t.up(s) {
			usual[t.count(s, v)]++
		}
	}
	x.usual, _ = mode(usual)
	var old grouping
	for range 3 {
		now := grouping{groups: make([]*group, len(old.groups)), of: map[int32][]int{}}
		for i := range now.groups {
			now.groups[i] = &group{above: map[int32]int{}}
		}
		for _, s := range x.low {
			up := t.up(s)
			i := old.nearest(up)
			if i < 0 {
				i = now.nearest(up)
			}
			now.add(i, s, up)
		}
		old = now
	}
	old.merge()
	x.groups = slices.DeleteFunc(old.groups, func(g *group) bool { return len(g.low) == 0 })
	t.placeAbove(x)
}

// merge makes one group of two of which most of what half of one leads to is what half of the other leads to: a group that
// has lost many cables.
func (k *grouping) merge() {
	for i := 0; i < len(k.groups); i++ {
		g, shared := k.groups[i], map[int]int{}
		mine := 0
		for v, n := range g.above {
			if 2*n < len(g.low) {
				continue
			}
			mine++
			for _, j := range k.of[v] {
				if o := k.groups[j]; j != i && len(o.low) > 0 && 2*o.above[v] >= len(o.low) {
					shared[j]++
				}
			}
		}
		j, most := mode(shared)
		if 2*most <= mine {
			continue
		}
		for v, n := range g.above {
			k.groups[j].above[v] += n
			if !slices.Contains(k.of[v], j) {
				k.of[v] = append(k.of[v], j)
			}
		}
		k.groups[j].low = append(k.groups[j].low, g.low...)
		slices.Sort(k.groups[j].low)
		k.groups[i] = &group{}
	}
}

// grouping is groups, with those that lead to each switch above.
type grouping struct {
	groups []*group
	of     map[int32][]int
}

// nearest returns the group that shares most with a switch that leads up to some, -1 for none. What half
// of a group leads to is shared, and half of what the switch leads to must be.
func (k *grouping) nearest(up []int32) int {
	shared := map[int]int{}
	for _, v := range up {
		for _, i := range k.of[v] {
			if g := k.groups[i]; 2*g.above[v] >= len(g.low) {
				shared[i]++
			}
		}
	}
	best := -1
	for _, i := range slices.Sorted(maps.Keys(shared)) {
		if n := shared[i]; 2*n >= len(up) && (best < 0 || n > shared[best] || n == shared[best] && len(k.groups[i].low) > len(k.groups[best].low)) {
			best = i
		}
	}
	return best
}

// add puts a switch into a group, -1 for a new one.
func (k *grouping) add(i int, s int32, up []int32) {
	if i < 0 {
		i = len(k.groups)
		k.groups = append(k.groups, &group{above: map[int32]int{}})
	}
	g := k.groups[i]
	g.low = append(g.low, s)
	for _, v := range up {
		if g.above[v]++; g.above[v] == 1 {
			k.of[v] = append(k.of[v], i)
		}
	}
}

// placeAbove puts every switch above into the group with the most cables to it.
func (t *tree) placeAbove(x *tier) {
	best := map[int32]*group{}
	for _, g := range x.groups {
		for v, n := range g.above {
			if old := best[v]; old == nil || n > old.above[v] {
				best[v] = g
			}
		}
	}
	for _, v := range slices.Sorted(maps.Keys(best)) {
		best[v].high = append(best[v].high, v)
	}
}
