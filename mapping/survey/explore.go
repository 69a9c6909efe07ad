package survey

import (
	"context"
	"time"

	"weft/mapping"
	"weft/mapping/algorithm"
	"weft/mapping/partial"
)

// Explorer is a host that adds to a partial map.
type Explorer struct {
	Map     *partial.Map
	Probes  algorithm.Probes
	Elapsed time.Duration // modelled
	// Enough, if set, ends the visit of a switch when it says so of a host there.
	Enough func(mapping.Host) bool
	// Sounds is what led to hosts so far.
	Sounds *algorithm.Soundings

	ctx    context.Context
	prober mapping.Prober
	self   mapping.Host
	vertex int32 // of the host itself
	limit  int
	left   bool // the visit is ended
	// stalled counts visits since two switches turned out to be one.
	stalled int
	doubt   *doubt
	hint    *hint // nil for none

	tree    *partial.Tree
	treeAt  int
	last    partial.Kind // what the last answer found
	buf     []mapping.Turn
	pairs   map[pair]int
	strange map[int32]bool // vertices compared with the others
}

// NewExplorer makes a host one that adds to a map; the host may be new on it. When the
// context ends it sends no more probes, and what it did not ask is not noted as silence.
func NewExplorer(ctx context.Context, m *partial.Map, p mapping.Prober, self mapping.Host) *Explorer {
	e := &Explorer{
		Map: m, Sounds: &algorithm.Soundings{}, ctx: ctx, prober: p, self: self, last: partial.ForSwitch,
		treeAt: -1, doubt: newDoubt(0, 0), pairs: map[pair]int{}, strange: map[int32]bool{},
	}
	e.vertex = m.Host(self)
	if e.root() < 0 {
		m.Wire(e.vertex, 0, m.Switch(), 0)
	}
	return e
}

// root is the switch that the host is wired to, -1 when that is not on the map.
func (e *Explorer) root() int32 { return e.Map.At(e.vertex, 0).To }

// spent says that the probes ran out, or that nobody waits for the map any longer.
func (e *Explorer) spent() bool {
	return e.limit > 0 && e.Probes.Total().Sent >= e.limit || e.ctx.Err() != nil
}

// Tree is the ways on the map from the host.
func (e *Explorer) Tree() *partial.Tree {
	if e.treeAt != e.Map.Version() {
		e.tree, e.treeAt = e.Map.Tree(e.vertex), e.Map.Version()
	}
	return e.tree
}

func (e *Explorer) send(t *algorithm.Tally) mapping.Reply {
	if e.ctx.Err() != nil {
		return mapping.Reply{}
	}
	reply, took := e.prober.Probe(e.buf)
	if e.ctx.Err() != nil {
		return mapping.Reply{} // it was not sent
	}
	e.Elapsed += took
	t.Sent++
	if reply.Answered {
		t.Answered++
	}
	return reply
}

func (e *Explorer) back(way []mapping.Turn) {
	for i := len(way) - 1; i >= 0; i-- {
		e.buf = append(e.buf, -way[i])
	}
}

// own says that the host got its own message back.
func (e *Explorer) own(r mapping.Reply) bool {
	return r.Answered && !r.Early && r.Host.ID == e.self.ID
}

// Visit probes the ports of a switch that are in doubt, outwards from the one that the
// way comes in by; after a silent one it is the other side's turn. The visit ends when
// the switch turns out to be another one on the map.
func (e *Explorer) Visit(v int32) {
	m, t := e.Map, e.Tree()
	way := t.Turns(v)
	entry := t.Entry(v)
	e.left = false
	merges := m.Merges()
	m.Testing(v, t.Way(v))
	e.doubt.control(e, v, way)
	if (e.hint == nil || !e.hint.knows(m, v)) && e.Unknown(v) && !e.Sound(v) {
		e.identify(v, way, entry)
	}
	side := -1
	tried := map[int]bool{}
	for m.Root(v) && !e.left && !e.spent() && m.Err() == nil {
		i, ok := e.next(v, entry, side, tried)
		if !ok {
			side = -side
			if i, ok = e.next(v, entry, side, tried); !ok {
				break
			}
		}
		tried[i] = true
		if !e.port(v, way, entry, i) {
			side = -side
		}
	}
	if m.Root(v) && !e.left && !m.HasHost(v) && (e.hint == nil || !e.hint.knows(m, v)) {
		e.compareAll(v, way, entry)
	}
	if e.stalled++; m.Merges() > merges {
		e.stalled = 0
	}
}

// next is the nearest port in doubt on one side of the entry that was not tried yet.
func (e *Explorer) next(v int32, entry, side int, tried map[int]bool) (int, bool) {
	low, high := e.Map.Window(v)
	for i := entry + side; low <= i && i <= high; i += side {
		if !tried[i] && e.doubtful(v, i) {
			return i, true
		}
	}
	return 0, false
}

// port probes a port once for a host and once for a switch, the likely one first. It
// says whether anything answered.
func (e *Explorer) port(v int32, way []mapping.Turn, entry, i int) bool {
	likely := e.last
	if e.hint != nil {
		switch found, kind := e.hinted(v, way, entry, i); {
		case found:
			return true
		case kind != 0:
			likely = kind - 1
		}
	}
	if e.Map.At(v, i).To != partial.Open {
		return true
	}
	for _, kind := range [2]partial.Kind{likely, partial.ForHost + partial.ForSwitch - likely} {
		if !e.wants(v, i, kind) {
			continue
		}
		if e.ask(v, way, entry, i, kind) {
			return true
		}
		if e.ctx.Err() != nil {
			return false // it was not asked
		}
		e.Map.Unanswered(v, i, kind)
	}
	return false
}

