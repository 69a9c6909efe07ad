package ftree

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/lanes/victims"
)

// fewestVictims chooses the table of lanes that leaves hot-spots the fewest victims (package
// victims). It counts them for several tables: for groups of leaves from each level down
// (balancedLanes, of our own), and by algorithm 1 of paper II. So there are never more than with
// lanes=vftree.
//
// In a tree of two levels a leaf has a lane to each other leaf. A hot-spot fills that lane on the
// links of the leaf's hosts. So each leaf needs equally many targets on all lanes. In trees of more
// levels the leaves of a pod share links further up. If they took different lanes to the hot-spot,
// it would fill all lanes of such a link, and then all lanes of their hosts. So two pods have one
// lane for all packets between them, unless there are too few pods.
func (y *laneLayout) fewestVictims(ctx context.Context, in *route.Input, t *tree, plan *route.Plan, c *slClasses, lanes int32) (leafLanes, error) {
	paths := victims.NewPaths(t.G, plan)
	count := func(table leafLanes) (int64, error) {
		if err := y.fill(ctx, in, plan, c, table, uint8(lanes)); err != nil {
			return 0, err
		}
		return paths.Count(ctx, in.Workers, y.lanes)
	}
	leaves := int32(len(t.Leaves))
	one, err := count(newLeafLanes(leaves))
	if err != nil {
		return nil, err
	}
	best := printedLanes(leaves, lanes)
	printed, err := count(best)
	if err != nil {
		return nil, err
	}
	least := printed
	bound := paths.Least(y.lanes)
	for levels := groupsOfLeaves(t); len(levels) > 0 && least-bound > bound/50; levels = levels[1:] {
		b := balancedLanes(t, levels, lanes)
		n, err := b.refine(count, paths.Effort())
		if err != nil {
			return nil, err
		}
		if n < least {
			best, least = b.table, n
		}
	}
	y.counted = fmt.Sprintf("a hot-spot holds up %.1f %% of the flows to other hosts; with lanes=%s %.1f %%, on one lane %.1f %%; the least that %d lanes could leave: %.1f %%",
		paths.Percent(least), vftree, paths.Percent(printed), paths.Percent(one), y.lanes, paths.Percent(bound))
	return best, nil
}

// groupsOfLeaves returns, for each level from the top down, the groups of leaves that stay
// connected without the switches of that level and above: by leaf the number of its group. The last
// groups are the leaves themselves. Levels that divide nothing are left out.
func groupsOfLeaves(t *tree) (levels [][]int32) {
	count := 1
	for below := t.Top; below > 0; below-- {
		of, n := t.partsBelow(below)
		if n > count && n < len(t.Leaves) {
			levels, count = append(levels, of), n
		}
	}
	return append(levels, fabric.Numbers(len(t.Leaves)))
}

// partsBelow returns the number of the connected part below a level that each leaf is in.
func (t *tree) partsBelow(level int32) (of []int32, parts int) {
	part := slices.Repeat([]int32{-1}, t.G.NumSwitches)
	for _, leaf := range t.Leaves {
		if part[leaf] < 0 {
			part[leaf] = int32(parts)
			for stack := []int32{leaf}; len(stack) > 0; {
				s := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				for _, v := range t.NeighboursOf(s) {
					if t.Level[v] < level && part[v] < 0 {
						part[v], stack = int32(parts), append(stack, v)
					}
				}
			}
			parts++
		}
		of = append(of, part[leaf])
	}
	return of, parts
}

// balancer spreads the targets of each leaf evenly over the lanes.
type balancer struct {
	lanes int
	hosts []int64   // by leaf
	on    [][]int64 // by leaf and lane: the targets of each of its hosts
	pairs []pairOfGroups
	table leafLanes
}

// balancedLanes gives every two groups of leaves a lane, at the highest level that divides them,
// and changes it while this evens out the targets of their leaves.
func balancedLanes(t *tree, levels [][]int32, lanes int32) *balancer {
	b := &balancer{lanes: int(lanes), pairs: pairsOfGroups(levels), table: newLeafLanes(int32(len(t.Leaves)))}
	for _, leaf := range t.Leaves {
		b.hosts, b.on = append(b.hosts, int64(t.G.HostCount(leaf))), append(b.on, make([]int64, lanes))
	}
	for i := range b.pairs {
		p := &b.pairs[i]
		b.put(p, p.first(lanes))
	}
	const most = 16 // rounds; a few are usual
	for range most {
		changed := false
		for i := range b.pairs {
			changed = b.improve(&b.pairs[i]) || changed
		}
		if !changed {
			break
		}
	}
	return b
}

// unmixed returns the number of victims if a hot-spot fills only one lane of each host's link, the
// lane of the host's packets for the hot-spot. Links between switches can only add victims: there
// packets of several hosts for the hot-spot may fill several lanes.
func (b *balancer) unmixed() (victims int64) {
	for leaf, on := range b.on {
		for _, targets := range on {
			victims += b.hosts[leaf] * targets * (targets - 1)
		}
	}
	return victims
}

