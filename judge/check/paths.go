package check

import (
	"weft/fabric"
	"weft/route"
)

// How the way from a switch ends, where it does not go on to another switch. All but
// delivered are faults.
const (
	delivered = -1 - iota
	noEntry
	deadPort
	wrongEnd
	beyondTable
	inLoop
	beingTraced
)

// Paths are the ways of packets to one LID from every switch, as the tables say.
type Paths struct {
	LID    fabric.LID
	Owner  int32 // end port that the LID names
	Target int32 // its switch
	// Hops is the distance in the fabric from every switch to the target, or Unreached.
	Hops []uint16
	// Depth is for every switch 1 + the channels to the target, or negative where packets
	// are not delivered.
	Depth []int32
	// Order lists the switches outside loops, each after the one to which it leads.
	Order []int32
	// Shortest says that every switch has a shortest way.
	Shortest bool
	users

	g     *fabric.Graph
	ports *portMap
	at    []hop // by switch
	loops loops

	ordered, stack []int32 // memory of Order and of trace
}

// loops are the switches of loops, each after the one to which it leads, one loop after
// the other.
type loops struct{ switches, end []int32 }

func (l *loops) of(i int) []int32 {
	start := int32(0)
	if i > 0 {
		start = l.end[i-1]
	}
	return l.switches[start:l.end[i]]
}

func newPaths(j *judge) Paths {
	n := j.Graph.NumSwitches
	return Paths{
		g: j.Graph, ports: j.ports, at: make([]hop, n), Depth: make([]int32, n),
		users:   newUsers(j),
		ordered: make([]int32, 0, n), stack: make([]int32, 0, n), loops: loops{switches: make([]int32, 0, n)},
	}
}

// Out returns the channel by which packets leave a switch, -1 when by none.
func (p *Paths) Out(s int32) int32 { return p.at[s].out }

// HasEntry reports whether the table of a switch names a port.
func (p *Paths) HasEntry(s int32) bool { return p.at[s].next != noEntry }

// Delivers reports whether a switch sends packets to the owner itself.
func (p *Paths) Delivers(s int32) bool { return p.at[s].next == delivered }

// follow finds out how the way to a LID goes on from every switch, and how it ends, by
// the entries of the LID by switch.
func (p *Paths) follow(lid fabric.LID, owner int32, entries []uint8, d *distances) {
	p.LID, p.Owner, p.Target = lid, owner, p.g.EndSwitch[owner]
	p.loops.switches, p.loops.end = p.loops.switches[:0], p.loops.end[:0]
	var nearest []int32
	p.Hops, nearest = d.to(p.Target)
	if p.Shortest = p.resolve(entries); p.Shortest {
		p.Order = nearest
		return
	}
	clear(p.Depth)
	p.Order = p.ordered[:0]
	p.ascend(nearest)
	for s := range int32(len(p.Depth)) {
		if p.Depth[s] == 0 {
			p.trace(s)
		}
	}
}

// resolve looks up what is behind the port of every switch's entry. It reports whether
// the target delivers and every other switch leads to one that is nearer by one: then
// all have a shortest way, of the depth set here.
func (p *Paths) resolve(entries []uint8) bool {
	n := len(entries) // as long as all of these, which spares checks of bounds
	at, depth, of, dist := p.at[:n], p.Depth[:n], p.ports.of[:n], p.Hops[:n]
	hops, other, lid := p.ports.hops, int32(0), p.LID
	for s, port := range entries {
		if i, ok := of[s].slot(port, lid); ok && hops[i].out >= 0 {
			at[s] = hops[i]
			other |= int32(dist[hops[i].next]) + 1 - int32(dist[s])
		} else {
			at[s] = hop{next: p.ending(int32(s), port), out: -1}
			other |= at[s].next - delivered
		}
		depth[s] = int32(dist[s]) + 1
	}
	return other == 0
}

// ending tells how the way ends at a port that leads to no other switch.
func (p *Paths) ending(s int32, port uint8) int32 {
	of := &p.ports.of[s]
	switch i, ok := of.slot(port, p.LID); {
	case port == route.NoPort:
		return noEntry
	case int32(p.LID) >= of.lids:
		return beyondTable
	case !ok:
		return deadPort
	case port == 0 && p.g.PortZero(s) == p.Owner, -2-p.ports.hops[i].next == p.Owner:
		return delivered
	case port == 0 || p.ports.hops[i].next < fabric.Nothing:
		return wrongEnd
	}
	return deadPort
}

// ascend goes through switches, those nearest to the target first, and finds the depth of
// those that lead to one before them.
func (p *Paths) ascend(nearest []int32) {
	for _, s := range nearest {
		h, d := &p.at[s], int32(0)
		if h.next >= 0 {
			d = p.Depth[h.next]
		}
		if d > 0 || h.next == delivered {
			p.Depth[s] = d + 1
			p.Order = append(p.Order, s)
		}
	}
}

// trace follows the way from a switch to its end or to where it has been.
func (p *Paths) trace(s int32) {
	stack := p.stack[:0]
	x := s
	for p.Depth[x] == 0 {
		p.Depth[x] = beingTraced
		stack = append(stack, x)
		if p.at[x].next < 0 {
			break
		}
		x = p.at[x].next
	}
	d := p.Depth[x]
	if d == beingTraced {
		if p.at[x].next < 0 {
			d = p.at[x].next // no delivery: ascend has seen the target
		} else {
			stack = p.closeLoop(stack, x)
			d = inLoop
		}
	}
	for i := len(stack) - 1; i >= 0; i-- {
		if d >= 0 {
			d++
		}
		p.Depth[stack[i]] = d
		p.Order = append(p.Order, stack[i])
	}
	p.stack = stack
}

// closeLoop moves the switches from x on, which lead back to x, from the stack to
// the loops.
func (p *Paths) closeLoop(stack []int32, x int32) []int32 {
	from := len(stack) - 1
	for stack[from] != x {
		from--
	}
	for i := len(stack) - 1; i >= from; i-- {
		p.Depth[stack[i]] = inLoop
		p.loops.switches = append(p.loops.switches, stack[i])
	}
	p.loops.end = append(p.loops.end, int32(len(p.loops.switches)))
	return stack[:from]
}
