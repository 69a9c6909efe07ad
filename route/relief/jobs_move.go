package relief

import (
	"math"
	"slices"

	"weft/fabric"
)

// routing is the scratch of findPrices.
type routing struct {
	price    []int64 // by switch: least price of a path to the destination
	wanted   []int32 // by switch: the next channel of that path
	near     []bool  // by switch: a packet of the jobs could pass it
	less     []int64 // by channel: discounts of the groups on its own switch
	passable []passable
	ways     []int32 // channels towards the destination, by passable
}

// passable is a switch that a packet of the jobs could pass.
type passable struct{ x, ways int32 }

func newRouting(g *fabric.Graph) routing {
	n := g.NumSwitches
	return routing{price: make([]int64, n), wanted: make([]int32, n), near: make([]bool, n), less: make([]int64, g.NumChannels)}
}

// reroute gives a destination the paths with the least price, and reports whether any moved.
func (r *byJob) reroute(t *target) bool {
	r.open(t)
	before, unused := r.priceOf(t), r.unusedBy()
	r.findPrices(t)
	for _, x := range r.Order {
		if old := r.Next[x]; r.inJobs[x] > 0 && r.wanted[x] != old && r.admits(t, x, r.wanted[x]) {
			r.change(t, x, r.wanted[x])
			r.shift(x, old)
		}
	}
	return r.close(t, len(r.changed) > 0 && r.priceOf(t) < before && r.unusedBy() >= unused)
}

// light moves the packets to a destination through one switch so that an unused channel is used,
// and reports whether it did.
func (r *byJob) light(t *target) bool {
	if r.unused == 0 {
		return false
	}
	r.open(t)
	for _, x := range r.Order {
		if r.inJobs[x] == 0 {
			continue
		}
		best, cost := fabric.Nothing, int64(0)
		for _, c := range r.g.OutOf(x) {
			if c != r.Next[x] && r.LeadsNearer(x, c) && r.newlyUsed(x, c) > 0 {
				if n := r.priceOver(t, x, c); best < 0 || n < cost {
					best, cost = c, n
				}
			}
		}
		if best >= 0 && r.admits(t, x, best) {
			r.change(t, x, best)
			return r.close(t, true)
		}
	}
	return r.close(t, false)
}

// newlyUsed counts how many more channels are used if the jobs' packets through a switch leave it
// by channel c.
func (r *byJob) newlyUsed(x, c int32) (n int) {
	for ; ; c = r.Next[r.g.To[c]] {
		n += r.free(c)
		if r.inJobs[r.g.To[c]] > 0 {
			break // the rest of the path is used already
		}
	}
	end := r.g.To[c]
	for c := r.Next[x]; ; c = r.Next[r.g.To[c]] {
		n -= r.free(c)
		if y := r.g.To[c]; y == end || r.inJobs[y] > r.inJobs[x] {
			return n
		}
	}
}

// free is 1 for a channel that only packets to the current destination may use, else 0.
func (r *byJob) free(c int32) int {
	if r.users[c] == 0 {
		return 1
	}
	return 0
}

// priceOver returns the price of the jobs' packets through a switch if they leave it by channel c.
func (r *byJob) priceOver(t *target, x, c int32) (sum int64) {
	r.eachGroup(t, func(m *members, p *group, rank int32) {
		if p.x == x {
			sum -= r.discount(m, p, rank, c)
		}
	})
	for ; c >= 0; c = r.Next[r.g.To[c]] {
		sum += r.inJobs[x] * r.load[c]
	}
	return sum
}

// priceOf is cost for the paths of the current destination.
func (r *byJob) priceOf(t *target) (sum int64) {
	for _, x := range r.Order {
		if n := r.inJobs[x]; n > 0 {
			sum += n * r.load[r.Next[x]]
		}
	}
	r.eachGroup(t, func(m *members, p *group, rank int32) {
		if c := r.Next[p.x]; c >= 0 {
			sum -= r.discount(m, p, rank, c)
		}
	})
	return sum
}

// unusedBy counts the channels that only the packets of jobs to the current destination use.
func (r *byJob) unusedBy() (n int) {
	for _, x := range r.Order {
		if r.inJobs[x] > 0 {
			n += r.free(r.Next[x])
		}
	}
	return n
}