// mostWork bounds the work of refine, in the units of victims.Paths.Effort: about a second.
const mostWork = 1 << 22

// refine counts the victims. If links further on add some, as on degraded trees, it changes the
// lane of one pair of groups after the other where that leaves fewer.
func (b *balancer) refine(count func(leafLanes) (int64, error), effort int) (int64, error) {
	least, err := count(b.table)
	tries := mostWork / effort
	for changed := true; changed && err == nil && least > b.unmixed(); {
		changed = false
		for i := range b.pairs {
			for lane := range b.lanes {
				p := &b.pairs[i]
				was := p.lane
				if lane == was {
					continue
				}
				if tries--; tries < 0 {
					return least, nil
				}
				b.move(p, lane)
				n, err := count(b.table)
				if err != nil {
					return 0, err
				}
				if n < least {
					least, changed = n, true
				} else {
					b.move(p, was)
				}
			}
		}
	}
	return least, err
}

// pairOfGroups are two groups of leaves that a level divides, or a leaf twice.
type pairOfGroups struct {
	a, b   []int32
	number int // the sum of the numbers of a and b in their group of the level above
	prime  int // the least one that is not less than the number of groups there
	lane   int
}

// pairsOfGroups lists all pairs of groups, beginning with the highest level.
func pairsOfGroups(levels [][]int32) (pairs []pairOfGroups) {
	above := make([]int32, len(levels[0])) // by leaf its group at the level above
	for v, of := range levels {
		inside := map[int32][][]int32{} // by group above
		place := map[int32]int{}
		for leaf, group := range of {
			in := above[leaf]
			at, ok := place[group]
			if !ok {
				at = len(inside[in])
				place[group], inside[in] = at, append(inside[in], nil)
			}
			inside[in][at] = append(inside[in][at], int32(leaf))
		}
		for in := range int32(len(inside)) {
			groups := inside[in]
			prime := leastPrime(len(groups))
			for i := range groups {
				for j := range i {
					pairs = append(pairs, pairOfGroups{a: groups[i], b: groups[j], number: i + j, prime: prime})
				}
				if v == len(levels)-1 {
					pairs = append(pairs, pairOfGroups{a: groups[i], b: groups[i], number: 2 * i, prime: prime})
				}
			}
		}
		above = of
	}
	return pairs
}

// first returns the lane to begin with: by the inverse of the pair's number modulo a prime. Each
// group then has equally many others on each lane, and two groups have few of the same lanes. So a
// hot-spot of one group does not hold up all packets to another.
func (p *pairOfGroups) first(lanes int32) int {
	inverse := 1
	for range p.prime - 2 { // Fermat: the power of prime-2
		inverse = inverse * p.number % p.prime
	}
	return inverse * int(lanes) / p.prime
}

// leastPrime returns the least prime from n on.
func leastPrime(n int) int {
	n = max(2, n)
	for !big.NewInt(int64(n)).ProbablyPrime(0) {
		n++
	}
	return n
}

// both calls f for each leaf of a pair with the number of a host's targets in the other group.
func (b *balancer) both(p *pairOfGroups, f func(leaf int32, targets int64)) {
	if len(p.a) == 1 && len(p.b) == 1 && p.a[0] == p.b[0] {
		f(p.a[0], b.hosts[p.a[0]]-1)
		return
	}
	for _, side := range [][2][]int32{{p.a, p.b}, {p.b, p.a}} {
		targets := int64(0)
		for _, leaf := range side[1] {
			targets += b.hosts[leaf]
		}
		for _, leaf := range side[0] {
			f(leaf, targets)
		}
	}
}

// put gives a pair a lane.
func (b *balancer) put(p *pairOfGroups, lane int) {
	p.lane = lane
	b.both(p, func(leaf int32, targets int64) { b.on[leaf][lane] += targets })
	for _, x := range p.a {
		for _, y := range p.b {
			b.table.set(x, y, uint8(lane))
		}
	}
}

// move gives a pair another lane.
func (b *balancer) move(p *pairOfGroups, lane int) {
	b.both(p, func(leaf int32, targets int64) { b.on[leaf][p.lane] -= targets })
	b.put(p, lane)
}

// improve gives a pair the lane with the fewest packets that share lanes, and reports whether that
// is another one.
func (b *balancer) improve(p *pairOfGroups) bool {
	was := p.lane
	b.both(p, func(leaf int32, targets int64) { b.on[leaf][was] -= targets })
	best, least := was, int64(math.MaxInt64)
	for i := range b.lanes {
		lane := (was + i) % b.lanes // the old one first: another must be better
		cost := int64(0)
		b.both(p, func(leaf int32, targets int64) { cost += b.hosts[leaf] * targets * b.on[leaf][lane] })
		if cost < least {
			best, least = lane, cost
		}
	}
	b.put(p, best)
	return best != was
}
