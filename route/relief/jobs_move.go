package relief

import (
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route/internal/cdg"
	"weft/route/internal/intree"
)

// swapWithOthers exchanges the paths to a destination with those to others at the same switch where
// that lowers the price. It reports whether it did.
func (r *byJob) swapWithOthers(t *target) (gained bool) {
	i, _ := slices.BinarySearchFunc(r.targets, t.home, func(t target, home int32) int { return int(t.home - home) })
	for ; &r.targets[i] != t; i++ {
		if other := &r.targets[i]; !other.fixed && r.swap(t, other) {
			gained = true
		}
	}
	return gained
}

// swap exchanges the paths to two destinations at the same switch if that lowers the price.
func (r *byJob) swap(a, b *target) bool {
	unused := r.unused
	r.put(a, -1)
	r.put(b, -1)
	gains := r.cost(a, b.lid)+r.cost(b, a.lid) < r.cost(a, a.lid)+r.cost(b, b.lid)
	moved := gains && r.admitsSwap(a, b) && r.spend(r.exchange(a, b, false))
	if moved {
		r.exchange(a, b, true)
	}
	r.put(a, 1)
	r.put(b, 1)
	if !moved || r.unused <= unused && r.fits(a) && r.fits(b) {
		return moved
	}
	r.put(a, -1)
	r.put(b, -1)
	n := r.exchange(a, b, true)
	if r.most >= 0 {
		r.most += n
	}
	r.put(a, 1)
	r.put(b, 1)
	return false
}

// exchange counts the entries that differ for two destinations, and with do exchanges them.
func (r *byJob) exchange(a, b *target, do bool) (n int) {
	for x := range int32(r.g.NumSwitches) {
		p, q := r.plan.Tables.Port(x, a.lid), r.plan.Tables.Port(x, b.lid)
		if x == a.home || p == q {
			continue
		}
		n += 2
		if do {
			r.plan.Tables.Set(x, a.lid, q)
			r.plan.Tables.Set(x, b.lid, p)
		}
	}
	return n
}

// admitsSwap reports whether the dependencies of exchanged paths can be added. On one lane they are
// all there.
func (r *byJob) admitsSwap(a, b *target) bool {
	if !r.several {
		return true
	}
	admits := func(t *target, lid fabric.LID) bool {
		r.Tree.Read(r.plan.Tables, t.home, lid, r.hosts)
		r.setSent(t.end, t.lid)
		return r.admitTree(r.Tree)
	}
	return admits(a, b.lid) && admits(b, a.lid)
}

// admitTree adds the dependencies of all paths to the LID of setSent. If those of a VL would close
// a cycle, it returns false.
func (l *lanes) admitTree(paths *intree.Tree) bool {
	copy(l.passed, l.sent)
	var edges [16][]cdg.Edge
	for _, x := range paths.Order {
		c := paths.Next[x]
		y := l.g.To[c]
		l.passed[y] |= l.passed[x]
		d := paths.Next[y]
		if d < 0 {
			continue
		}
		for vls := l.passed[x]; vls != 0; vls &= vls - 1 {
			if vl := bits.TrailingZeros16(vls); !l.orders[vl].Has(c, l.index.Rank[d]) {
				edges[vl] = append(edges[vl], cdg.Edge{C: c, D: d})
			}
		}
	}
	for vl, list := range edges {
		if len(list) > 0 && !l.orders[vl].Add(list) {
			return false
		}
	}
	return true
}

// reroute gives a destination the paths with the least price, and reports whether any moved.
func (r *byJob) reroute(t *target) bool {
	r.open(t)
	before, unused := r.cost(t, t.lid), r.unusedBy(t)
	r.findPrices(t)
	for _, x := range r.Order {
		if old := r.Next[x]; r.inJobs[x] > 0 && r.wanted[x] != old && r.admits(x, r.wanted[x]) {
			r.change(t, x, r.wanted[x])
			r.shift(x, old)
		}
	}
	return r.close(t, len(r.changed) > 0 && r.cost(t, t.lid) < before && r.unusedBy(t) >= unused)
}

