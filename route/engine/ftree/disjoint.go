package ftree

import (
	"context"
	"slices"

	"weft/route"
)

// siblingPaths holds, for a LID of a host, the paths to the same LID number of the other ports of
// its node, and tells which paths share a switch with those.
type siblingPaths struct {
	next  [][]int32 // by port, switch: switch to which it sends, -1 for none
	marks []int32   // by switch: paths of some source that pass it
	// The switches that send to each one, as linked lists: switch + 1, 0 for none.
	firstBehind []int32
	nextBehind  []int32
	queue       []int32
}

// separatePorts makes the paths to the ports of one node share no switch where they do, as
// failures make them (multihomed). Each switch in turn, the nearest to a port first, takes the
// next hop with which its path shares the fewest switches with its own paths to the other
// ports; of such ones the least loaded link.
func separatePorts(ctx context.Context, in *route.Input, r *reachability, loads *linkLoads, cols columns) error {
	if err := loads.measure(ctx, r, columns{0, cols.end}, in.Workers); err != nil {
		return err
	}
	w := loads.newWorkers(r, 1)[0]
	for range 2 { // the second time for paths moved to where those of the first ones were
		shared := 0
		for _, target := range loads.targets() {
			if err := ctx.Err(); err != nil {
				return err
			}
			w.eachLID(target, cols, func(hops *nextHops, at hostLID) {
				w.readSiblings(at)
				if len(w.siblings.next) == 0 {
					return
				}
				w.followTables(hops, at.lid)
				w.paths.gather(w.t.g, hops)
				if w.separate(hops, at) {
					shared++
				}
			})
		}
		if shared == 0 {
			return nil
		}
	}
	return nil
}

// readSiblings reads the paths to the other ports of the node, at LIDs of the same number. Ports
// at the same switch are left out.
func (w *loadWorker) readSiblings(at hostLID) {
	g, sib := w.t.g, &w.siblings
	node := g.EndNode[at.end]
	sib.next = sib.next[:0]
	for _, e := range g.NodeEnds[g.NodeStart[node]:g.NodeStart[node+1]] {
		if !g.IsHost(e) || at.number >= w.ends.Count(e) || g.EndSwitch[e] == g.EndSwitch[at.end] {
			continue
		}
		n := len(sib.next)
		if sib.next = slices.Grow(sib.next, 1)[:n+1]; sib.next[n] == nil {
			sib.next[n] = make([]int32, g.NumSwitches)
		}
		next, base := sib.next[n], int(w.ends.Base[e])
		for s, number := range w.sends[base+at.number] {
			if next[s] = -1; number != noNumber {
				next[s] = w.head[w.t.firstLink(int32(s))+int32(number)]
			}
		}
	}
}

// separate makes the paths to a LID share fewer switches with those to the siblings. It reports
// whether any path shared one.
func (w *loadWorker) separate(hops *nextHops, at hostLID) bool {
	p, sib := &w.paths, &w.siblings
	if !slices.ContainsFunc(hops.order, func(s int32) bool { return p.flow[s] > 0 && w.sharesSwitch(s, hops.target) }) {
		return false
	}
	p.count(hops, w.load, -1)
	for k, s := range hops.order {
		sib.mark(s, 1)
		best, fewest := p.link[s], sib.countMarks(p.next, p.next[s], hops.target)
		for _, i := range hops.fromPlace(k) {
			if fewest == 0 {
				break
			}
			n := sib.countMarks(p.next, w.t.neighbour[i], hops.target)
			for link := w.t.linkStart[i]; link < w.t.linkStart[i+1]; link++ {
				if n < fewest || fewest > 0 && n == fewest && w.load[link] < w.load[best] {
					best, fewest = link, n
				}
			}
		}
		sib.mark(s, -1)
		if best != p.link[s] {
			p.link[s], p.next[s] = best, w.head[best]
			w.set(move{s, best, at.lid})
		}
	}
	p.gather(w.t.g, hops)
	p.count(hops, w.load, 1)
	return true
}

// sharesSwitch reports whether the path of s shares a switch with its paths to the siblings.
func (w *loadWorker) sharesSwitch(s, target int32) bool {
	w.siblings.mark(s, 1)
	n := w.siblings.countMarks(w.paths.next, w.paths.next[s], target)
	w.siblings.mark(s, -1)
	return n > 0
}

// mark adds to the marks of the switches on the paths of s to the siblings.
func (p *siblingPaths) mark(s, by int32) {
	for _, next := range p.next {
		for x := next[s]; x >= 0; x = next[x] {
			p.marks[x] += by
		}
	}
}

// countMarks counts the marks on the path from a switch to the target.
func (p *siblingPaths) countMarks(next []int32, s, target int32) int32 {
	n := p.marks[s]
	for s != target {
		s = next[s]
		n += p.marks[s]
	}
	return n
}

// staysSeparate reports whether all that comes through switch s can take another link, and shares
// no more switches than before with the paths of its own sources to the siblings.
func (w *loadWorker) staysSeparate(s, link int32) bool {
	p, sib := &w.paths, &w.siblings
	if len(sib.next) == 0 || w.head[link] == p.next[s] {
		return true
	}
	markDetour := func(by int32) { // the switches on the new path and not on the old one
		for a, b := p.next[s], w.head[link]; a != b; a, b = p.next[a], p.next[b] {
			sib.marks[b] += by
		}
	}
	markDetour(1)
	defer markDetour(-1)
	sib.queue = append(sib.queue[:0], s)
	for len(sib.queue) > 0 {
		x := sib.queue[len(sib.queue)-1]
		sib.queue = sib.queue[:len(sib.queue)-1]
		for v := sib.firstBehind[x]; v > 0; v = sib.nextBehind[v-1] {
			sib.queue = append(sib.queue, v-1)
		}
		if len(w.t.g.HostsOf(x)) > 0 && sib.passesMark(x) {
			return false
		}
	}
	return true
}

// passesMark reports whether a marked switch is on a path from another one to a sibling.
func (p *siblingPaths) passesMark(from int32) bool {
	for _, next := range p.next {
		for x := next[from]; x >= 0; x = next[x] {
			if p.marks[x] != 0 {
				return true
			}
		}
	}
	return false
}