// open reads the paths to a destination, and removes its packets from the counts.
func (r *byJob) open(t *target) {
	r.ReadPorts(t.ports, t.home, r.hosts)
	r.putOthers(-1)
	r.put(t, -1)
	r.changed = r.changed[:0]
	clear(r.inJobs)
	r.eachGroup(t, func(m *members, p *group, _ int32) {
		if r.Depth[p.x] >= 0 {
			r.inJobs[p.x] += int64(len(p.ranks)) * m.weight
		}
	})
	for _, x := range r.Order {
		r.inJobs[r.g.To[r.Next[x]]] += r.inJobs[x]
	}
}

// shift moves a job's packets through a switch from the path over its old next channel to that over
// the present one.
func (r *byJob) shift(x, old int32) {
	n := r.inJobs[x]
	for c := old; c >= 0; c = r.Next[r.g.To[c]] {
		r.inJobs[r.g.To[c]] -= n
	}
	for c := r.Next[x]; c >= 0; c = r.Next[r.g.To[c]] {
		r.inJobs[r.g.To[c]] += n
	}
}

// change gives a switch another next channel.
func (r *byJob) change(t *target, x, c int32) {
	r.changed = append(r.changed, change{x, r.Next[x]})
	r.Move(x, c)
	t.ports[x] = r.g.FromPort[c]
}

// close adds the packets to a destination to the counts. It takes the changes back if they are not
// to be kept, cost too many moves, or load a job's channel with too many pairs.
func (r *byJob) close(t *target, keep bool) bool {
	if keep && r.spend(len(r.changed)) {
		if r.put(t, 1); r.fits(t) {
			r.setFlow()
			r.putOthers(1)
			return true
		}
		r.put(t, -1)
		r.refund(len(r.changed))
	}
	for _, c := range slices.Backward(r.changed) {
		r.Move(c.x, c.old)
		t.ports[c.x] = r.g.FromPort[c.old]
	}
	r.put(t, 1)
	r.putOthers(1)
	return false
}

// setFlow counts hosts by switch after moves.
func (r *byJob) setFlow() {
	for x, n := range r.hosts {
		r.Flow[x] = int64(n)
	}
	for _, x := range r.Order {
		r.Flow[r.g.To[r.Next[x]]] += r.Flow[x]
	}
}

// admits reports whether the dependencies of the packets through a switch with another next channel
// can be added.
func (r *byJob) admits(t *target, x, c int32) bool {
	r.setSent(t.end, t.lid)
	r.Gather(x, r.hosts)
	return r.lanes.admit(r.Tree, x, c)
}

// findPrices finds the next channel of each passable switch with the least price.
func (r *byJob) findPrices(t *target) {
	r.listWays()
	r.eachGroup(t, func(m *members, p *group, rank int32) {
		for _, c := range r.g.OutOf(p.x) {
			r.less[c] += r.discount(m, p, rank, c)
		}
	})
	r.price[r.Home] = 0
	for _, p := range slices.Backward(r.passable) {
		best := int64(math.MaxInt64)
		for _, c := range r.ways[p.ways:] {
			price := r.price[r.g.To[c]] + r.load[c]
			if less := r.less[c]; less != 0 {
				price -= less / max(1, r.inJobs[p.x])
			}
			if price < best || price == best && c == r.Next[p.x] {
				best, r.wanted[p.x] = price, c
			}
		}
		r.price[p.x], r.ways = best, r.ways[:p.ways]
	}
	r.eachGroup(t, func(_ *members, p *group, _ int32) {
		for _, c := range r.g.OutOf(p.x) {
			r.less[c] = 0
		}
	})
}

// listWays lists the passable switches, the farthest first, and the channels from them towards the
// current destination.
func (r *byJob) listWays() {
	r.passable = r.passable[:0]
	for _, x := range r.Order {
		if r.inJobs[x] == 0 && !r.near[x] {
			continue
		}
		r.near[x] = false
		r.passable = append(r.passable, passable{x, int32(len(r.ways))})
		for _, c := range r.g.OutOf(x) {
			if c == r.Next[x] || r.LeadsNearer(x, c) {
				r.ways = append(r.ways, c)
				r.near[r.g.To[c]] = true
			}
		}
	}
	r.near[r.Home] = false
}
