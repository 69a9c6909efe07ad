package fluid

import "math"

// filler computes max-min fair rates of a component: flows that share links, directly or over
// others. The rates of all flows grow alike until a link is full; its flows are frozen, and the
// others go on.
type filler struct {
	links []linkState // by link
	mark  int32       // of the present search
	met   []int32     // links of the component
	flows []int32     // flows of the component
	queue fullQueue
	many  int  // the flows of a component that may be wide
	wide  bool // the component had most of the flows: all are taken, which is faster than a search
	most  bool // most ends change: their queue is put in order once, at the end
}

// linkState is the state of a link while rates are computed.
type linkState struct {
	room    float64 // capacity left by frozen flows
	full    float64 // the rate of the flows that it froze; its capacity if it froze none
	growing int32   // flows not frozen
	mark    int32
}

func (f *filler) init(capacity []float64) {
	f.links, f.many = make([]linkState, len(capacity)), usualMany
	for l, c := range capacity {
		f.links[l].full = c
	}
}

// levelTolerance is the largest ratio of the levels of two links that both count as full.
const levelTolerance = 1 + 1e-12

// solve computes the rates of all flows that share links with changed ones.
func (n *Network) solve() {
	f := &n.fill
	f.mark++
	n.regroup()
	f.met, f.flows = f.met[:0], f.flows[:0]
	if f.wide && f.mark%16 != 0 {
		n.addAll()
	} else {
		for _, link := range n.dirty {
			n.addLink(link)
		}
		n.addFlows()
		f.wide = len(f.flows) > f.many && 2*len(f.flows) > n.Active()
	}
	n.dirty = n.dirty[:0]
	n.Solved += int64(len(f.flows))
	for _, s := range f.flows {
		n.advance(&n.flows[s])
	}
	f.most = 2*len(f.flows) > len(n.ends.heap)
	n.fillLinks()
	if f.most {
		n.ends.heapify()
		f.most = false
	}
}

// addLink adds a link to the component.
func (n *Network) addLink(link int32) {
	f := &n.fill
	if f.links[link].mark == f.mark || n.first[link] == none {
		return
	}
	f.links[link] = linkState{mark: f.mark, growing: n.count[link], room: n.capacity[link], full: n.capacity[link]}
	f.met = append(f.met, link)
}

// usualMany is the least number of flows of a component that makes a search cost more than it
// saves.
const usualMany = 4096

// addAll takes all flows and their links. Rates do not depend on flows of other components.
func (n *Network) addAll() {
	f := &n.fill
	for link := range n.first {
		n.addLink(int32(link))
	}
	for s := range n.flows {
		if n.flows[s].used {
			f.flows = append(f.flows, int32(s))
		}
	}
}

// addFlows adds all flows of the component's links, and all their links.
func (n *Network) addFlows() {
	f := &n.fill
	for i := 0; i < len(f.met); i++ {
		link := f.met[i]
		for at := n.first[link]; at != none; at = n.next[at] {
			s := at / int32(n.stride)
			w := &n.flows[s]
			if w.mark == f.mark {
				continue
			}
			w.mark = f.mark
			f.flows = append(f.flows, s)
			base := s * int32(n.stride)
			for _, other := range n.path[base : base+w.hops] {
				n.addLink(other)
			}
		}
	}
}

// advance moves a flow to the present.
func (n *Network) advance(w *flow) {
	if n.now > w.since {
		w.left = max(0, w.left-w.rate*float64(n.now-w.since))
		w.since = n.now
	}
}

// fillLinks freezes the flows of the component, link by link, in order of the level at which links
// are full. A link's level only rises when flows freeze below it, so a link that comes up is put
// back if its level has risen since.
func (n *Network) fillLinks() {
	f := &n.fill
	f.queue = f.queue[:0]
	for _, link := range f.met {
		f.queue.push(full{f.links[link].level(), link})
	}
	for len(f.queue) > 0 {
		top := f.queue.pop()
		l := &f.links[top.link]
		if l.growing == 0 {
			continue
		}
		if level := l.level(); level > top.level*levelTolerance {
			f.queue.push(full{level, top.link})
			continue
		}
		l.full = top.level
		for at := n.first[top.link]; at != none; at = n.next[at] {
			if s := at / int32(n.stride); n.flows[s].frozen != f.mark {
				n.freeze(s, top.level)
			}
		}
	}
}

// level is the rate of the flows that grow at which the link is full.
func (l *linkState) level() float64 { return max(0, l.room) / float64(l.growing) }

// freeze gives a flow its rate.
func (n *Network) freeze(s int32, rate float64) {
	w := &n.flows[s]
	w.frozen = n.fill.mark
	base := s * int32(n.stride)
	for _, link := range n.path[base : base+w.hops] {
		l := &n.fill.links[link]
		l.room -= rate
		l.growing--
	}
	if rate == w.rate && n.ends.at[s] != none {
		return
	}
	n.give(s, rate)
}

// give sets the rate of a flow, and with it its end.
func (n *Network) give(s int32, rate float64) {
	w := &n.flows[s]
	w.rate, w.end = rate, never
	if rate > 0 {
		if wait := math.Ceil(w.left / rate); wait < float64(never-n.now) {
			w.end = n.now + picoseconds(wait)
		}
	}
	if n.fill.most {
		n.ends.late(s)
		return
	}
	n.ends.set(s)
}

// full says at which level a link was thought to be full.
type full struct {
	level float64
	link  int32
}

// fullQueue is a heap of links by level, then by number.
type fullQueue []full

func (q fullQueue) before(a, b full) bool {
	return a.level < b.level || a.level == b.level && a.link < b.link
}

func (q *fullQueue) push(e full) {
	*q = append(*q, e)
	h, i := *q, len(*q)-1
	for i > 0 && q.before(e, h[(i-1)/4]) {
		h[i] = h[(i-1)/4]
		i = (i - 1) / 4
	}
	h[i] = e
}

func (q *fullQueue) pop() full {
	h := *q
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	for i := 0; len(h) > 0; {
		least := -1
		for c := 4*i + 1; c < min(4*i+5, len(h)); c++ {
			if least < 0 || q.before(h[c], h[least]) {
				least = c
			}
		}
		if least < 0 || !q.before(h[least], last) {
			h[i] = last
			break
		}
		h[i] = h[least]
		i = least
	}
	return top
}
