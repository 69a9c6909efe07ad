package algorithm

import (
	"slices"

	"weft/mapping"
)

// graph is the model graph: vertices found by probe strings, merged when a deduction
// shows them to be one node. A vertex numbers its ports relative to the one that its
// probe string entered by, which is port 0; a merged vertex keeps the numbering of the
// one that it was merged into (mapping.Replicates).
type graph struct {
	radix int

	mapping.Replicates

	// By vertex, merged or not.
	parent []int32  // the vertex that it was found from, as it was then
	turn   []Turn   // and the turn that led to it
	length []int16  // of its probe string
	ports  [][]port // nil once merged
	host   []int32  // index in hosts, -1 for a switch
	done   []bool   // explored

	hosts  []mapping.Host
	vertex map[uint64]int32 // of a host, by address

	// Vertices merged into one that brought silent ports along: these were probed by
	// their strings.
	heard map[int32][]int32

	work  []equal
	spare [][]port

	live, filled int // vertices not merged; ports that lead somewhere
	peak         int
}

// port is what a vertex knows of one of its ports.
type port struct {
	to int32 // a vertex, or one of the two below
	at int16 // port of that vertex, in its own numbering
}

const (
	unknown int32 = -1
	silent  int32 = -2 // probed, and nothing answered
)

// equal says that port i of b is port i+shift of a.
type equal struct {
	a, b  int32
	shift int
}

// newGraph has the mapper, vertex 0, and the switch that it is attached to, vertex 1.
func newGraph(self mapping.Host, radix int) *graph {
	g := &graph{radix: radix, vertex: map[uint64]int32{}, heard: map[int32][]int32{}}
	g.addHost(self)
	s := g.add(0, 0, 0)
	g.connect(0, 0, s, 0)
	return g
}

func (g *graph) add(parent int32, turn Turn, length int) int32 {
	v := g.Add()
	g.parent = append(g.parent, parent)
	g.turn = append(g.turn, turn)
	g.length = append(g.length, int16(length))
	g.host = append(g.host, -1)
	g.done = append(g.done, false)
	var ports []port
	if last := len(g.spare) - 1; last >= 0 {
		ports, g.spare = g.spare[last], g.spare[:last]
	} else {
		ports = make([]port, 2*g.radix-1)
	}
	for i := range ports {
		ports[i] = port{to: unknown}
	}
	g.ports = append(g.ports, ports)
	g.live++
	g.peak = max(g.peak, g.live)
	return v
}

func (g *graph) addHost(h mapping.Host) int32 {
	v := g.add(0, 0, 0)
	g.host[v] = int32(len(g.hosts))
	g.hosts = append(g.hosts, h)
	g.vertex[h.ID] = v
	return v
}

// at is the port i of a vertex that is not merged; nil when there can be none.
func (g *graph) at(v int32, i int) *port {
	i += g.radix - 1
	if i < 0 || i >= len(g.ports[v]) {
		return nil
	}
	return &g.ports[v][i]
}

// window is the range of ports that a vertex can have, given those that lead
// somewhere: all are within a radix of each other.
func (g *graph) window(v int32) (low, high int) {
	first, last := 0, 0
	for i := range g.ports[v] {
		if g.ports[v][i].to >= 0 {
			last = i
		}
	}
	for i := len(g.ports[v]) - 1; i >= 0; i-- {
		if g.ports[v][i].to >= 0 {
			first = i
		}
	}
	return max(last-2*(g.radix-1), -(g.radix - 1)), min(first, g.radix-1)
}

// connect notes a wire between two ports, in the numbering of their vertices. What
// follows from it waits for deduce.
func (g *graph) connect(v int32, i int, u int32, j int) {
	g.half(v, i, u, j)
	g.half(u, j, v, i)
}

// half notes what port i of v leads to. If it led somewhere else before, both are one.
func (g *graph) half(v int32, i int, u int32, j int) {
	root, shift := g.Find(v)
	p := g.at(root, i+shift)
	if p.to >= 0 {
		g.work = append(g.work, equal{a: p.to, b: u, shift: int(p.at) - j})
		return
	}
	*p = port{to: u, at: int16(j)}
	g.filled++
}

