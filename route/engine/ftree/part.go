package ftree

import (
	"context"

	"weft/fabric"
)

// other is the way to another port of the node at hand.
type other struct {
	way
	target int32
	known  []int32 // by switch: its place among the ways, -1 for none
}

// meet reads the ways to LID number k of the other ports of a node.
func (w *loader) meet(end int32, k fabric.LID) {
	g := w.t.g
	node := g.EndNode[end]
	w.others = w.spare[:0]
	for _, e := range g.NodeEnds[g.NodeStart[node]:g.NodeStart[node+1]] {
		if g.IsPortZero(e) || int(k) >= w.ends.Count(e) || g.EndSwitch[e] == g.EndSwitch[end] {
			continue
		}
		if n := len(w.others); n == len(w.spare) {
			w.spare = append(w.spare, other{way: newWay(g.NumSwitches)})
			w.others = w.spare[:n]
		}
		w.others = w.others[:len(w.others)+1]
		o := &w.others[len(w.others)-1]
		y := w.to(g.EndSwitch[e])
		o.target, o.known = y.target, y.place
		w.follow(y, w.ends.Base[e]+k, &o.way)
	}
}

// free tells whether what comes through order[k] can take another link, and meet no way
// of its own to another port of the node.
func (w *loader) free(y *ways, k int, p int32) bool {
	if len(w.others) == 0 {
		return true
	}
	s := y.order[k]
	w.detour = w.detour[:0]
	for a, b := w.next[s], w.into[p]; a != b; a, b = w.next[a], w.next[b] {
		w.detour = append(w.detour, b)
	}
	w.round++
	w.passes[s] = w.round
	for _, x := range y.order[k:] {
		if x != s && w.passes[w.next[x]] != w.round {
			continue
		}
		w.passes[x] = w.round
		if len(w.t.g.HostsOf(x)) == 0 {
			continue
		}
		for i := range w.others {
			for _, v := range w.detour {
				if w.others[i].on(x, v) {
					return false
				}
			}
		}
	}
	return true
}

// on tells whether a switch is on the way from another one.
func (o *other) on(from, s int32) bool {
	if o.known[from] < 0 {
		return false
	}
	for from != o.target {
		if from = o.next[from]; from == s {
			return true
		}
	}
	return false
}

// part leads the paths to the ports of one node apart where they share a switch, as
// failures make them do. Each switch in turn, the nearest to a port first, takes the way
// on which it shares the fewest with its own ways to the other ports; of such ways that
// by the least loaded link.
func (w *loader) part(ctx context.Context) error {
	if err := w.measure(ctx); err != nil {
		return err
	}
	for range 2 { // the second time for those that were led to where the first ones were
		met := 0
		err := w.visit(ctx, false, func(y *ways, end int32, lid fabric.LID) {
			w.meet(end, lid-w.ends.Base[end])
			if len(w.others) > 0 {
				w.follow(y, lid, &w.way)
				if w.apart(y, lid) {
					met++
				}
			}
		})
		if err != nil || met == 0 {
			return err
		}
	}
	return nil
}

// apart leads the paths to a LID away from the other ways.
func (w *loader) apart(y *ways, lid fabric.LID) bool {
	together := false
	for _, s := range y.order {
		together = together || w.flow[s] > 0 && w.shared(s, w.next[s], y.target) > 0
	}
	if !together {
		return false
	}
	w.count(y, -1)
	for k, s := range y.order {
		best, fewest := w.pick[s], w.shared(s, w.next[s], y.target)
		for _, i := range y.at(k) {
			if fewest == 0 {
				break
			}
			n := w.shared(s, w.t.to[i], y.target)
			for p := w.t.link[i]; p < w.t.link[i+1]; p++ {
				if n < fewest || fewest > 0 && n == fewest && w.load[p] < w.load[best] {
					best, fewest = p, n
				}
			}
		}
		w.take(s, best, lid)
	}
	w.gather(y, &w.way)
	w.count(y, 1)
	return true
}

// shared counts the switches on the way from s over a neighbour to the target that are
// on its ways to other ports.
func (w *loader) shared(s, a, target int32) int {
	n := 0
	for ; ; a = w.next[a] {
		for i := range w.others {
			if w.others[i].on(s, a) {
				n++
			}
		}
		if a == target {
			return n
		}
	}
}
