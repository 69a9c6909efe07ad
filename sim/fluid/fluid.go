package fluid

import "math"

// picoseconds is a time.
type picoseconds = int64

// Network is the state of all flows. It is deterministic, and not for concurrent use.
type Network struct {
	capacity []float64 // by link: bytes in a picosecond

	// Flows are kept in slots, which are used again.
	flows  []flow
	unused []int32
	stride int // links that the arrays have for each flow
	begun  int64

	// The link at hop k of the flow in slot f has number f*stride+k. The flows of a link are a list
	// of these numbers.
	path, next, before []int32
	first              []int32 // by link: the head of its list, or none
	count              []int32 // by link: flows

	now   picoseconds
	ends  endQueue
	dirty []int32 // links on which flows have begun or ended since rates were computed
	fill  filler
	group group
	// Slack bounds delays on a crowded link, as a share of a flow's time: the delay of its begin,
	// and the delay until it releases its links at its end. Zero makes no group.
	Slack float64
	// Solved counts the flows whose rates were computed, over all changes.
	Solved int64
}

// flow is a message on its way.
type flow struct {
	left  float64 // bytes at the time since
	begin picoseconds
	since picoseconds
	rate  float64
	end   picoseconds // when it ends if no rate changes
	order int64       // among all flows, by begin
	hops  int32
	used  bool  // the slot has a flow
	id    int32 // the caller's number
	// The last searches that met the flow, and that gave it a rate.
	mark, frozen int32
}

const none int32 = -1

// never is the end of a flow without a rate.
const never picoseconds = math.MaxInt64

// New returns an empty network. Capacities are in bytes per picosecond; paths have at most hops
// links.
func New(capacity []float64, hops int) *Network {
	n := &Network{capacity: capacity, stride: max(hops, 1), first: make([]int32, len(capacity)), count: make([]int32, len(capacity))}
	for l := range n.first {
		n.first[l] = none
	}
	n.ends.flows = &n.flows
	n.fill.init(capacity)
	n.group.until = never
	return n
}

// Active returns the number of flows.
func (n *Network) Active() int { return len(n.flows) - len(n.unused) }

// Begin starts a flow of some bytes on a path at a time not before the last change. The number id
// comes back at its end.
func (n *Network) Begin(at picoseconds, path []int32, bytes float64, id int32) {
	n.now = at
	s := n.newSlot()
	n.flows[s] = flow{left: bytes, begin: at, since: at, end: never, order: n.begun, used: true, hops: int32(len(path)), id: id}
	n.ends.at[s] = none
	n.begun++
	alone, crowded, rate := true, false, math.MaxFloat64
	for k, link := range path {
		at := s*int32(n.stride) + int32(k)
		n.path[at], n.before[at], n.next[at] = link, none, n.first[link]
		alone = alone && n.first[link] == none
		if n.first[link] != none {
			n.before[n.first[link]] = at
		}
		n.first[link] = at
		n.count[link]++
		rate = min(rate, n.levelOf(link))
		crowded = crowded || n.count[link] >= crowd
	}
	switch {
	case len(path) == 0:
		n.flows[s].end = at
		n.ends.set(s)
	case alone:
		n.Solved++
		n.give(s, rate)
	case crowded && n.Slack > 0:
		n.group.join(s, at, bytes/rate*n.Slack)
	default:
		n.dirty = append(n.dirty, path[0])
	}
}

// newSlot returns an unused slot.
func (n *Network) newSlot() int32 {
	if last := len(n.unused) - 1; last >= 0 {
		s := n.unused[last]
		n.unused = n.unused[:last]
		return s
	}
	n.flows, n.ends.at = append(n.flows, flow{}), append(n.ends.at, none)
	for range n.stride {
		n.path, n.next, n.before = append(n.path, 0), append(n.next, 0), append(n.before, 0)
	}
	return int32(len(n.flows) - 1)
}

// Next returns the time of the next event: a flow ends, or rates must be computed again. ok is
// false if no flow is under way.
func (n *Network) Next() (at picoseconds, ok bool) {
	if len(n.dirty) > 0 {
		n.solve()
	}
	at = n.group.until
	if len(n.ends.heap) > 0 {
		at = min(at, n.ends.heap[0].at)
	}
	return at, at != never || len(n.ends.heap) > 0
}

// First returns the number of the flow that ends next, begins, or releases its links. There must be
// one, and Next comes first.
func (n *Network) First() int32 {
	if len(n.ends.heap) > 0 {
		return n.flows[n.ends.heap[0].slot].id
	}
	for _, list := range [][]int32{n.group.begun, n.group.over} {
		if len(list) > 0 {
			return n.flows[list[0]].id
		}
	}
	panic("fluid: no flow is under way")
}

// End lets the event happen that Next has returned. It appends the numbers of the flows that end,
// in order of their begin.
func (n *Network) End(ended []int32) []int32 {
	n.now, _ = n.Next()
	if n.group.until == n.now {
		n.regroup()
	}
	if len(n.ends.heap) == 0 || n.ends.heap[0].at != n.now {
		return ended
	}
	for _, e := range n.ends.take() {
		s := e.slot
		ended = append(ended, n.flows[s].id)
		if n.Slack > 0 && n.isCrowded(s) {
			n.group.leave(s, n.now, float64(n.now-n.flows[s].begin)*n.Slack)
			continue
		}
		n.remove(s)
	}
	return ended
}

// remove takes a flow off its links.
func (n *Network) remove(s int32) {
	base := s * int32(n.stride)
	for at := base; at < base+n.flows[s].hops; at++ {
		link, before, next := n.path[at], n.before[at], n.next[at]
		if before == none {
			n.first[link] = next
		} else {
			n.next[before] = next
		}
		if next != none {
			n.before[next] = before
		}
		n.count[link]--
		if n.first[link] != none {
			n.dirty = append(n.dirty, link)
		}
	}
	n.flows[s].used = false
	n.unused = append(n.unused, s)
}

// Rate returns the rate of the flow with a number, in bytes per picosecond, for tests and pictures.
func (n *Network) Rate(id int32) float64 {
	if len(n.dirty) > 0 {
		n.solve()
	}
	for _, e := range n.ends.heap {
		if f := &n.flows[e.slot]; f.id == id {
			return f.rate
		}
	}
	return 0
}

// Capacity returns the capacity of a link.
func (n *Network) Capacity(link int32) float64 { return n.capacity[link] }

// Changed reports whether flows have begun or ended since rates were computed.
func (n *Network) Changed() bool { return len(n.dirty) > 0 }
