package ftree

import (
	"context"
	"math"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

const (
	mostSweeps = 32 // over the links above their limits
	// thoroughSize is the most pairs of a LID and a switch of a small tree.
	thoroughSize = 1 << 18
	// Targets are looked at in rounds of at most mostAtOnce, and of one in targetsRound: paths
	// moved for one target are not seen by the others of its round.
	mostAtOnce   = 8
	targetsRound = 64
)

// rebalance moves paths off the most loaded links. A sweep looks at the links with more paths
// than a limit: half way down to the least that they could have. When sweeps gain less than
// a twentieth, sweeps over the most loaded links alone follow as long as they gain
// anything. In a small tree every sweep looks at all links of more than the mean load, and
// sweeps end when one gains less than a hundredth.
//
// The base LIDs are balanced by themselves, as with one LID a host; the paths to the other LIDs
// are then moved to the links that those leave.
func rebalance(ctx context.Context, in *route.Input, r *reachability, loads *linkLoads, cols columns, separate bool) error {
	b := newRebalancer(in, loads, cols, separate)
	targets := loads.targets()
	atOnce := max(1, min(len(targets)/targetsRound, mostAtOnce))
	b.limits.thorough = b.countLIDs(targets)*in.Graph.NumSwitches <= thoroughSize
	if separate || b.limits.thorough {
		atOnce = 1 // one LID after the other, since those of a node depend on each other
	}
	return b.run(ctx, r, targets, atOnce)
}

// rebalancer is the state of rebalance.
type rebalancer struct {
	*linkLoads
	limits   limits
	cols     columns // whose paths may move
	separate bool    // paths to the ports of a node do not share more switches than before
	workers  int
}

// limits says which links have too many paths.
type limits struct {
	of       []int64 // by link
	exceeded []bool  // by switch: a link of it had more before the sweep
	thorough bool    // the tree is small
}

func newRebalancer(in *route.Input, loads *linkLoads, cols columns, separate bool) *rebalancer {
	return &rebalancer{
		linkLoads: loads, cols: cols, separate: separate, workers: in.Workers,
		limits: limits{of: make([]int64, len(loads.load)), exceeded: make([]bool, in.Graph.NumSwitches)},
	}
}

// move is a change of the tables: a switch sends a LID over another link.
type move struct {
	s, link int32
	lid     fabric.LID
}

// changeSet holds changes that are not made yet.
type changeSet struct {
	delta []int64 // by link: change of its load
	links []int32 // those whose load changes
	moves []move
}

// add adds to the load of a link.
func (c *changeSet) add(link int32, paths int64) {
	if c.delta[link] == 0 {
		c.links = append(c.links, link)
	}
	c.delta[link] += paths
}

// countLIDs counts the LIDs of the hosts of some switches whose paths may move.
func (b *rebalancer) countLIDs(targets []int32) int {
	n := 0
	for _, s := range targets {
		for _, end := range b.t.g.HostsOf(s) {
			n += max(0, min(b.cols.end, b.ends.Count(end))-b.cols.first)
		}
	}
	return n
}

// run sweeps over the links above their limits, with some targets looked at in each round.
func (b *rebalancer) run(ctx context.Context, r *reachability, targets []int32, atOnce int) error {
	if err := b.measure(ctx, r, columns{0, b.cols.end}, b.workers); err != nil {
		return err
	}
	workers := b.newWorkers(r, atOnce)
	before, mean := b.highest()
	for n, share := 0, int64(2); n < mostSweeps && share <= 8; n++ {
		b.setLimits(before, mean, share)
		if err := b.sweep(ctx, workers, targets, before); err != nil {
			return err
		}
		after, meanAfter := b.highest()
		switch {
		case b.limits.thorough && 100*after > 99*before:
			return nil
		case after == before, !b.limits.thorough && share == 2 && 20*after > 19*before:
			share *= 4
		}
		before, mean = after, meanAfter
	}
	return nil
}

// setLimits sets the limit of every link: one share of the way from the highest load to the mean, but
// not below half of the way to the mean of the links out of a switch with hosts, or into it.
func (b *rebalancer) setLimits(highest, mean, share int64) {
	n := len(b.limits.exceeded)
	out, in, outs, ins := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	b.eachLink(func(s, _, p int32) {
		v := b.head[p]
		out[s] += b.load[p]
		outs[s]++
		in[v] += b.load[p]
		ins[v]++
	})
	hasHosts := func(s int32) bool { return len(b.t.g.HostsOf(s)) > 0 }
	clear(b.limits.exceeded)
	b.eachLink(func(s, _, p int32) {
		v, least := b.head[p], mean
		if hasHosts(s) {
			least = max(least, out[s]/outs[s])
		}
		if hasHosts(v) {
			least = max(least, in[v]/ins[v])
		}
		limit := max(highest-(highest-mean)/share, highest-(highest-least)/2)
		if b.limits.thorough {
			limit = mean
		}
		b.limits.of[p] = limit
		b.limits.exceeded[s] = b.limits.exceeded[s] || b.load[p] > limit
	})
}

// sweep moves paths off the links above their limits, and leaves no link with more than most.
// The targets of one round are far from each other in their order, so they share few links.
func (b *rebalancer) sweep(ctx context.Context, workers []*loadWorker, targets []int32, most int64) error {
	rounds := (len(targets) + len(workers) - 1) / len(workers)
	for round := range rounds {
		err := par.For(ctx, b.workers, len(workers), func(_, i int) error {
			if at := i*rounds + round; at < len(targets) {
				b.relieveTarget(workers[i], targets[at], most)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, w := range workers {
			b.apply(&w.pending, most)
		}
	}
	return nil
}

// relieveTarget moves paths to the LIDs of a target that use a link above its limit.
func (b *rebalancer) relieveTarget(w *loadWorker, target int32, most int64) {
	w.listLIDs(target, b.cols)
	if !b.markHigh(w) {
		return
	}
	hops := w.towards(target)
	for _, at := range w.lids {
		if at.high {
			b.relieve(w, hops, at)
			if b.separate {
				b.apply(&w.pending, most)
			}
		}
	}
}

// markHigh marks the LIDs of a worker that use a link above its limit, and reports whether there
// are any.
func (b *rebalancer) markHigh(w *loadWorker) bool {
	left := len(w.lids)
	for s, exceeded := range b.limits.exceeded {
		if !exceeded {
			continue
		}
		first := b.t.firstLink(int32(s))
		for i := range w.lids {
			at := &w.lids[i]
			number := b.sends[at.lid][s]
			if at.high || number == noNumber {
				continue
			}
			if p := first + int32(number); b.load[p] > b.limits.of[p] {
				at.high = true
				left--
			}
		}
		if left == 0 {
			break
		}
	}
	return left < len(w.lids)
}

// apply makes pending changes, unless with those of other workers they are too much for a link.
func (b *rebalancer) apply(c *changeSet, most int64) {
	fits := true
	for _, p := range c.links {
		fits = fits && (c.delta[p] <= 0 || b.load[p]+c.delta[p] <= most)
	}
	for _, p := range c.links {
		if fits {
			b.load[p] += c.delta[p]
		}
		c.delta[p] = 0
	}
	if fits {
		for _, m := range c.moves {
			b.set(m)
		}
	}
	c.links, c.moves = c.links[:0], c.moves[:0]
}

// relieve moves what switches send to a LID to other links, the farthest switch first, where the most
// loaded link of the new path will have less than that of the old one has. It looks only at
// paths with a link above its limit.
func (b *rebalancer) relieve(w *loadWorker, hops *nextHops, at hostLID) {
	if !b.followLoads(w, hops, at.lid) {
		return
	}
	p, sib := &w.paths, &w.siblings
	clear(p.flow)
	clear(sib.firstBehind)
	known := !b.separate
	for k := len(hops.order) - 1; k >= 0; k-- {
		s := hops.order[k]
		if p.flow[s] += int64(len(b.t.g.HostsOf(s))); p.flow[s] == 0 {
			continue
		}
		if w.above[s] {
			if best := b.betterLink(w, hops, k); best >= 0 {
				if !known {
					w.readSiblings(at)
					known = true
				}
				if w.staysSeparate(s, best) {
					w.moveFlow(s, best, at.lid)
				}
			}
		}
		v := p.next[s]
		p.flow[v] += p.flow[s]
		sib.nextBehind[s], sib.firstBehind[v] = sib.firstBehind[v], s+1
	}
}

// followLoads reads the path to a LID from every switch and the load of its most loaded link. It
// reports whether any link is above its limit.
func (b *rebalancer) followLoads(w *loadWorker, hops *nextHops, lid fabric.LID) bool {
	sends, link, next, cost, above := w.sends[lid], w.paths.link, w.paths.next, w.paths.cost, w.above
	cost[hops.target], above[hops.target] = 0, false
	some := false
	for _, s := range hops.order {
		p := w.t.firstLink(s) + int32(sends[s])
		v, n := w.head[p], w.loadOf(p)
		link[s], next[s], cost[s], above[s] = p, v, max(n, cost[v]), above[v] || n > b.limits.of[p]
		some = some || above[s]
	}
	return some
}

// betterLink finds the link by which the most loaded link of the path from hops.order[k] will have
// less than that of the old path has; -1 if there is none.
func (b *rebalancer) betterLink(w *loadWorker, hops *nextHops, k int) int32 {
	if b.limits.thorough {
		return b.lowestDetour(w, hops, k)
	}
	best := w.lowestPath(hops, k)
	if best < 0 {
		return -1
	}
	if old, detour := w.highestLoads(hops.order[k], best); detour >= old {
		return -1
	}
	return best
}

// lowestPath finds the link by which the most loaded link of the whole path from hops.order[k] has
// least, of equal ones the least loaded itself; -1 if all links have too much.
func (w *loadWorker) lowestPath(hops *nextHops, k int) int32 {
	s, p := hops.order[k], &w.paths
	flow, old, taken := p.flow[s], p.cost[s], p.link[s]
	best, least, leastOwn := int32(-1), int64(math.MaxInt64), int64(0)
	for _, i := range hops.fromPlace(k) {
		beyond := p.cost[w.t.neighbour[i]] + flow
		if beyond > least {
			continue
		}
		for link := w.t.linkStart[i]; link < w.t.linkStart[i+1]; link++ {
			own := w.loadOf(link) + flow
			if own >= old || link == taken {
				continue
			}
			if m := max(own, beyond); m < least || m == least && own < leastOwn {
				best, least, leastOwn = link, m, own
			}
		}
	}
	return best
}

// lowestDetour finds the link by which the path from hops.order[k] has least on its most loaded
// link, up to where it meets the old one; -1 if none has less than that, or the old link is within
// its limit.
func (b *rebalancer) lowestDetour(w *loadWorker, hops *nextHops, k int) int32 {
	s, p := hops.order[k], &w.paths
	best, least := int32(-1), int64(0)
	for _, i := range hops.fromPlace(k) {
		for link := w.t.linkStart[i]; link < w.t.linkStart[i+1]; link++ {
			own := w.loadOf(link) + p.flow[s]
			if own >= p.cost[s] || link == p.link[s] || best >= 0 && own >= least {
				continue
			}
			old, detour := w.highestLoads(s, link)
			if old > b.limits.of[p.link[s]] && detour < old && (best < 0 || detour < least) {
				best, least = link, detour
			}
		}
	}
	return best
}

// loadOf returns the load of a link with the pending changes.
func (w *loadWorker) loadOf(link int32) int64 { return w.load[link] + w.pending.delta[link] }

// highestLoads returns the load of the most loaded link of the path from a switch, and of the path by
// another link with its paths on it, up to where the two meet.
func (w *loadWorker) highestLoads(s, link int32) (old, detour int64) {
	p := &w.paths
	old, detour = w.loadOf(p.link[s]), w.loadOf(link)+p.flow[s]
	for a, b := p.next[s], w.head[link]; a != b; a, b = p.next[a], p.next[b] {
		old, detour = max(old, w.loadOf(p.link[a])), max(detour, w.loadOf(p.link[b])+p.flow[s])
	}
	return old, detour
}

// moveFlow sends what comes through a switch over another link.
func (w *loadWorker) moveFlow(s, link int32, lid fabric.LID) {
	p, flow := &w.paths, w.paths.flow[s]
	w.pending.add(p.link[s], -flow)
	w.pending.add(link, flow)
	for a, b := p.next[s], w.head[link]; a != b; a, b = p.next[a], p.next[b] {
		w.pending.add(p.link[a], -flow)
		w.pending.add(p.link[b], flow)
	}
	p.link[s], p.next[s] = link, w.head[link]
	w.pending.moves = append(w.pending.moves, move{s, link, lid})
}
