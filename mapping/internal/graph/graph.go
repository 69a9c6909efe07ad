// Package graph holds the model graph of a network of anonymous switches: the wires that answered
// probes prove, and their consequences.
//
// Switches have no names, so each probe that finds a switch first makes a new vertex. Hosts have
// addresses, and one wire each. Two vertices behind one port are one switch; they are merged, and
// so are vertices that follow from that (the mergelist of paper 001, section 3.3, with indexing
// offsets, Definition 1). The graphs of two hosts become one when the wires of both are put
// together: a host found by both ties them.
//
// If every port of a graph is known to lead somewhere or nowhere, the graph is the network. For it
// is a covering of the network: every node of the network occurs in it equally often, and the
// mapping host occurs once. Only silent ports may be wrong; the graph counts the silences of each.
//
// A wire costs O(alpha), a merge O(ports).
package graph

import (
	"errors"
	"fmt"

	"weft/mapping"
)

// Port holds the knowledge about a port.
type Port struct {
	To     int32    // the vertex at the other end of its wire, or None
	At     int16    // the port there, as To numbered it when the wire was added
	Silent [2]uint8 // unanswered probes, by Kind
}

// None marks a port without a known wire.
const None int32 = -1

// IsUnknown reports whether the port has no known wire and was never silent.
func (p Port) IsUnknown() bool { return p.To == None && p.Silent == [2]uint8{} }

// IsSilent reports whether the port has no known wire and was silent.
func (p Port) IsSilent() bool { return p.To == None && p.Silent != [2]uint8{} }

// Kind is the kind of a probe of a port.
type Kind uint8

// The kinds of section 2.3: does a host answer, does a switch send the probe back.
const (
	ForHost Kind = iota
	ForSwitch
)

// Other returns the other kind.
func (k Kind) Other() Kind { return ForHost + ForSwitch - k }

// ErrContradiction says that the wires do not fit together: the network changed while it was
// mapped.
var ErrContradiction = errors.New("mapping: the answers contradict each other: the network changed while it was mapped")

// Graph is a model graph. A vertex numbers its ports from -(radix-1) to radix-1, relative to its
// first entry port, port 0.
type Graph struct {
	Radix int
	Hosts []mapping.Host
	// Merging, if set, is called before vertex gone is merged into vertex kept.
	Merging func(kept, gone int32)

	same  replicates
	host  []int32          // by vertex: index in Hosts, or -1
	rank  []int16          // by vertex: of two merged ones, the lower keeps its numbering
	ports [][]Port         // by vertex; nil once merged
	spare [][]Port         // of merged vertices
	ways  [][][]int32      // by vertex: the paths by which its ports were probed
	byID  map[uint64]int32 // vertex of a host
	todo  []identity       // the mergelist
	err   error
	count counts
	log   *[]entry // additions since Clone; nil if the graph is no clone
	last  search
}

// search records the vertices reached by the latest search.
type search struct {
	reached []int32 // by vertex: the latest round that reached it
	round   int32
}

// counts holds the sizes of a graph.
type counts struct {
	version int // changes so far
	merges  int // vertices merged into others
	wired   int // ports with a wire
	peak    int // maximum number of unmerged vertices
}

// identity says that port i of b is port i+shift of a.
type identity struct {
	a, b  int32
	shift int
}

// New returns an empty graph of switches with at most radix ports.
func New(radix int) *Graph { return &Graph{Radix: radix, byID: map[uint64]int32{}} }

// Err returns ErrContradiction if the wires do not fit together.
func (g *Graph) Err() error { return g.err }

// Len returns the number of vertices, merged ones included.
func (g *Graph) Len() int { return len(g.host) }

// Version grows with every wire and merge.
func (g *Graph) Version() int { return g.count.version }

// Merges returns the number of merged vertices.
func (g *Graph) Merges() int { return g.count.merges }

// Nodes returns the number of vertices that are not merged.
func (g *Graph) Nodes() int { return g.Len() - g.count.merges }

// Peak returns the largest Nodes so far.
func (g *Graph) Peak() int { return g.count.peak }

// Wires returns the number of wires.
func (g *Graph) Wires() int { return g.count.wired / 2 }

// Host returns the vertex of a host, added if new.
func (g *Graph) Host(h mapping.Host) int32 {
	if v, known := g.byID[h.ID]; known {
		return v
	}
	v := g.add(int32(len(g.Hosts)), 0, 1)
	g.Hosts = append(g.Hosts, h)
	g.byID[h.ID] = v
	g.record(entry{what: newHost, host: h})
	return v
}

// AddSwitch adds a switch entered by its port 0. If two switches turn out to be one, the one of
// lower rank keeps its numbering; of equal rank, the older.
func (g *Graph) AddSwitch(rank int) int32 {
	g.record(entry{what: newSwitch, i: rank})
	return g.add(-1, rank, 2*g.Radix-1)
}

