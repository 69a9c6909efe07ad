package ftree

import (
	"context"
	"slices"

	"weft/fabric"
)

// meet reads the ways to LID number k of the other ports of a node: by switch, where it sends
// that LID, -1 for nowhere.
func (w *loader) meet(end int32, k fabric.LID) {
	g := w.t.g
	node := g.EndNode[end]
	w.others = w.others[:0]
	for _, e := range g.NodeEnds[g.NodeStart[node]:g.NodeStart[node+1]] {
		if g.IsPortZero(e) || int(k) >= w.ends.Count(e) || g.EndSwitch[e] == g.EndSwitch[end] {
			continue
		}
		n := len(w.others)
		if w.others = slices.Grow(w.others, 1)[:n+1]; w.others[n] == nil {
			w.others[n] = make([]int32, g.NumSwitches)
		}
		next := w.others[n]
		for s, number := range w.sends[w.ends.Base[e]+k] {
			if next[s] = -1; number != noNumber {
				next[s] = w.into[w.t.base(int32(s))+int32(number)]
			}
		}
	}
}

// free tells whether what comes through s can take another link, and meet no way of its own
// to another port of the node.
func (w *loader) free(s, p int32) bool {
	if len(w.others) == 0 || w.into[p] == w.next[s] {
		return true
	}
	detour := func(by int32) { // the switches on the new way and not on the old one
		for a, b := w.next[s], w.into[p]; a != b; a, b = w.next[a], w.next[b] {
			w.marks[b] += by
		}
	}
	detour(1)
	defer detour(-1)
	w.behind = append(w.behind[:0], s)
	for len(w.behind) > 0 {
		x := w.behind[len(w.behind)-1]
		w.behind = w.behind[:len(w.behind)-1]
		for v := w.first[x]; v > 0; v = w.after[v-1] {
			w.behind = append(w.behind, v-1)
		}
		if len(w.t.g.HostsOf(x)) > 0 && w.marked(x) {
			return false
		}
	}
	return true
}

// marked tells whether a marked switch is on a way from another one to other ports.
func (w *loader) marked(from int32) bool {
	for _, next := range w.others {
		for x := next[from]; x >= 0; x = next[x] {
			if w.marks[x] != 0 {
				return true
			}
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
				w.follow(y, lid)
				w.gather(y)
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
	if !slices.ContainsFunc(y.order, func(s int32) bool { return w.flow[s] > 0 && w.meets(s, y.target) }) {
		return false
	}
	w.count(y, -1)
	for k, s := range y.order {
		w.mark(s, 1)
		best, fewest := w.pick[s], w.shared(w.next[s], y.target)
		for _, i := range y.at(k) {
			if fewest == 0 {
				break
			}
			n := w.shared(w.t.to[i], y.target)
			for p := w.t.link[i]; p < w.t.link[i+1]; p++ {
				if n < fewest || fewest > 0 && n == fewest && w.load[p] < w.load[best] {
					best, fewest = p, n
				}
			}
		}
		w.mark(s, -1)
		if best != w.pick[s] {
			w.pick[s], w.next[s] = best, w.into[best]
			w.set(move{s, best, lid})
		}
	}
	w.gather(y)
	w.count(y, 1)
	return true
}

// meets tells whether a way from s meets one from it to another port.
func (w *loader) meets(s, target int32) bool {
	w.mark(s, 1)
	n := w.shared(w.next[s], target)
	w.mark(s, -1)
	return n > 0
}

// mark adds to the marks of the switches on the ways from s to other ports.
func (w *loader) mark(s, by int32) {
	for _, next := range w.others {
		for x := next[s]; x >= 0; x = next[x] {
			w.marks[x] += by
		}
	}
}

// shared counts the marks on the way from a switch to the target.
func (w *loader) shared(a, target int32) int32 {
	n := w.marks[a]
	for a != target {
		a = w.next[a]
		n += w.marks[a]
	}
	return n
}
