package survey

import (
	"slices"

	"weft/mapping"
	"weft/mapping/internal/graph"
)

// visit is a switch being visited, and the path to it.
type visit struct {
	vertex int32
	way    []mapping.Turn
	entry  int // input port of the path
}

// path returns the path plus more turns.
func (v *visit) path(turns ...mapping.Turn) []mapping.Turn { return slices.Concat(v.way, turns) }

// turn returns the turn that leads to port i.
func (v *visit) turn(i int) mapping.Turn { return mapping.Turn(i - v.entry) }

// Visit probes the ports of a switch that are in doubt, outwards from the entry port; after a
// silent one it continues on the other side. The visit ends if the switch turns out to be another
// one on the map.
func (e *Explorer) Visit(vertex int32) {
	m, t := e.Map, e.Tree()
	v := &visit{vertex, t.Turns(vertex), t.Entry(vertex)}
	e.visitEnded = false
	merges := m.Merges()
	m.AddWay(vertex, t.Way(vertex))
	if !e.sendControl(vertex, v.way) || !m.IsRoot(vertex) {
		return
	}
	isHinted := e.hint != nil && e.hint.knows(m, vertex)
	if !isHinted && e.IsUnexplored(vertex) && !e.Sound(vertex) {
		e.compareWithFew(v)
	}
	e.visitPorts(v)
	isHinted = e.hint != nil && e.hint.knows(m, vertex)
	if m.IsRoot(vertex) && !e.visitEnded && !m.HasHost(vertex) && !isHinted {
		e.compareWithAll(v)
	}
	if e.withoutMerge++; m.Merges() > merges {
		e.withoutMerge = 0
	}
}

// visitPorts probes each port in doubt once.
func (e *Explorer) visitPorts(v *visit) {
	tried := map[int]bool{}
	wanted := func(i int) bool { return !tried[i] && e.isDoubtful(v.vertex, i) }
	side := -1
	for e.Map.IsRoot(v.vertex) && !e.visitEnded && !e.isSpent() && e.Map.Err() == nil {
		i, ok := e.Map.Next(v.vertex, v.entry, side, wanted)
		if !ok {
			side = -side
			if i, ok = e.Map.Next(v.vertex, v.entry, side, wanted); !ok {
				return
			}
		}
		tried[i] = true
		if !e.visitPort(v, i) {
			side = -side
		}
	}
}

// visitPort probes a port once for a host and once for a switch, the likely one first. It reports
// whether anything answered.
func (e *Explorer) visitPort(v *visit, i int) bool {
	likely := e.lastKind
	if e.hint != nil {
		found, kind, ok := e.probeHinted(v, i)
		if found {
			return true
		}
		if ok {
			likely = kind
		}
	}
	if e.Map.At(v.vertex, i).To != graph.None {
		return true
	}
	for _, kind := range [2]graph.Kind{likely, likely.Other()} {
		if e.hasSilenceEnough(v.vertex, i, kind) {
			continue
		}
		if kind == graph.ForHost && e.probeHost(v, i) || kind == graph.ForSwitch && e.probeSwitch(v, i) {
			return true
		}
		if e.Ended() {
			return false // it was not sent
		}
		e.Map.AddSilence(v.vertex, i, kind)
	}
	return false
}

// probeHost asks for a host behind a port, and adds it.
func (e *Explorer) probeHost(v *visit, i int) bool {
	path := v.path(v.turn(i))
	reply, ok := e.Host(path...)
	if ok {
		e.foundHost(v, i, path, reply.Host)
	}
	return ok
}

// foundHost adds the host at the end of a path, and notes the probe that found it.
func (e *Explorer) foundHost(v *visit, i int, path []mapping.Turn, h mapping.Host) {
	e.addSoundings(path)
	e.evidence.addAnswer(v.vertex, e.Map.At(v.vertex, i).Silent[graph.ForHost])
	e.addHost(v.vertex, i, h)
}

// probeSwitch asks for a switch behind a port, and adds it. A host that answers early is behind
// this port too: all wires before it are proven.
func (e *Explorer) probeSwitch(v *visit, i int) bool {
	path := v.path(v.turn(i))
	reply := e.Switch(path...)
	if reply.Early {
		e.foundHost(v, i, path, reply.Host)
		return true
	}
	if !e.IsOwn(reply) {
		return false
	}
	e.evidence.addAnswer(v.vertex, e.Map.At(v.vertex, i).Silent[graph.ForSwitch])
	e.lastKind = graph.ForSwitch
	u := e.Map.AddSwitch(0)
	if e.hint != nil {
		e.hint.addSwitch(e.Map, v.vertex, i, u)
	}
	e.Map.Connect(v.vertex, i, u, 0)
	e.identify(u, 0, reply.Switch)
	root, _ := e.Map.Find(u)
	_, known := e.evidence.way[root]
	now := slices.Equal(path, e.Tree().Turns(root))
	if !known || now {
		e.evidence.way[root] = path
	}
	if now {
		delete(e.evidence.unheard, root)
	}
	return true
}