func (g *Graph) add(host int32, rank, n int) int32 {
	v := g.same.add()
	g.host = append(g.host, host)
	g.rank = append(g.rank, int16(rank))
	g.ways = append(g.ways, nil)
	var ports []Port
	if last := len(g.spare) - 1; last >= 0 && n > 1 {
		ports, g.spare = g.spare[last], g.spare[:last]
	} else {
		ports = make([]Port, n)
	}
	for i := range ports {
		ports[i] = Port{To: None}
	}
	g.ports = append(g.ports, ports)
	g.count.peak = max(g.count.peak, g.Nodes())
	return v
}

// IsHost reports whether a vertex is a host.
func (g *Graph) IsHost(v int32) bool { return g.host[v] >= 0 }

// HostIndex returns the index in Hosts of a host's vertex.
func (g *Graph) HostIndex(v int32) int32 { return g.host[v] }

// Find returns the vertex into which v was merged, and the offset to add to v's port numbers.
func (g *Graph) Find(v int32) (root int32, shift int) { return g.same.find(v) }

// IsRoot reports whether a vertex is not merged into another.
func (g *Graph) IsRoot(v int32) bool { return g.same.isRoot(v) }

// lowest returns the number of the first port of a vertex.
func (g *Graph) lowest(v int32) int {
	if g.IsHost(v) {
		return 0
	}
	return 1 - g.Radix
}

// port returns port i of an unmerged vertex; nil if it cannot exist.
func (g *Graph) port(v int32, i int) *Port {
	if i -= g.lowest(v); i < 0 || i >= len(g.ports[v]) {
		return nil
	}
	return &g.ports[v][i]
}

// At returns the knowledge about port i of an unmerged vertex. Its wire leads to an unmerged vertex
// too.
func (g *Graph) At(v int32, i int) Port {
	p := g.port(v, i)
	if p == nil {
		return Port{To: None}
	}
	known := *p
	if known.To != None {
		u, shift := g.Find(known.To)
		known.To, known.At = u, known.At+int16(shift)
	}
	return known
}

// Window returns the range of possible ports of a switch: all are within a radix of its wired
// ports.
func (g *Graph) Window(v int32) (low, high int) {
	first, last, wired := g.wired(v)
	if !wired {
		return 1 - g.Radix, g.Radix - 1
	}
	return max(last-(g.Radix-1), 1-g.Radix), min(first+g.Radix-1, g.Radix-1)
}

// wired returns the first and the last wired port of a vertex.
func (g *Graph) wired(v int32) (first, last int, ok bool) {
	low := g.lowest(v)
	for i := range g.ports[v] {
		if g.ports[v][i].To == None {
			continue
		}
		if !ok {
			first, ok = i+low, true
		}
		last = i + low
	}
	return first, last, ok
}

// HasHost reports whether a host is wired to a switch.
func (g *Graph) HasHost(v int32) bool {
	for i := range g.ports[v] {
		if to := g.ports[v][i].To; to != None && g.host[to] >= 0 {
			return true
		}
	}
	return false
}

// HasSilent reports whether an unmerged vertex has a silent port.
func (g *Graph) HasSilent(v int32) bool {
	for _, p := range g.ports[v] {
		if p.IsSilent() {
			return true
		}
	}
	return false
}

// Next returns the nearest wanted port on one side of port from (side 1 or -1) that the switch can
// have.
func (g *Graph) Next(v int32, from, side int, wanted func(i int) bool) (int, bool) {
	low, high := g.Window(v)
	for i := from + side; low <= i && i <= high; i += side {
		if wanted(i) {
			return i, true
		}
	}
	return 0, false
}

// Connect adds a wire and draws the conclusions.
func (g *Graph) Connect(a int32, i int, b int32, j int) {
	g.AddWire(a, i, b, j)
	g.Deduce()
}

// AddWire adds a wire from port i of a to port j of b. Its conclusions wait for Deduce.
func (g *Graph) AddWire(a int32, i int, b int32, j int) {
	g.record(entry{what: wire, a: a, i: i, b: b, j: j})
	g.addEnd(a, i, b, j)
	g.addEnd(b, j, a, i)
}

// addEnd adds one end of a wire. If the port already led somewhere, both targets are one.
func (g *Graph) addEnd(v int32, i int, u int32, j int) {
	root, shift := g.Find(v)
	p := g.port(root, i+shift)
	switch {
	case p == nil:
		g.err = ErrContradiction
	case p.To != None:
		g.todo = append(g.todo, identity{a: p.To, b: u, shift: int(p.At) - j})
	default:
		p.To, p.At = u, int16(j)
		g.count.wired++
		g.count.version++
	}
}

