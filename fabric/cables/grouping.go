package cables

import (
	"fmt"
	"maps"
	"slices"

	"weft/fabric"
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

// placeAbove puts every switch above into the group with the most cables to it, and into all others of which most lead to
// it: where cables are dealt out, two groups can share a switch.
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
		for _, g := range x.groups {
			n := g.above[v]
			if g == best[v] || n >= leastSharing && 2*n > len(g.low) {
				g.high = append(g.high, v)
			}
		}
	}
}

// leastSharing is the number of switches of a group from which on they share one above with another group.
const leastSharing = 3

// totalUp returns the greatest number of cables up that a fifth of the switches of a tier have.
func (t *tree) totalUp(x *tier) (most int) {
	times := map[int]int{}
	for _, s := range x.low {
		times[t.countUp(s)]++
	}
	for n, k := range times {
		if 5*k >= len(x.low) {
			most = max(most, n)
		}
	}
	return most
}

// countUp counts the cables of a switch to the level to which most of them lead.
func (t *tree) countUp(s int32) (n int) {
	for _, v := range t.up(s) {
		n += t.count(s, v)
	}
	return n
}

// deal replaces what is wanted of a group whose switches have so many cables up in all that they cannot have the same number
// to each switch above: each has one more to some, and which these are follows from the cables there alone. It
// leaves groups alone that can have the same number, or of which some pair has more.
func (t *tree) deal(g *group, total int, want map[pair]int) {
	if len(g.high) == 0 || total%len(g.high) == 0 || total < len(g.high) {
		return
	}
	least, regular := total/len(g.high), 0
	for _, s := range g.low {
		sum, inside := 0, 0
		for _, v := range g.high {
			sum += want[pairOf(s, v)]
			inside += t.count(s, v)
			if t.count(s, v) > least+1 {
				return
			}
		}
		if sum == total || inside < t.countUp(s) {
			regular++
		}
	}
	if 2*regular > len(g.low) {
		return
	}
	for _, s := range g.low {
		sum := 0
		for _, v := range g.high {
			p := pairOf(s, v)
			want[p] = max(least, min(least+1, t.count(s, v)+len(t.down[p])))
			sum += want[p]
		}
		if sum < total && t.countUp(s) < total {
			t.odds = append(t.odds, Odd{
				Kind: Missing, Text: fmt.Sprintf("%d of %d cables up", t.countUp(s), total), weight: float64(total - sum),
				Ports: []fabric.PortName{t.g.SwitchPort(s, 0)},
			})
		}
	}
}
