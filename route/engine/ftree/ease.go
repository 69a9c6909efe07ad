package ftree

import (
	"context"
	"math"

	"weft/fabric"
	"weft/internal/par"
)

// sweeps bounds how often ease looks for links above their limits.
const sweeps = 32

// ease moves paths off the most loaded links. A sweep takes those in hand that have more than
// their limit (aim): half way down to the least they could have. When that gains less than a
// twentieth, sweeps over the highest ones alone go on as long as they gain anything. In a
// small tree every sweep looks at all links of more than the usual load, and they
// end when one gains less than a hundredth. With apart the ways to the ports of one node do
// not meet where they have not met before.
func (w *loader) ease(ctx context.Context, apart bool) error {
	targets := w.targets()
	wide := max(1, min(len(targets)/targetsRound, mostRound))
	w.thorough = w.lidsOf(targets)*len(w.dist) <= thoroughSize
	if apart || w.thorough {
		wide = 1 // one LID after the other, since those of a node watch each other
	}
	return w.easeBy(ctx, targets, wide, apart)
}

// easeBy is ease with so many targets at a time.
func (w *loader) easeBy(ctx context.Context, targets []int32, wide int, apart bool) error {
	if err := w.measure(ctx); err != nil {
		return err
	}
	forks := w.forks(wide)
	before, usual := w.highest()
	for n, part := 0, int64(2); n < sweeps && part <= 8; n++ {
		w.aim(before, usual, part)
		if err := w.sweep(ctx, forks, targets, before, apart); err != nil {
			return err
		}
		after, mean := w.highest()
		switch {
		case w.thorough && 100*after > 99*before:
			return nil
		case after == before, !w.thorough && part == 2 && 20*after > 19*before:
			part *= 4
		}
		before, usual = after, mean
	}
	return nil
}

// thoroughSize is the most pairs of a LID and a switch of a tree that is small: in each sweep
// all links of more than the usual load are looked at.
const thoroughSize = 1 << 18

// aim sets the limits of a sweep: part of the way from the highest load to the usual one, but
// not below half of that to the mean of the links out of a switch with hosts, or into it.
func (w *loader) aim(most, usual, part int64) {
	n := len(w.dist)
	out, in, outs, ins := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	w.eachLink(func(s, p int32) {
		v := w.into[p]
		out[s] += w.load[p]
		outs[s]++
		in[v] += w.load[p]
		ins[v]++
	})
	hosts := func(s int32) bool { return len(w.t.g.HostsOf(s)) > 0 }
	clear(w.high)
	w.eachLink(func(s, p int32) {
		v, least := w.into[p], usual
		if hosts(s) {
			least = max(least, out[s]/outs[s])
		}
		if hosts(v) {
			least = max(least, in[v]/ins[v])
		}
		if w.limit[p] = max(most-(most-usual)/part, most-(most-least)/2); w.thorough {
			w.limit[p] = usual
		}
		w.high[s] = w.high[s] || w.load[p] > w.limit[p]
	})
}

// eachLink visits all links with the switch they leave.
func (w *loader) eachLink(do func(s, p int32)) {
	for s := range int32(len(w.dist)) {
		first, last := w.t.groupsOf(s)
		for p := w.t.link[first]; p < w.t.link[last]; p++ {
			do(s, p)
		}
	}
}

// lidsOf counts the LIDs of the hosts of some switches.
func (w *loader) lidsOf(targets []int32) int {
	n := 0
	for _, s := range targets {
		for _, end := range w.t.g.HostsOf(s) {
			n += w.ends.Count(end)
		}
	}
	return n
}

// Targets are taken in hand some at a time, at most mostRound, and one in targetsRound
// of them: what is moved to one is not seen by those of its round.
const (
	mostRound    = 8
	targetsRound = 64
)