// found notes that port i of v leads to a host.
func (g *graph) found(v int32, i int, h mapping.Host) {
	u, known := g.vertex[h.ID]
	if !known {
		u = g.addHost(h)
	}
	g.connect(v, i, u, 0)
}

// discover adds the switch that port i of v leads to; its string is that of x, a
// vertex merged into v or v itself, and the turn.
func (g *graph) discover(x int32, turn Turn) int32 {
	u := g.add(x, turn, int(g.length[x])+1)
	g.connect(x, int(turn), u, 0)
	return u
}

// deduce merges what must be one until nothing is left (the merge list).
func (g *graph) deduce() {
	for len(g.work) > 0 {
		e := g.work[len(g.work)-1]
		g.work = g.work[:len(g.work)-1]
		a, sa := g.Find(e.a)
		b, sb := g.Find(e.b)
		if a != b {
			g.merge(a, b, e.shift+sa-sb)
		}
	}
}

// merge puts b into a, both not merged: port i of b is port i+shift of a. The one with
// the shorter string keeps its numbering.
func (g *graph) merge(a, b int32, shift int) {
	if g.length[b] < g.length[a] || g.length[b] == g.length[a] && b < a {
		a, b, shift = b, a, -shift
	}
	ports := g.ports[b]
	g.Merge(a, b, shift)
	g.ports[b] = nil
	g.done[a] = g.done[a] || g.done[b]
	g.live--
	if slices.ContainsFunc(ports, func(p port) bool { return p.to == silent }) {
		g.heard[a] = append(append(g.heard[a], g.heard[b]...), b)
	}
	delete(g.heard, b)
	for i, p := range ports {
		q := g.at(a, i-(g.radix-1)+shift)
		switch {
		case p.to == unknown || q == nil:
		case q.to == unknown || q.to == silent:
			*q = p
		case p.to >= 0:
			g.filled--
			g.work = append(g.work, equal{a: q.to, b: p.to, shift: int(q.at) - int(p.at)})
		}
	}
	g.spare = append(g.spare, ports)
}

// path is the probe string of a vertex.
func (g *graph) path(v int32) []Turn {
	path := make([]Turn, g.length[v])
	for i := len(path) - 1; i >= 0; i-- {
		path[i] = g.turn[v]
		v = g.parent[v]
	}
	return path
}

// nodes and wires count what is left after merging.
func (g *graph) nodes() int { return g.live }
func (g *graph) wires() int { return g.filled / 2 }

// network makes the graph a network: ports counted from the lowest one in use. It also
// says which node a vertex is.
func (g *graph) network() (n *mapping.Network, node []int32, err error) {
	node = make([]int32, g.Len())
	low := make([]int, g.Len())
	var degree []int32
	for v := range g.Len() {
		if !g.Root(int32(v)) {
			continue
		}
		if g.host[v] >= 0 {
			node[v] = g.host[v]
			continue
		}
		node[v] = int32(len(g.hosts) + len(degree))
		degree = append(degree, int32(g.radix))
		for i := len(g.ports[v]) - 1; i >= 0; i-- {
			if g.ports[v][i].to >= 0 {
				low[v] = i - (g.radix - 1)
			}
		}
	}
	var wires []mapping.Wire
	for v := range g.ports {
		for i, p := range g.ports[v] {
			if p.to < 0 {
				continue
			}
			u, shift := g.Find(p.to)
			here := mapping.End{Node: node[v], Port: int32(i - (g.radix - 1) - low[v])}
			there := mapping.End{Node: node[u], Port: int32(int(p.at) + shift - low[u])}
			if here.Node < there.Node || here.Node == there.Node && here.Port < there.Port {
				wires = append(wires, mapping.Wire{here, there})
			}
		}
	}
	n, err = mapping.New(g.hosts, degree, wires)
	return n, node, err
}
