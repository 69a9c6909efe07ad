package check

import (
	"weft/fabric"
	"weft/judge/check/internal/search"
	"weft/route"
)

// The ends of a way at a switch that does not forward to another one. All but delivered are faults.
const (
	delivered = -1 - iota
	noEntry
	deadPort
	wrongEnd
	beyondTable
	inLoop
	beingTraced
)

// Unreached is the distance of a switch without a way to the target.
const Unreached = search.Unreached

// Paths are the ways of packets to one LID from every switch, by the tables.
type Paths struct {
	LID    fabric.LID
	Owner  int32 // end port of the LID
	Target int32 // its switch
	// Hops is the distance in the fabric from every switch to the target, or Unreached.
	Hops []uint16
	// Depth is by switch 1 + the number of channels to the target, or negative if packets are not
	// delivered.
	Depth []int32
	// Order lists the switches outside loops, each after its next switch.
	Order []int32
	// Shortest says that every switch has a shortest way.
	Shortest bool
	users

	g      *fabric.Graph
	ports  *portMap
	tables *route.Tables
	at     []hop // by switch
	loops  loops

	depthOf        int32   // target of Depth if it is of shortest ways, otherwise -1
	read           bool    // at holds the ways; otherwise Shortest, and the tables say them
	ordered, stack []int32 // memory of Order and of trace
}

// loops holds the switches of all loops, one loop after another, each switch after its next one.
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
		g: j.Graph, ports: j.ports, tables: j.Plan.Tables, at: make([]hop, n), Depth: make([]int32, n),
		users: newUsers(j), depthOf: -1,
		ordered: make([]int32, 0, n), stack: make([]int32, 0, n), loops: loops{switches: make([]int32, 0, n)},
	}
}

// Out returns the output channel of a switch, -1 if none.
func (p *Paths) Out(s int32) int32 {
	switch {
	case p.read:
		return p.at[s].out
	case s == p.Target:
		return -1
	}
	return p.ports.hops[p.ports.of[s].first+int32(p.tables.Port(s, p.LID))].out
}

// HasEntry reports whether the table of a switch names a port.
func (p *Paths) HasEntry(s int32) bool { return !p.read || p.at[s].next != noEntry }

// Delivers reports whether a switch sends packets to the owner itself.
func (p *Paths) Delivers(s int32) bool {
	if !p.read {
		return s == p.Target
	}
	return p.at[s].next == delivered
}

// shortest sets the paths to a LID that all switches are known to send along shortest ways.
func (p *Paths) shortest(lid fabric.LID, owner int32, d *search.Distances) {
	p.LID, p.Owner, p.Target = lid, owner, p.g.EndSwitch[owner]
	p.loops.switches, p.loops.end = p.loops.switches[:0], p.loops.end[:0]
	p.Hops, p.Order = d.To(p.Target)
	p.Shortest, p.read = true, false
	if p.depthOf == p.Target {
		return
	}
	p.depthOf = p.Target
	for s, hops := range p.Hops {
		p.Depth[s] = int32(hops) + 1
	}
}

// follow finds from every switch the next hop to a LID and the end of the way, from the LID's
// entries by switch.
func (p *Paths) follow(lid fabric.LID, owner int32, entries []uint8, d *search.Distances) {
	p.LID, p.Owner, p.Target = lid, owner, p.g.EndSwitch[owner]
	p.loops.switches, p.loops.end = p.loops.switches[:0], p.loops.end[:0]
	p.read, p.depthOf = true, -1
	var nearest []int32
	p.Hops, nearest = d.To(p.Target)
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

// resolve looks up the device behind the port of every switch's entry. It reports whether all ways
// are shortest, with the depth set here: the target delivers, and every other switch leads to a
// switch one hop nearer.
func (p *Paths) resolve(entries []uint8) bool {
	n := len(entries) // as long as all of these, which spares checks of bounds
	at, depth, of, dist := p.at[:n], p.Depth[:n], p.ports.of[:n], p.Hops[:n]
	hops, other, lid := p.ports.hops, int32(0), p.LID
	for s, port := range entries {
		if i, ok := of[s].slot(port, lid); ok && hops[i].out >= 0 {
			at[s] = hops[i]
			other |= int32(dist[hops[i].next]) + 1 - int32(dist[s])
		} else {
			at[s] = hop{next: p.ports.ending(p.g, int32(s), port, lid, p.Owner), out: -1}
			other |= at[s].next - delivered
		}
		depth[s] = int32(dist[s]) + 1
	}
	return other == 0
}

// ending says how the way ends at a port that leads to no other switch.
func (m *portMap) ending(g *fabric.Graph, s int32, port uint8, lid fabric.LID, owner int32) int32 {
	of := &m.of[s]
	switch i, ok := of.slot(port, lid); {
	case port == route.NoPort:
		return noEntry
	case int32(lid) >= of.lids:
		return beyondTable
	case !ok:
		return deadPort
	case port == 0 && g.PortZero(s) == owner, -2-m.hops[i].next == owner:
		return delivered
	case port == 0 || m.hops[i].next < fabric.Nothing:
		return wrongEnd
	}
	return deadPort
}

// ascend visits the switches from the target outward, and finds the depth of each whose next switch
// it has visited.
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

// trace follows the way from a switch to its end or to a visited switch.
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

// closeLoop moves the switches from x on, which lead back to x, from the stack to the loops.
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
