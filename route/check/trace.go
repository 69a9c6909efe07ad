package check

import (
	"context"
	"fmt"
	"math/bits"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// explain names the channels of a cycle and, for each, a packet that holds it and
// waits for the next one: the first by LID, then by source.
func (j *judge) explain(cycle []int32, traffic int) []Hold {
	g, l := j.g, j.lanes
	nv := int32(len(l.vls))
	w := j.walker(0)
	holds := make([]Hold, len(cycle))
	for i, node := range cycle {
		next := cycle[(i+1)%len(cycle)]
		c := node / nv
		h := Hold{
			Channel: c, VL: l.vls[node%nv],
			From: route.SwitchName(g, g.From[c]), FromPort: g.FromPort[c],
			To: route.SwitchName(g, g.To[c]), ToPort: g.ToPort[c],
		}
		w.culprit(&h, next/nv, l.vls[next%nv], traffic)
		holds[i] = h
	}
	return holds
}

// culprit finds a packet that takes the channel of h and then the one given.
func (w *walker) culprit(h *Hold, after int32, afterVL uint8, traffic int) {
	j, g := w.j, w.j.g
	from, to := g.From[h.Channel], g.To[h.Channel]
	for lid, owner := range j.owner {
		if owner < 0 || j.p.Tables.Port(from, fabric.LID(lid)) != h.FromPort || j.p.Tables.Port(to, fabric.LID(lid)) != g.FromPort[after] {
			continue
		}
		w.load(lid / route.BlockSize)
		w.targets(j.owner[lid : lid+1])
		w.follow(fabric.LID(lid), owner)
		if w.at[from].out != h.Channel || w.at[to].out != after {
			continue
		}
		w.singly()
		through := w.through(from)
		for e := range int32(g.NumEnds) {
			if !through[g.EndSwitch[e]] || e == owner {
				continue
			}
			for m := j.lanes.field(w.mask(e)&w.startMasks(), traffic); m != 0; m &= m - 1 {
				sl := j.lanes.sls[bits.TrailingZeros64(m)]
				if w.takes(e, sl, h, after, afterVL) {
					h.Source, h.LID, h.SL = route.EndName(g, e), fabric.LID(lid), sl
					return
				}
			}
		}
	}
}

// through marks the switches whose way passes a switch.
func (w *walker) through(at int32) []bool {
	mark := make([]bool, len(w.at))
	mark[at] = true
	start := int32(0)
	for _, end := range w.ringAt {
		ring := w.rings[start:end]
		for _, s := range ring {
			if s == at {
				for _, t := range ring {
					mark[t] = true
				}
			}
		}
		start = end
	}
	for _, s := range w.order {
		next := w.at[s].next
		mark[s] = mark[s] || next >= 0 && mark[next]
	}
	return mark
}

// takes reports whether a packet of an end holds h and then waits for a channel.
func (w *walker) takes(e int32, sl uint8, h *Hold, after int32, afterVL uint8) bool {
	last, lastVL, found := int32(-1), uint8(0), false
	w.travel(e, sl, func(c int32, vl uint8) bool {
		found = last == h.Channel && lastVL == h.VL && c == after && vl == afterVL
		last, lastVL = c, vl
		return !found
	})
	return found
}

// travel follows a packet over its channels with their VLs, and at last to its
// host (channel -1), until hop says no. It reports whether no table discarded it.
func (w *walker) travel(e int32, sl uint8, hop func(c int32, vl uint8) bool) bool {
	g, l := w.j.g, w.j.lanes
	s, in := g.EndSwitch[e], g.EndPort[e]
	for range 3*len(w.at) + 1 { // twice round any loop
		out, ok := w.exit(s)
		if !ok {
			return true
		}
		vl := l.vl(s, in, out, sl)
		if vl == route.DropVL {
			return false
		}
		c := w.at[s].out
		if !hop(c, vl) || c < 0 {
			return true
		}
		s, in = g.To[c], g.ToPort[c]
	}
	return true
}

// discards counts the pairs that the tables deliver but an SL2VL table discards, on
// one of the SLs that they may use.
func (j *judge) discards(ctx context.Context, workers int, r *Report) error {
	f := r.Find(DiscardVL)
	if f == nil {
		return nil
	}
	lost := make([]int64, len(j.blocks))
	err := j.eachLID(ctx, workers, func(w *walker, lid fabric.LID) {
		for e := range int32(j.g.NumEnds) {
			if e != w.owner && w.depth[j.g.EndSwitch[e]] > 0 && w.discarded(e) {
				lost[int(lid)/route.BlockSize]++
			}
		}
	})
	for _, n := range lost {
		r.Discarded += n
	}
	f.Pairs = r.Discarded
	return err
}

// discarded reports whether some packet of an end to the LID is discarded.
func (w *walker) discarded(e int32) bool {
	l := w.j.lanes
	m := w.masks.full(e)
	if l.hostDrop != nil && int(e) < w.j.g.NumHosts && l.field(m&l.hostDrop[e], assigned) != 0 {
		return true
	}
	for f := l.field(m, assigned); f != 0; f &= f - 1 {
		if !w.travel(e, l.sls[bits.TrailingZeros64(f)], func(int32, uint8) bool { return true }) {
			return true
		}
	}
	return false
}

// eachLID calls body for every LID in use, its paths followed and its masks set.
func (j *judge) eachLID(ctx context.Context, workers int, body func(w *walker, lid fabric.LID)) error {
	return par.For(ctx, workers, len(j.owner)/route.BlockSize, func(worker, i int) error {
		w := j.walker(worker)
		w.load(i)
		owners := j.owner[i*route.BlockSize:][:route.BlockSize]
		w.targets(owners)
		for k, owner := range owners {
			if owner >= 0 {
				lid := fabric.LID(i*route.BlockSize + k)
				w.follow(lid, owner)
				w.singly()
				body(w, lid)
			}
		}
		return nil
	})
}

// intended compares the path of every pair with the intended one.
func (j *judge) intended(ctx context.Context, workers int, r *Report) error {
	type result struct {
		paths, differ int64
		examples      []string
	}
	results := make([]result, len(j.blocks))
	err := j.eachLID(ctx, workers, func(w *walker, lid fabric.LID) {
		res := &results[int(lid)/route.BlockSize]
		for e := range int32(j.g.NumEnds) {
			if !w.pair(e) {
				continue
			}
			path, ok := j.p.Intended.Path(e, w.owner, lid, w.path[:0])
			if !ok {
				continue
			}
			w.path = path
			res.paths++
			if w.matches(e, path) {
				continue
			}
			res.differ++
			if len(res.examples) < examplesShown {
				res.examples = append(res.examples, w.pathText(e, lid, path))
			}
		}
	})
	if err != nil {
		return err
	}
	f := Finding{Kind: DifferingPath, Examples: []string{}}
	for i := range results {
		r.IntendedPaths += results[i].paths
		r.DifferingPaths += results[i].differ
		room := examplesShown - len(f.Examples)
		f.Examples = append(f.Examples, results[i].examples[:min(room, len(results[i].examples))]...)
	}
	f.Count = r.DifferingPaths
	r.fault(f)
	return nil
}

// pair reports whether an end is a source of packets to the LID.
func (w *walker) pair(e int32) bool {
	return e != w.owner && w.j.isSource[e] && (w.using == nil || w.using[e])
}

// matches reports whether the path of an end takes the given channels and arrives.
func (w *walker) matches(e int32, path []int32) bool {
	s := w.j.g.EndSwitch[e]
	for _, c := range path {
		if w.at[s].out < 0 || w.at[s].out != c {
			return false
		}
		s = w.at[s].next
	}
	return w.at[s].next == delivered
}

func (w *walker) pathText(e int32, lid fabric.LID, path []int32) string {
	g := w.j.g
	s := g.EndSwitch[e]
	where := "does not end"
	for _, c := range path {
		if w.at[s].out != c {
			where = fmt.Sprintf("leaves %s instead of by port %d", portName(g, s, w.column(lid)[s]), g.FromPort[c])
			break
		}
		s = w.at[s].next
	}
	return fmt.Sprintf("%s to %s %s", route.EndName(g, e), lidName(g, lid, w.owner), where)
}