// Merge merges two switches, where port i of b is port i+shift of a, and draws the conclusions.
func (g *Graph) Merge(a, b int32, shift int) {
	g.record(entry{what: merged, a: a, b: b, i: shift})
	g.todo = append(g.todo, identity{a, b, shift})
	g.Deduce()
}

// Deduce merges vertices that must be one until none are left.
func (g *Graph) Deduce() {
	for len(g.todo) > 0 && g.err == nil {
		e := g.todo[len(g.todo)-1]
		g.todo = g.todo[:len(g.todo)-1]
		a, sa := g.Find(e.a)
		b, sb := g.Find(e.b)
		shift := e.shift + sa - sb
		switch {
		case a == b && shift != 0, a != b && (g.IsHost(a) || g.IsHost(b)):
			g.err = ErrContradiction
		case a != b:
			g.merge(a, b, shift)
		}
	}
	g.todo = g.todo[:0]
}

// merge merges two vertices: port i of b is port i+shift of a.
func (g *Graph) merge(a, b int32, shift int) {
	if g.rank[b] < g.rank[a] || g.rank[b] == g.rank[a] && b < a {
		a, b, shift = b, a, -shift
	}
	if g.Merging != nil {
		g.Merging(a, b)
	}
	g.count.version++
	g.count.merges++
	ports := g.ports[b]
	g.same.merge(a, b, shift)
	g.ports[b] = nil
	g.ways[a], g.ways[b] = append(g.ways[a], g.ways[b]...), nil
	for i, p := range ports {
		q := g.port(a, i-(g.Radix-1)+shift)
		switch {
		case q == nil:
			if p.To != None {
				g.err = ErrContradiction
			}
			continue
		case q.To == None:
			q.To, q.At = p.To, p.At
		case p.To != None:
			g.count.wired--
			g.todo = append(g.todo, identity{a: q.To, b: p.To, shift: int(q.At) - int(p.At)})
		}
		for k := range q.Silent {
			q.Silent[k] = max(q.Silent[k], p.Silent[k])
		}
	}
	g.spare = append(g.spare, ports)
}

// AddSilence notes an unanswered probe of a port.
func (g *Graph) AddSilence(v int32, i int, kind Kind) {
	g.record(entry{what: silence, a: v, i: i, j: int(kind)})
	root, shift := g.Find(v)
	if p := g.port(root, i+shift); p != nil && p.Silent[kind] < 255 {
		p.Silent[kind]++
	}
}

// ForgetSilence deletes the counts of silence of a vertex's ports, and their probing paths.
func (g *Graph) ForgetSilence(v int32) {
	for i := range g.ports[v] {
		g.ports[v][i].Silent = [2]uint8{}
	}
	g.ways[v] = nil
}

// Ways lists the paths of the probes of a vertex's ports.
func (g *Graph) Ways(v int32) [][]int32 { return g.ways[v] }

// AddWay notes a path, as its vertices, for probes of a vertex's ports.
func (g *Graph) AddWay(v int32, way []int32) {
	g.record(entry{what: probedBy, a: v, way: way})
	g.ways[v] = append(g.ways[v], way)
}

// Node is the node of a network that a vertex became, and the offset to add to its port numbers.
type Node struct {
	Index int32
	Shift int
}

// Network returns the graph as a network, with ports counted from the lowest wired one. It also
// returns the node of each unmerged vertex.
func (g *Graph) Network() (*mapping.Network, []Node, error) {
	if g.err != nil {
		return nil, nil, g.err
	}
	nodes := make([]Node, g.Len())
	var degree []int32
	for v := range nodes {
		switch {
		case !g.IsRoot(int32(v)):
		case g.IsHost(int32(v)):
			nodes[v] = Node{Index: g.host[v]}
		default:
			first, _, _ := g.wired(int32(v))
			nodes[v] = Node{Index: int32(len(g.Hosts) + len(degree)), Shift: -first}
			degree = append(degree, int32(g.Radix))
		}
	}
	var wires []mapping.Wire
	for v := range nodes {
		for i := range g.ports[v] {
			if g.ports[v][i].To == None {
				continue
			}
			port := i + g.lowest(int32(v))
			far := g.At(int32(v), port)
			here := mapping.End{Node: nodes[v].Index, Port: int32(port + nodes[v].Shift)}
			there := mapping.End{Node: nodes[far.To].Index, Port: int32(int(far.At) + nodes[far.To].Shift)}
			if here.Node < there.Node || here.Node == there.Node && here.Port < there.Port {
				wires = append(wires, mapping.Wire{here, there})
			}
		}
	}
	n, err := mapping.New(g.Hosts, degree, wires)
	if err != nil {
		return nil, nil, fmt.Errorf("%w (%w)", ErrContradiction, err)
	}
	return n, nodes, nil
}
