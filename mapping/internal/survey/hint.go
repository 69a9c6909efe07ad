package survey

import (
	"weft/mapping"
	"weft/mapping/internal/graph"
)

// hint is an older map, with a guess of the vertex for each of its nodes.
type hint struct {
	old    *mapping.Network
	toHost []int32         // by node: wires to the nearest host
	guess  map[int32]guess // by vertex
	vertex map[int32]int32 // by node
	sure   map[int32]bool  // nodes where a host was found as expected
}

// guess says that port i of a vertex is port i+shift of a node.
type guess struct {
	node  int32
	shift int
}

// newHint returns an older map as a hint, with a guess for the switch v of a host.
func newHint(old *mapping.Network, self mapping.Host, m *graph.Graph, v int32) *hint {
	h := &hint{old: old, guess: map[int32]guess{}, vertex: map[int32]int32{}, sure: map[int32]bool{}}
	var all []int32
	for v := range int32(old.NumHosts()) {
		all = append(all, v)
	}
	h.toHost = old.Distances(all...)
	if at, ok := h.portOf(self.ID); ok {
		h.set(m, v, 0, at)
	}
	return h
}

// portOf returns a host's port in the old map.
func (h *hint) portOf(id uint64) (mapping.End, bool) {
	v := h.old.HostByID(id)
	if v < 0 {
		return mapping.End{}, false
	}
	return h.old.Peer(mapping.End{Node: v})
}

// set guesses that port i of a vertex is a wire-end of the old map.
func (h *hint) set(m *graph.Graph, v int32, i int, at mapping.End) {
	root, shift := m.Find(v)
	h.guess[root] = guess{at.Node, int(at.Port) - (i + shift)}
	h.vertex[at.Node] = root
}

// setIfFree is set, unless the node is already guessed for another vertex.
func (h *hint) setIfFree(m *graph.Graph, v int32, i int, at mapping.End) {
	if _, taken := h.vertex[at.Node]; !taken {
		h.set(m, v, i, at)
	}
}

// knows reports whether there is a guess for a vertex.
func (h *hint) knows(m *graph.Graph, v int32) bool {
	root, _ := m.Find(v)
	_, ok := h.guess[root]
	return ok
}

// behind returns the wire-end behind a port of a vertex in the old map.
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

// addSwitch guesses the node of a new switch u behind a port.
func (h *hint) addSwitch(m *graph.Graph, v int32, i int, u int32) {
	if at, ok := h.behind(v, i); ok && !h.old.IsHost(at.Node) {
		h.setIfFree(m, u, 0, at)
	}
}

// addHost learns from a host behind a port: the switch is probably the host's old one, unless other
// hosts, found as expected, contradict.
func (h *hint) addHost(m *graph.Graph, v int32, i int, host mapping.Host) {
	at, ok := h.portOf(host.ID)
	if !ok {
		return
	}
	root, shift := m.Find(v)
	g, guessed := h.guess[root]
	if guessed && g.node == at.Node && g.shift+i+shift == int(at.Port) {
		h.sure[at.Node] = true
		return
	}
	if (!guessed || !h.sure[g.node]) && !h.sure[at.Node] {
		h.set(m, v, i, at)
	}
}

// probeHinted probes for the wire that the old map has behind a port, and reports whether it
// exists. If not, kind is the likely kind of node; ok is false if the old map has nothing there.
func (e *Explorer) probeHinted(v *visit, i int) (found bool, kind graph.Kind, ok bool) {
	h := e.hint
	at, ok := h.behind(v.vertex, i)
	if !ok {
		return false, 0, false
	}
	if h.old.IsHost(at.Node) {
		return false, graph.ForHost, true
	}
	if u, known := h.vertex[at.Node]; known {
		root, _ := e.Map.Find(u)
		if g, ok := h.guess[root]; ok && g.node == at.Node && e.Map.IsRoot(root) {
			j := int(at.Port) - g.shift
			found = e.Map.At(root, j).To == graph.None && e.proveWire(v, i, root, j)
		}
	} else {
		found = e.probeThrough(v, i, at)
	}
	return found, graph.ForSwitch, true
}

// probeThrough sends a host-probe through a switch that is not on the map yet, to the nearest host
// behind it: its answer proves all wires on the path.
func (e *Explorer) probeThrough(v *visit, i int, at mapping.End) bool {
	h := e.hint
	turns := []mapping.Turn{v.turn(i)}
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
	reply, ok := e.Host(v.path(turns...)...)
	if !ok {
		return false
	}
	added, last, port := e.addPath(v.vertex, i, turns[1:])
	for k, u := range added {
		h.setIfFree(e.Map, u, 0, ends[k])
	}
	e.addHost(last, port, reply.Host)
	return true
}

// toward returns the port of a switch nearest to a host, other than its entry port.
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
