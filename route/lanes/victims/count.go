package victims

import (
	"context"
	"math/bits"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// group is a set of hosts of one switch whose packets take the same lanes.
type group struct {
	at    int32
	class int32 // of the SLs
	hosts []int32
}

// Paths are the paths of a Plan between hosts, to their base LIDs.
type Paths struct {
	g      *fabric.Graph
	plan   *route.Plan
	base   []fabric.LID // by end port; 0 for those that are not counted
	groups []group
	member []int32 // by end port: its group
	hosts  int
}

// NewPaths returns the paths of a Plan. Its SLs may change between counts, except for the classes
// of sources. SLs count as lanes.
func NewPaths(g *fabric.Graph, p *route.Plan) *Paths {
	x := &Paths{g: g, plan: p, base: make([]fabric.LID, g.NumHosts), member: make([]int32, g.NumHosts)}
	for s := range int32(g.NumSwitches) {
		first := len(x.groups)
		for _, h := range g.HostsOf(s) {
			if p.Ends.Base[h] == 0 {
				continue
			}
			class, i := p.SL.Src[h], first
			for i < len(x.groups) && x.groups[i].class != class {
				i++
			}
			if i == len(x.groups) {
				x.groups = append(x.groups, group{at: s, class: class})
			}
			x.base[h], x.member[h] = p.Ends.Base[h], int32(i)
			x.groups[i].hosts = append(x.groups[i].hosts, h)
			x.hosts++
		}
	}
	return x
}

// lane returns the lane of packets from a group to a host.
func (x *Paths) lane(group int, host int32) uint8 {
	return x.plan.SL.ByClass(x.groups[group].class, x.plan.SL.Dst[x.base[host]])
}

// Least returns a bound: no assignment of so many lanes leaves all hosts together, each as the only
// hot-spot, fewer victims, if all hosts reach each other.
func (x *Paths) Least(lanes int) int64 {
	n, l := int64(x.hosts), int64(lanes)
	each, rest := (n-1)/l, (n-1)%l
	return n * (rest*(each+1)*each + (l-rest)*each*(each-1))
}

// Percent returns a number of victims of all hosts, each as the only hot-spot, as a share of the
// flows to the other hosts.
func (x *Paths) Percent(victims int64) float64 {
	n := float64(x.hosts)
	return 100 * float64(victims) / max(1, n*(n-1)*(n-1))
}

// Effort estimates the steps of a count.
func (x *Paths) Effort() int {
	return 1 + len(x.groups)*x.hosts + x.g.NumChannels*x.hosts/8
}

// Count returns the number of victims of all hosts, each as the only hot-spot, on so many lanes.
func (x *Paths) Count(ctx context.Context, workers, lanes int) (int64, error) {
	by, err := x.CountBy(ctx, workers, lanes)
	total := int64(0)
	for _, n := range by {
		total += n
	}
	return total, err
}

// CountBy returns the number of victims of each host as the only hot-spot.
func (x *Paths) CountBy(ctx context.Context, workers, lanes int) ([]int64, error) {
	of := make([][]int64, lanes)
	err := par.For(ctx, workers, lanes, func(_, l int) error {
		of[l] = x.countLane(uint8(l))
		return nil
	})
	by := make([]int64, len(x.base))
	for _, counts := range of {
		for h, n := range counts {
			by[h] += n
		}
	}
	return by, err
}

// countLane returns the number of victims of each host on one lane.
func (x *Paths) countLane(l uint8) []int64 {
	q := newQueues(x, l)
	for h := range x.base {
		q.follow(int32(h))
	}
	q.fill()
	counts := make([]int64, len(x.base))
	for i := range x.groups {
		q.countFrom(i, counts)
	}
	return counts
}

// ports is a set of ports of a switch.
type ports [4]uint64

func (s *ports) add(p uint8) { s[p>>6] |= 1 << (p & 63) }

// queues holds, for one lane, where the packets of each channel's queue go, and the hot-spots that
// fill it.
type queues struct {
	*Paths
	on    uint8 // the lane
	words int
	first []ports  // by group: the first ports of its packets
	next  []ports  // by channel: the next ports of its packets
	fills []uint64 // by channel: the set of hosts that fill its queue as a hot-spot
	seen  []int32  // by channel: the last host with a path over it
}

func newQueues(x *Paths, l uint8) *queues {
	n := x.g.NumChannels
	q := &queues{Paths: x, on: l, words: (len(x.base) + 63) / 64, first: make([]ports, len(x.groups)), next: make([]ports, n), seen: make([]int32, n)}
	q.fills = make([]uint64, n*q.words)
	for c := range q.seen {
		q.seen[c] = -1
	}
	return q
}

func (q *queues) of(c int32) []uint64 { return q.fills[int(c)*q.words:][:q.words] }

// follow follows the packets to a host from all groups.
func (q *queues) follow(host int32) {
	lid, end := q.base[host], q.g.EndSwitch[host]
	if lid == 0 {
		return
	}
	for i := range q.groups {
		s := q.groups[i].at
		if s == end || q.lane(i, host) != q.on {
			continue
		}
		from := &q.first[i]
		for {
			p := q.plan.Tables.Port(s, lid)
			c, _ := q.g.At(s, p)
			if c < 0 {
				break
			}
			from.add(p)
			if q.seen[c] == host {
				break
			}
			q.seen[c] = host
			if s = q.g.To[c]; s == end {
				q.of(c)[host>>6] |= 1 << (host & 63)
				break
			}
			from = &q.next[c]
		}
	}
}

// fill spreads the hot-spots of each queue to the queues before it, the last queues first. If
// queues wait for each other in a cycle, it repeats until nothing changes.
func (q *queues) fill() {
	order, cyclic := q.lastFirst()
	for changed := true; changed; {
		changed = false
		for _, c := range order {
			before := q.of(c)
			q.eachNext(c, func(next int32) {
				for w, set := range q.of(next) {
					changed = changed || set&^before[w] != 0
					before[w] |= set
				}
			})
		}
		changed = changed && cyclic
	}
}

// eachNext calls f for the next channels of the packets in a queue.
func (q *queues) eachNext(c int32, f func(next int32)) { q.each(q.g.To[c], &q.next[c], f) }

// each calls f for the channels that leave a switch by some ports.
func (q *queues) each(s int32, through *ports, f func(c int32)) {
	for w, set := range through {
		for ; set != 0; set &= set - 1 {
			if c, _ := q.g.At(s, uint8(w<<6+bits.TrailingZeros64(set))); c >= 0 {
				f(c)
			}
		}
	}
}

// lastFirst orders the channels so that the next ones come first, and reports whether a cycle
// forbids it.
func (q *queues) lastFirst() (order []int32, cyclic bool) {
	const unseen, open, done = 0, 1, 2
	state := make([]uint8, q.g.NumChannels)
	var visit func(c int32)
	visit = func(c int32) {
		state[c] = open
		q.eachNext(c, func(next int32) {
			switch state[next] {
			case unseen:
				visit(next)
			case open:
				cyclic = true
			}
		})
		state[c], order = done, append(order, c)
	}
	for c := range state {
		if state[c] == unseen && q.seen[c] >= 0 {
			visit(int32(c))
		}
	}
	return order, cyclic
}

// countFrom adds the victims among the packets of a group. All packets that a host has on the lane
// wait if one of them is for the hot-spot, or for a full queue.
func (q *queues) countFrom(i int, counts []int64) {
	group := &q.groups[i]
	filled := make([]uint64, q.words) // hot-spots that fill a first channel of these packets
	q.each(group.at, &q.first[i], func(c int32) {
		for w, set := range q.of(c) {
			filled[w] |= set
		}
	})
	size := int64(len(group.hosts))
	inside, all := int64(0), int64(0) // targets of the lane: in the group, and all
	for h := range q.base {
		if q.base[h] != 0 && q.lane(i, int32(h)) == q.on {
			all++
		}
	}
	for _, h := range group.hosts {
		if q.lane(i, h) == q.on {
			inside++
		}
	}
	for h := range counts {
		hot := int32(h)
		if q.base[h] == 0 {
			continue
		}
		direct := q.lane(i, hot) == q.on
		isMember := q.member[h] == int32(i)
		full := filled[h>>6]>>(h&63)&1 == 1
		switch {
		case full: // of each host all packets wait, except those to itself, which do not exist
			counts[h] += size*all - inside
			if direct && isMember {
				counts[h] -= size - 1
			} else if direct {
				counts[h] -= size
			}
		case !direct || q.g.EndSwitch[h] != group.at:
		case isMember: // the hot-spot itself sends freely
			counts[h] += (size-1)*(all-1) - (inside - 1)
		default:
			counts[h] += size*(all-1) - inside
		}
	}
}
