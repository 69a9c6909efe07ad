package survey

import (
	"weft/mapping"
	"weft/mapping/internal/graph"
)

// Deduction is slower than comparison at switches more than farFromHosts wires from any host, after
// longWithoutMerge visits in a row merged no two switches.
const (
	farFromHosts     = 6
	longWithoutMerge = 64
)

// isFar reports whether to compare a switch with others.
func (e *Explorer) isFar(v int32) bool {
	if e.withoutMerge <= longWithoutMerge {
		return false
	}
	wires, ok := e.Map.DistanceToHost(v)
	return !ok || wires > farFromHosts
}

// compareWithFew compares an unexplored switch with a few others that have more than one wire.
func (e *Explorer) compareWithFew(v *visit) {
	if !e.compared.all[v.vertex] && e.IsUnexplored(v.vertex) && e.isFar(v.vertex) {
		e.compareWith(v, 2*e.Map.Radix, 2)
	}
}

// compareWithAll compares a switch without hosts with all other such switches.
func (e *Explorer) compareWithAll(v *visit) {
	if !e.compared.all[v.vertex] && e.isFar(v.vertex) {
		e.compared.all[v.vertex] = true
		e.compareWith(v, 1<<30, 0)
	}
}

// compareWith compares a switch with up to most ports of other switches without hosts where it may
// be entered, nearest first. The others have at least this many wires.
func (e *Explorer) compareWith(v *visit, most, wires int) {
	m, t := e.Map, e.Tree()
	before := m.At(v.vertex, v.entry).To
	if m.IsHost(before) {
		return
	}
	for w := range m.Around(v.vertex) {
		if most <= 0 || e.isSpent() {
			return
		}
		if w == v.vertex || m.IsHost(w) || m.HasHost(w) || !t.Reaches(w) || e.degree(w) < wires {
			continue
		}
		low, high := m.Window(w)
		for j := low; j <= high && most > 0; j++ {
			if j == t.Entry(w) || !e.mayLead(w, j, before) || !e.mayBeOne(w, v.vertex, j-v.entry) {
				continue
			}
			most--
			// The wire into v is the wire into w at its port j.
			if turn := t.Entry(w) - j; e.isLegal(turn) && e.Compare(v.way, mapping.Turn(turn), t.Turns(w)) {
				m.Merge(w, v.vertex, j-v.entry)
				return
			}
		}
	}
}

// mayLead reports whether port j of w may lead to the switch u: it is not known to lead to a host,
// or to a switch that has other hosts.
func (e *Explorer) mayLead(w int32, j int, u int32) bool {
	m := e.Map
	p := m.At(w, j)
	switch {
	case p.To == graph.None:
		return p.Silent[graph.ForSwitch] == 0
	case m.IsHost(p.To):
		return false
	}
	return p.To == u || !m.HasHost(p.To) || !m.HasHost(u)
}

// proveWire asks whether port i of v is wired to port j of u: down the path to v, over the wire,
// and up the path to u. It adds the wire if it exists.
func (e *Explorer) proveWire(v *visit, i int, u int32, j int) bool {
	t := e.Tree()
	if !t.Reaches(u) || t.Entry(u) == j || !e.isLegal(t.Entry(u)-j) || !e.isLegal(i-v.entry) {
		return false
	}
	if !e.Compare(v.path(v.turn(i)), mapping.Turn(t.Entry(u)-j), t.Turns(u)) {
		return false
	}
	e.Map.Connect(v.vertex, i, u, j)
	return true
}
