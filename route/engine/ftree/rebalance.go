package ftree

import (
	"context"
	"math"

	"weft/fabric"
	"weft/route"
)

const (
	mostSweeps = 4 // of rebalance over all LIDs
	// A sweep with few changes is the last one: 1/lastSweep of the largest number of changes of a
	// sweep, or 1/lastLarge in networks of more than largeTree pairs of a LID and a switch.
	lastSweep, lastLarge = 16, 3
	largeTree            = 1 << 22
	fewChanges           = 1000 // a sweep that changes at most 1/fewChanges of all entries is the last one
	perPath              = 4    // price of a path on one of the fastest links; a path to a nearby LID costs 1 more
	// A path moves only if that saves 1/leastGain of its price: the closed form has virtues that
	// prices do not show, above all in all-to-all by shifts.
	leastGain = 32
)

// rebalance chooses new paths to a range of LIDs, one LID after another. It takes the LID's paths
// off the loads, and gives every switch the shortest legal path with the least total load from all
// other LIDs. Paths to the LID itself are no load: a host receives at its own rate by any way. So
// most switches prefer one way down to a LID, the one with the fewest others, whoever sends. A link
// down then carries few LIDs, as with the main path of the classic order, and few packets of
// different LIDs meet. Several sweeps let the first LIDs react to the last ones. Small gains change
// nothing; switches without a path to the LID get one.
//
// A link up from a switch with hosts costs more if the switch also uses it for LIDs nearby in the
// order: all-to-all in rounds sends to neighbours in that order at once.
//
// With separate, the first criterion is that the paths to the ports of one node share few switches.
func rebalance(ctx context.Context, in *route.Input, r *reachability, loads *linkLoads, numbers lidNumbers, separate bool) error {
	if err := loads.measure(ctx, r, lidNumbers{0, numbers.end}, in.Workers); err != nil {
		return err
	}
	b := newRebalancer(r, loads, numbers, in.Workers)
	if separate {
		b.siblings = newSiblingPaths(in.Graph)
	}
	first, last, entries := 0, lastSweep, len(b.lids)*in.Graph.NumSwitches
	if entries > largeTree {
		last = lastLarge
	}
	for n := range mostSweeps {
		changed, err := b.sweep(ctx, b.relieve)
		if err != nil {
			return err
		}
		if first = max(first, changed); n > 0 && last*changed <= first || fewChanges*changed <= entries {
			break
		}
	}
	if numbers == baseLIDs && !separate {
		return b.evenShifts(ctx)
	}
	return nil
}

// rebalancer is the state of rebalance.
type rebalancer struct {
	*lidPaths
	workers int
	lids    []hostLID // in their order
	leaves  []int32   // the switches with hosts
	reach   int       // LIDs at most so many places apart in the order are nearby
	// By link: the weights of its paths, and 1 for each path to a nearby LID. A slower link delays
	// even a path alone on it. Its extra weight then counts fully, while any other path meets a
	// given host's path only once in the number of hosts.
	price    []int64
	cost     []int64       // by switch: the total price of its path
	siblings *siblingPaths // nil unless the ports of one node are kept apart
}

func newRebalancer(r *reachability, loads *linkLoads, numbers lidNumbers, workers int) *rebalancer {
	g := r.t.G
	b := &rebalancer{
		lidPaths: loads.newPaths(r), workers: workers, lids: loads.lidsOf(loads.order.switches, numbers),
		cost: make([]int64, g.NumSwitches), price: make([]int64, len(loads.load)),
	}
	for s := range int32(g.NumSwitches) {
		if len(g.HostsOf(s)) > 0 {
			b.leaves = append(b.leaves, s)
			b.reach = max(b.reach, r.t.LinksUp(s)/2)
		}
	}
	b.near = 1
	for p, load := range loads.load {
		b.price[p] = load + int64(g.NumHosts)*(loads.weight[p]-perPath)
	}
	return b
}

// sweep chooses the paths to one LID after another, and returns the number of changed entries. A
// LID is nearby to itself, so its own paths count as such.
func (b *rebalancer) sweep(ctx context.Context, choose func(at hostLID)) (changed int, err error) {
	for i := range b.reach {
		b.countNear(i, 1)
	}
	for i, at := range b.lids {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		b.countNear(i+b.reach, 1)
		b.follow(at)
		b.count(b.price, -1)
		choose(at)
		b.count(b.price, 1)
		changed += b.write(at.lid)
		b.countNear(i-b.reach, -1)
	}
	for i := range b.reach {
		b.countNear(len(b.lids)-1-i, -1)
	}
	return changed, nil
}

// countNear adds hosts' paths to the i-th LID to the prices of their first links, as paths to a
// nearby LID, or removes them with sign -1.
func (b *rebalancer) countNear(i int, sign int64) {
	if i < 0 || i >= len(b.lids) {
		return
	}
	sends := b.sends[b.lids[i].lid]
	for _, s := range b.leaves {
		if number := sends[s]; number != noNumber {
			b.price[b.first[s]+int32(number)] += sign * b.hosts[s]
		}
	}
}

// relieve chooses the cheapest paths to a LID. If ports of one node keep apart, it chooses among
// the paths that share the fewest switches with the same switch's paths to the other ports.
func (b *rebalancer) relieve(at hostLID) {
	if b.siblings != nil && b.siblings.read(b.lidPaths, at) {
		b.chooseApart()
	} else {
		b.choose()
	}
}

// choose chooses the cheapest path of every switch, the nearest switches first.
func (b *rebalancer) choose() {
	price, cost, head := b.price, b.cost, b.head
	cost[b.to.target] = 0
	for k, s := range b.to.order {
		old := b.link[s]
		best, least, here := old, int64(math.MaxInt64), int64(0)
		if old >= 0 {
			here = price[old] + cost[b.next[s]]
			least = here - here/leastGain
		}
		for _, r := range b.to.from(k) {
			price, head := price[r.from:r.to], head[r.from:r.to]
			for j, c := range price {
				if c += cost[head[j]]; c < least {
					best, least = r.from+int32(j), c
				}
			}
		}
		if best == old {
			cost[s] = here
			continue
		}
		cost[s], b.link[s], b.next[s] = least, best, head[best]
	}
}

// write writes the chosen paths to a LID into the tables where packets of hosts take them, and
// returns the number of changed entries.
func (b *rebalancer) write(lid fabric.LID) (changed int) {
	sends := b.sends[lid]
	for _, s := range b.to.order {
		if link := b.link[s]; link != b.first[s]+int32(sends[s]) && (b.flow[s] > 0 || sends[s] == noNumber) {
			b.set(s, lid, link)
			changed++
		}
	}
	return changed
}
