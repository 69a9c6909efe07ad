package survey

import (
	"weft/mapping"
	"weft/mapping/partial"
)

// hint is an older map, and which of its nodes the vertices are thought to be.
type hint struct {
	old    *mapping.Network
	hosts  map[uint64]int32 // by address
	toHost []int32          // by node: wires to the nearest host
	guess  map[int32]guess  // by vertex
	vertex map[int32]int32  // of a node
	sure   map[int32]bool   // nodes that a host was found at as expected
}

// guess says that port i of a vertex is port i+shift of a node.
type guess struct {
	node  int32
	shift int
}

func newHint(old *mapping.Network) *hint {
	h := &hint{old: old, hosts: map[uint64]int32{}, guess: map[int32]guess{}, vertex: map[int32]int32{}, sure: map[int32]bool{}}
	var all []int32
	for v, host := range old.Hosts {
		h.hosts[host.ID] = int32(v)
		all = append(all, int32(v))
	}
	h.toHost = old.Distances(all...)
	return h
}

// start guesses the switch of the host that maps.
func (h *hint) start(self mapping.Host, m *partial.Map, v int32) {
	if at, ok := h.attached(self.ID); ok {
		h.set(m, v, 0, at)
	}
}

func (h *hint) attached(id uint64) (mapping.End, bool) {
	v, known := h.hosts[id]
	if !known {
		return mapping.End{}, false
	}
	return h.old.Peer(mapping.End{Node: v})
}

// set guesses that port i of a vertex is a wire-end of the old map.
func (h *hint) set(m *partial.Map, v int32, i int, at mapping.End) {
	root, shift := m.Find(v)
	h.guess[root] = guess{at.Node, int(at.Port) - (i + shift)}
	h.vertex[at.Node] = root
}

// knows says whether there is a guess for a vertex.
func (h *hint) knows(m *partial.Map, v int32) bool {
	root, _ := m.Find(v)
	_, ok := h.guess[root]
	return ok
}

// behind is what the old map has behind a port of a vertex.
func (h *hint) behind(v int32, i int) (mapping.End, bool) {
	g, ok := h.guess[v]
	if !ok {
		return mapping.End{}, false
	}
	p := int32(i + g.shift)
	if p < 0 || p >= h.old.Ports(g.node) {
		return mapping.End{}, false
	}
	return h.old.Peer(mapping.End{Node: g.node, Port: p})
}

// follow guesses what a new switch behind a port is.
func (h *hint) follow(m *partial.Map, v int32, i int, u int32) {
	at, ok := h.behind(v, i)
	if !ok || h.old.IsHost(at.Node) {
		return
	}
	if _, taken := h.vertex[at.Node]; !taken {
		h.set(m, u, 0, at)
	}
}

// met learns from a host: the switch that it was wired to is the one that it is wired
// to, unless hosts that stayed say otherwise.
func (h *hint) met(m *partial.Map, v int32, i int, host mapping.Host) {
	at, ok := h.attached(host.ID)
	if !ok {
		return
	}
	root, shift := m.Find(v)
	g, guessed := h.guess[root]
	if guessed && g.node == at.Node && g.shift+i+shift == int(at.Port) {
		h.sure[at.Node] = true
		return
	}
	if !guessed || !h.sure[g.node] {
		if !h.sure[at.Node] {
			h.set(m, v, i, at)
		}
	}
}

// hinted tries what the old map says of a port. It says whether that was right, and
// else, plus one, what may be there all the same.
func (e *Explorer) hinted(v int32, way []mapping.Turn, entry, i int) (bool, partial.Kind) {
	h := e.hint
	at, ok := h.behind(v, i)
	if !ok {
		return false, 0
	}
	if h.old.IsHost(at.Node) {
		return false, partial.ForHost + 1
	}
	if u, known := h.vertex[at.Node]; known {
		root, _ := e.Map.Find(u)
		if g, ok := h.guess[root]; ok && g.node == at.Node && e.Map.Root(root) {
			j := int(at.Port) - g.shift
			if e.Map.At(root, j).To == partial.Open && e.compare(v, way, entry, i, root, j) {
				return true, 0
			}
		}
		return false, partial.ForSwitch + 1
	}
	if e.leap(v, way, entry, i, at) {
		return true, 0
	}
	return false, partial.ForSwitch + 1
}

// leap sends a host-probe through a switch that is not on the map yet, to the nearest
// host behind it: its answer proves all wires on the way.
func (e *Explorer) leap(v int32, way []mapping.Turn, entry, i int, at mapping.End) bool {
	h := e.hint
	turns := []mapping.Turn{mapping.Turn(i - entry)}
	ends := []mapping.End{at}
	for !h.old.IsHost(at.Node) {
		out, ok := h.toward(at)
		if !ok || len(turns) > h.old.NumSwitches() {
			return false
		}
		turns = append(turns, mapping.Turn(out.Port-at.Port))
		at, _ = h.old.Peer(out)
		ends = append(ends, at)
	}
	e.buf = append(append(e.buf[:0], way...), turns...)
	reply := e.send(&e.Probes.Host)
	if !reply.Answered || reply.Early {
		return false
	}
	fresh, last, port := e.through(v, i, turns[1:])
	for k, u := range fresh {
		if _, taken := h.vertex[ends[k].Node]; !taken {
			h.set(e.Map, u, 0, ends[k])
		}
	}
	e.found(last, port, reply.Host)
	return true
}

// toward is the port of a switch that is nearest to a host, but for the one by which
// it is entered.
func (h *hint) toward(in mapping.End) (mapping.End, bool) {
	best, found := mapping.End{}, false
	least := int32(1 << 30)
	for p := range h.old.Ports(in.Node) {
		far, ok := h.old.Peer(mapping.End{Node: in.Node, Port: p})
		if !ok || p == in.Port || h.toHost[far.Node] < 0 || h.toHost[far.Node] >= least {
			continue
		}
		least, best, found = h.toHost[far.Node], mapping.End{Node: in.Node, Port: p}, true
	}
	return best, found
}