// sweep relieves links that have more than their limit, and leaves none with more than the roof.
// Targets of one round are far from each other, so that they share few links.
func (w *loader) sweep(ctx context.Context, forks []*loader, targets []int32, roof int64, apart bool) error {
	rounds := (len(targets) + len(forks) - 1) / len(forks)
	for round := range rounds {
		err := par.For(ctx, w.workers, len(forks), func(_, i int) error {
			c := forks[i]
			if at := i*rounds + round; at < len(targets) {
				c.each(targets[at], w.high, func(y *ways, end int32, lid fabric.LID) {
					c.relieve(y, end, lid, apart)
					if apart {
						w.settle(c, roof)
					}
				})
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, c := range forks {
			w.settle(c, roof)
		}
	}
	return nil
}

// settle makes the changes of a fork, unless with those of others they are too much for
// a link.
func (w *loader) settle(c *loader, roof int64) {
	fits := true
	for _, p := range c.changed {
		fits = fits && (c.delta[p] <= 0 || w.load[p]+c.delta[p] <= roof)
	}
	for _, p := range c.changed {
		if fits {
			w.load[p] += c.delta[p]
		}
		c.delta[p] = 0
	}
	if fits {
		for _, m := range c.moves {
			w.set(m)
		}
	}
	c.changed, c.moves = c.changed[:0], c.moves[:0]
}

// relieve moves what switches send to a LID to other ways, the farthest first, where the
// most loaded link of the new way will have less than that of the old one has. Only
// ways with a link above its limit are looked at.
func (w *loader) relieve(y *ways, end int32, lid fabric.LID, apart bool) {
	if !w.survey(y, lid) {
		return
	}
	clear(w.flow)
	clear(w.first)
	met := !apart
	for k := len(y.order) - 1; k >= 0; k-- {
		s := y.order[k]
		if w.flow[s] += int64(len(w.t.g.HostsOf(s))); w.flow[s] == 0 {
			continue
		}
		if w.above[s] {
			if best := w.cheaper(y, k); best >= 0 {
				if !met {
					w.meet(end, lid-w.ends.Base[end])
					met = true
				}
				if w.free(s, best) {
					w.move(s, best, lid)
				}
			}
		}
		v := w.next[s]
		w.flow[v] += w.flow[s]
		w.after[s], w.first[v] = w.first[v], s+1
	}
}

// survey follows the way to a LID from every switch and finds the most loaded link of it. It
// tells whether any is above its limit.
func (w *loader) survey(y *ways, lid fabric.LID) bool {
	sends, pick, next, dist, above := w.sends[lid], w.pick, w.next, w.dist, w.above
	dist[y.target], above[y.target] = 0, false
	some := false
	for _, s := range y.order {
		p := w.t.base(s) + int32(sends[s])
		v, n := w.into[p], w.loadOf(p)
		pick[s], next[s], dist[s], above[s] = p, v, max(n, dist[v]), above[v] || n > w.limit[p]
		some = some || above[s]
	}
	return some
}

// cheaper is the link by which the most loaded link of the way from order[k] will have less
// than that of the old one has; -1 if there is none.
func (w *loader) cheaper(y *ways, k int) int32 {
	if w.thorough {
		return w.lowest(y, k)
	}
	best := w.cheapest(y, k)
	if best < 0 {
		return -1
	}
	if old, now := w.peaks(y.order[k], best); now >= old {
		return -1
	}
	return best
}

// move sends what comes through a switch over another link.
func (w *loader) move(s, p int32, lid fabric.LID) {
	f := w.flow[s]
	w.shift(w.pick[s], -f)
	w.shift(p, f)
	for a, b := w.next[s], w.into[p]; a != b; a, b = w.next[a], w.next[b] {
		w.shift(w.pick[a], -f)
		w.shift(w.pick[b], f)
	}
	w.pick[s], w.next[s] = p, w.into[p]
	w.moves = append(w.moves, move{s, p, lid})
}

// cheapest is the link by which the most loaded link of the way from order[k] has least,
// of equal ones the least loaded itself; -1 if all links there have too much.
func (w *loader) cheapest(y *ways, k int) int32 {
	s := y.order[k]
	f, old, pick := w.flow[s], w.dist[s], w.pick[s]
	best, least, least1 := int32(-1), int64(math.MaxInt64), int64(0)
	for _, i := range y.at(k) {
		beyond := w.dist[w.t.to[i]] + f
		if beyond > least {
			continue
		}
		for p := w.t.link[i]; p < w.t.link[i+1]; p++ {
			n := w.loadOf(p) + f
			if n >= old || p == pick {
				continue
			}
			if m := max(n, beyond); m < least || m == least && n < least1 {
				best, least, least1 = p, m, n
			}
		}
	}
	return best
}

// lowest is the link by which the way from order[k] has least on its most loaded link, up to
// where it meets the old one; -1 if none has less than that, or its own link is in its limit.
func (w *loader) lowest(y *ways, k int) int32 {
	s := y.order[k]
	best, least := int32(-1), int64(0)
	for _, i := range y.at(k) {
		for p := w.t.link[i]; p < w.t.link[i+1]; p++ {
			n := w.loadOf(p) + w.flow[s]
			if n >= w.dist[s] || p == w.pick[s] || best >= 0 && n >= least {
				continue
			}
			if old, now := w.peaks(s, p); old > w.limit[w.pick[s]] && now < old && (best < 0 || now < least) {
				best, least = p, now
			}
		}
	}
	return best
}

// loadOf is the load of a link with the changes at hand.
func (w *loader) loadOf(p int32) int64 { return w.load[p] + w.delta[p] }

// shift adds to the load of a link.
func (w *loader) shift(p int32, n int64) {
	if w.delta[p] == 0 {
		w.changed = append(w.changed, p)
	}
	w.delta[p] += n
}

// peaks is the load of the most loaded link of the way from a switch, and what that of
// the way by another link would be, up to where the two meet.
func (w *loader) peaks(s, p int32) (old, now int64) {
	f := w.flow[s]
	old, now = w.loadOf(w.pick[s]), w.loadOf(p)+f
	for a, b := w.next[s], w.into[p]; a != b; a, b = w.next[a], w.next[b] {
		old, now = max(old, w.loadOf(w.pick[a])), max(now, w.loadOf(w.pick[b])+f)
	}
	return old, now
}
