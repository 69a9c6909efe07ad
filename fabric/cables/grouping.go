package cables

import (
	"fmt"
	"maps"
	"slices"

	"weft/fabric"
)

// makeGroups finds the groups of a tier. A switch belongs to the group with which it shares the
// most switches above. The first pass counts the switches above any member, later passes those
// above most, so that a crossed cable joins no groups.
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

// merge joins two groups if the switches above half of one are mostly the switches above half of
// the other: parts of a group that has lost many cables.
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

// grouping is a set of groups, indexed by the switches above them.
type grouping struct {
	groups []*group
	of     map[int32][]int
}

// nearest returns the group that shares the most switches with up, or -1. Only switches above half
// of a group count, and they must be at least half of up.
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

// placeAbove puts every switch above into the group with the most cables to it, and into every
// other group that mostly leads to it: where cables are dealt out, two groups can share a switch.
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

// leastSharing is the fewest switches of a group for sharing a switch above with another group.
const leastSharing = 3

// totalUp returns the greatest number of cables up of at least a fifth of the switches of a tier.
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

// countUp counts the cables of a switch to its home level.
func (t *tree) countUp(s int32) (n int) {
	for _, v := range t.up(s) {
		n += t.count(s, v)
	}
	return n
}

// deal changes the expected cables of a group whose switches have a total of cables up that is no
// multiple of the switches above. Each switch then has one more cable to some of them, as found in
// the existing cables. It skips groups with an even division, and groups where a pair has more
// cables than that.
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
				Kind: Missing, Text: fmt.Sprintf("%d of %d cables up", t.countUp(s), total), weight: float64(total - sum), Lacking: total - sum,
				Ports: []fabric.PortName{t.g.SwitchPort(s, 0)},
			})
		}
	}
}