// light moves the packets to a destination through one switch so that an unused channel is used,
// and reports whether it did.
func (r *byJob) light(t *target) bool {
	if r.unused == 0 {
		return false
	}
	r.open(t)
	unused := r.unusedBy(t)
	for _, x := range r.Order {
		if r.inJobs[x] == 0 {
			continue
		}
		best, cost, old := fabric.Nothing, int64(0), r.Next[x]
		for _, c := range r.g.OutOf(x) {
			if c == old || !r.LeadsNearer(x, c) || !r.passesUnused(c) {
				continue
			}
			r.setPort(t, x, c)
			if r.unusedBy(t) > unused {
				if n := r.cost(t, t.lid); best < 0 || n < cost {
					best, cost = c, n
				}
			}
			r.setPort(t, x, old)
		}
		if best >= 0 && r.admits(x, best) {
			r.change(t, x, best)
			return r.close(t, true)
		}
	}
	return r.close(t, false)
}

// passesUnused reports whether a path over a channel has one without users.
func (r *byJob) passesUnused(c int32) bool {
	for ; c >= 0; c = r.Next[r.g.To[c]] {
		if r.users[c] == 0 {
			return true
		}
	}
	return false
}

// open reads the paths to a destination, and removes its packets from the counts.
func (r *byJob) open(t *target) {
	r.Tree.Read(r.plan.Tables, t.home, t.lid, r.hosts)
	r.setSent(t.end, t.lid)
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

func (r *byJob) setPort(t *target, x, c int32) { r.plan.Tables.Set(x, t.lid, r.g.FromPort[c]) }

// change gives a switch another next channel.
func (r *byJob) change(t *target, x, c int32) {
	r.changed = append(r.changed, change{x, r.Next[x]})
	r.Move(x, c)
	r.setPort(t, x, c)
}

// close adds the packets to a destination to the counts. It takes the changes back if they are not
// to be kept, cost too many moves, or load a job's channel with too many pairs.
func (r *byJob) close(t *target, keep bool) bool {
	keep = keep && r.spend(len(r.changed))
	r.put(t, 1)
	if fits := r.fits(t); !keep || !fits {
		r.put(t, -1)
		for _, c := range slices.Backward(r.changed) {
			r.Move(c.x, c.old)
			r.setPort(t, c.x, c.old)
		}
		r.put(t, 1)
		if keep && r.most >= 0 {
			r.most += len(r.changed)
		}
		keep = false
	}
	r.setFlow()
	r.putOthers(1)
	return keep
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

func (r *byJob) admits(x, c int32) bool {
	r.Gather(x, r.hosts)
	return r.lanes.admit(r.Tree, x, c)
}

// unusedBy counts the channels that only the packets of jobs to this destination use.
func (r *byJob) unusedBy(t *target) (n int) {
	r.stamps++
	r.eachGroup(t, func(_ *members, p *group, _ int32) {
		r.eachHop(p.x, t.home, t.lid, func(c int32, _ bool) {
			if r.users[c] == 0 && r.stamp[c] != r.stamps {
				n++
			}
			r.stamp[c] = r.stamps
		})
	})
	return n
}

// findPrices finds the next channel of each switch with the least price.
func (r *byJob) findPrices(t *target) {
	discounts := map[int32][]int64{} // by switch, place among its channels
	r.eachGroup(t, func(m *members, p *group, rank int32) {
		out := r.g.OutOf(p.x)
		if discounts[p.x] == nil {
			discounts[p.x] = make([]int64, len(out))
		}
		for k, c := range out {
			discounts[p.x][k] += r.discount(m, p, rank, c)
		}
	})
	r.price[r.Home] = 0
	for _, x := range slices.Backward(r.Order) {
		own := discounts[x]
		best := int64(-1)
		for k, c := range r.g.OutOf(x) {
			if c != r.Next[x] && !r.LeadsNearer(x, c) {
				continue
			}
			price := r.price[r.g.To[c]] + r.load[c]
			if own != nil {
				price -= own[k] / max(1, r.inJobs[x])
			}
			if best < 0 || price < best || price == best && c == r.Next[x] {
				best, r.wanted[x] = price, c
			}
		}
		r.price[x] = max(0, best)
	}
}