// ask probes a port for a host or a switch, and notes what answers.
func (e *Explorer) ask(v int32, way []mapping.Turn, entry, i int, kind partial.Kind) bool {
	turn := mapping.Turn(i - entry)
	e.buf = append(append(e.buf[:0], way...), turn)
	if kind == partial.ForHost {
		reply := e.send(&e.Probes.Host)
		if !reply.Answered || reply.Early {
			return false
		}
		e.learn(e.buf)
		e.doubt.answered(v, e.Map.At(v, i).Silent[kind])
		e.found(v, i, reply.Host)
		return true
	}
	e.buf = append(append(e.buf, 0), -turn)
	e.back(way)
	reply := e.send(&e.Probes.Switch)
	switch {
	case reply.Answered && reply.Early:
		// All wires before are proven: it is behind this port.
		e.learn(e.buf[:len(way)+1])
		e.doubt.answered(v, e.Map.At(v, i).Silent[partial.ForHost])
		e.found(v, i, reply.Host)
		return true
	case !e.own(reply):
		return false
	}
	e.doubt.answered(v, e.Map.At(v, i).Silent[kind])
	e.last = partial.ForSwitch
	u := e.Map.Switch()
	if e.hint != nil {
		e.hint.follow(e.Map, v, i, u)
	}
	e.Map.Wire(v, i, u, 0)
	return true
}

func (e *Explorer) found(v int32, i int, h mapping.Host) {
	e.last = partial.ForHost
	e.Map.Wire(v, i, e.Map.Host(h), 0)
	e.left = e.Enough != nil && e.Enough(h)
	if e.hint != nil {
		e.hint.met(e.Map, v, i, h)
	}
}

// through notes the switches that an answered probe went through behind port i of a
// switch. It returns them, and the port of the last by which it left that.
func (e *Explorer) through(v int32, i int, turns []mapping.Turn) (fresh []int32, last int32, port int) {
	for _, turn := range turns {
		u := e.Map.Switch()
		e.Map.Wire(v, i, u, 0)
		fresh = append(fresh, u)
		v, i = u, int(turn)
	}
	return fresh, v, i
}

// compare asks whether port i of v is wired to port j of u: down the way to v, over the
// wire, and up the way to u.
func (e *Explorer) compare(v int32, way []mapping.Turn, entry, i int, u int32, j int) bool {
	t := e.Tree()
	if !t.Reaches(u) || t.Entry(u) == j || !e.legal(t.Entry(u)-j) || !e.legal(i-entry) {
		return false
	}
	e.buf = append(append(e.buf[:0], way...), mapping.Turn(i-entry), mapping.Turn(t.Entry(u)-j))
	e.back(t.Turns(u))
	if !e.own(e.send(&e.Probes.Compare)) {
		return false
	}
	e.Map.Wire(v, i, u, j)
	return true
}

func (e *Explorer) legal(turn int) bool { return turn > -e.Map.Radix && turn < e.Map.Radix }

// identify compares a switch of which nothing is known but its entry with a few others,
// nearest first.
func (e *Explorer) identify(v int32, way []mapping.Turn, entry int) {
	if e.strange[v] || e.degree(v) > 1 || !e.slow(v) {
		return
	}
	e.candidates(v, way, entry, 2*e.Map.Radix, true)
}

// compareAll compares a switch that no host is wired to with all others of that kind.
func (e *Explorer) compareAll(v int32, way []mapping.Turn, entry int) {
	if !e.strange[v] && e.slow(v) {
		e.strange[v] = true
		e.candidates(v, way, entry, 1<<30, false)
	}
}

func (e *Explorer) degree(v int32) (n int) {
	low, high := e.Map.Window(v)
	for i := low; i <= high; i++ {
		if e.Map.At(v, i).To != partial.Open {
			n++
		}
	}
	return n
}

// Deduction is slower than comparison where no host is within so many wires, and when so
// many visits made no two switches one.
const (
	distant  = 6
	patience = 64
)

// slow says whether a switch is to be compared with others.
func (e *Explorer) slow(v int32) bool {
	if e.stalled <= patience {
		return false
	}
	wires, ok := e.Map.ToHost(v)
	return !ok || wires > distant
}

// candidates compares v with up to most ports of other switches without hosts by which
// it may be entered, nearest first.
func (e *Explorer) candidates(v int32, way []mapping.Turn, entry, most int, first bool) {
	m, t := e.Map, e.Tree()
	before := m.At(v, entry)
	if m.IsHost(before.To) {
		return
	}
	for w := range m.Around(v) {
		if most <= 0 || e.spent() {
			return
		}
		if w == v || m.IsHost(w) || m.HasHost(w) || !t.Reaches(w) || first && e.degree(w) < 2 {
			continue
		}
		low, high := m.Window(w)
		for j := low; j <= high && most > 0; j++ {
			if j == t.Entry(w) || !e.mayLead(w, j, before.To) || !e.fits(w, v, j-entry) {
				continue
			}
			most--
			turn := t.Entry(w) - j
			if !e.legal(turn) {
				continue
			}
			// The wire into v is the one into w by its port j.
			e.buf = append(append(e.buf[:0], way...), mapping.Turn(turn))
			e.back(t.Turns(w))
			if e.own(e.send(&e.Probes.Compare)) {
				m.Same(w, v, j-entry)
				return
			}
		}
	}
}

// mayLead says whether port j of w may lead to the switch u: it is not known to lead
// to a host, or to a switch that is another one for its hosts.
func (e *Explorer) mayLead(w int32, j int, u int32) bool {
	m := e.Map
	p := m.At(w, j)
	switch {
	case p.To == partial.Open:
		return p.Silent[partial.ForSwitch] == 0
	case m.IsHost(p.To):
		return false
	}
	return p.To == u || !m.HasHost(p.To) || !m.HasHost(u)
}
