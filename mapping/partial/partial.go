// Package partial holds partial maps of a network of anonymous switches: what some
// hosts know so far, and how two such maps become one.
//
// A partial map is made of facts that answered probes prove: this port of this switch
// is wired to that port of that one. Switches have no names, so a fact is first noted
// of a fresh vertex; hosts have addresses, and one wire each. Two vertices that one
// port leads to are one switch, and what follows from that is drawn at once (the
// mergelist of paper 001, section 3.3, with indexing offsets, Definition 1). So to
// merge the maps of two hosts it is enough to put their facts together: a host that
// both have met ties them.
//
// When every port of a partial map is known to lead somewhere or nowhere, it covers the
// network: walking both side by side gives every node of the network equally often. The
// host that maps occurs once. So the map is the network. What is left to doubt are ports
// that were silent; the map keeps how often each was.
//
// Facts cost O(alpha) each, and O(ports) for each merge.
package partial

import (
	"errors"
	"fmt"

	"weft/mapping"
)

// Known is what is known of a port.
type Known struct {
	To     int32    // a vertex, or Open
	At     int16    // the port of To, in the numbering of that vertex when it was noted
	Silent [2]uint8 // tries without an answer, by Kind
}

// Open stands where no wire is known.
const Open int32 = -1

// Kind is what a port was probed for.
type Kind uint8

// The kinds of section 2.3: does a host answer, does a switch send it back.
const (
	ForHost Kind = iota
	ForSwitch
)

// ErrContradiction says that the facts do not fit together: the network changed while
// it was mapped.
var ErrContradiction = errors.New("mapping: the answers contradict each other: the network changed while it was mapped")

// Map is a partial map. A vertex numbers its ports from -(radix-1) to radix-1, relative
// to the one that it was first entered by, port 0.
type Map struct {
	Radix int
	Hosts []mapping.Host

	is     mapping.Replicates
	host   []int32 // index in Hosts, or -1
	ports  [][]Known
	tested [][][]int32      // by vertex: the ways by which its ports were probed
	vertex map[uint64]int32 // of a host, by address
	work   []equal
	err    error
	facts  int
	merges int
	log    []fact // since Clone; nil in a map that is no clone
	clone  bool

	reached []int32 // by vertex: the last round of Around that came there
	round   int32
}

// equal says that port i of b is port i+shift of a.
type equal struct {
	a, b  int32
	shift int
}

// New is a map that knows nothing. No switch has more than radix ports.
func New(radix int) *Map { return &Map{Radix: radix, vertex: map[uint64]int32{}} }

// Err is ErrContradiction when facts do not fit together.
func (m *Map) Err() error { return m.err }

// Len is the number of vertices, merged ones included.
func (m *Map) Len() int { return m.is.Len() }

// Version grows with every fact that is new.
func (m *Map) Version() int { return m.facts }

// Merges counts the vertices that turned out to be another one.
func (m *Map) Merges() int { return m.merges }

// Host is the vertex of a host, which may be new.
func (m *Map) Host(h mapping.Host) int32 {
	if v, known := m.vertex[h.ID]; known {
		return v
	}
	v := m.add(int32(len(m.Hosts)), 1)
	m.Hosts = append(m.Hosts, h)
	m.vertex[h.ID] = v
	m.note(fact{what: newHost, host: h})
	return v
}

// Switch is a fresh vertex, entered by its port 0.
func (m *Map) Switch() int32 {
	m.note(fact{what: newSwitch})
	return m.add(-1, 2*m.Radix-1)
}

func (m *Map) add(host int32, ports int) int32 {
	v := m.is.Add()
	m.host = append(m.host, host)
	known := make([]Known, ports)
	for i := range known {
		known[i].To = Open
	}
	m.ports = append(m.ports, known)
	m.tested = append(m.tested, nil)
	return v
}

// IsHost says whether a vertex is a host.
func (m *Map) IsHost(v int32) bool { return m.host[v] >= 0 }

// HostIndex is the index in Hosts of a vertex that is a host.
func (m *Map) HostIndex(v int32) int32 { return m.host[v] }

// Find is the vertex that v was merged into, and what to add to v's port numbers.
func (m *Map) Find(v int32) (root int32, shift int) { return m.is.Find(v) }

// Root says whether a vertex is not merged into another.
func (m *Map) Root(v int32) bool { return m.is.Root(v) }

// port is the port i of a vertex that is not merged; nil when there can be none.
func (m *Map) port(v int32, i int) *Known {
	if m.IsHost(v) {
		if i != 0 {
			return nil
		}
		return &m.ports[v][0]
	}
	if i += m.Radix - 1; i < 0 || i >= len(m.ports[v]) {
		return nil
	}
	return &m.ports[v][i]
}

// At is what is known of port i of a vertex that is not merged. A wire is told by the
// vertex, not merged either, and the port at its other end.
func (m *Map) At(v int32, i int) Known {
	p := m.port(v, i)
	if p == nil {
		return Known{To: Open}
	}
	k := *p
	if k.To != Open {
		u, shift := m.Find(k.To)
		k.To, k.At = u, k.At+int16(shift)
	}
	return k
}

// Window is the range of ports that a switch can have, given those that lead somewhere:
// all are within a radix of each other.
func (m *Map) Window(v int32) (low, high int) {
	first, last, wired := 0, 0, false
	for i := range m.ports[v] {
		if m.ports[v][i].To != Open {
			if !wired {
				first, wired = i, true
			}
			last = i
		}
	}
	if !wired {
		return 1 - m.Radix, m.Radix - 1
	}
	return max(last-2*(m.Radix-1), 1-m.Radix), min(first, m.Radix-1)
}

// Wire notes that port i of a and port j of b are wired, and draws the conclusions.
func (m *Map) Wire(a int32, i int, b int32, j int) {
	m.note(fact{what: wire, a: a, i: i, b: b, j: j})
	m.half(a, i, b, j)
	m.half(b, j, a, i)
	m.deduce()
}

// Same notes that port i of b is port i+shift of a.
func (m *Map) Same(a, b int32, shift int) {
	m.note(fact{what: same, a: a, b: b, i: shift})
	m.work = append(m.work, equal{a, b, shift})
	m.deduce()
}

// half notes what port i of v leads to. If it led somewhere else before, both are one.
func (m *Map) half(v int32, i int, u int32, j int) {
	root, shift := m.Find(v)
	p := m.port(root, i+shift)
	switch {
	case p == nil:
		m.contradict()
	case p.To != Open:
		m.work = append(m.work, equal{a: p.To, b: u, shift: int(p.At) - j})
	default:
		p.To, p.At = u, int16(j)
		m.facts++
	}
}

func (m *Map) contradict() { m.err = ErrContradiction }

// deduce merges what must be one until nothing is left (the mergelist).
func (m *Map) deduce() {
	for len(m.work) > 0 && m.err == nil {
		e := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		a, sa := m.Find(e.a)
		b, sb := m.Find(e.b)
		shift := e.shift + sa - sb
		switch {
		case a == b && shift != 0, a != b && (m.IsHost(a) || m.IsHost(b)):
			m.contradict()
		case a != b:
			m.merge(a, b, shift)
		}
	}
	m.work = m.work[:0]
}

// merge puts b into a, the older one: port i of b is port i+shift of a.
func (m *Map) merge(a, b int32, shift int) {
	if b < a {
		a, b, shift = b, a, -shift
	}
	m.facts++
	m.merges++
	ports := m.ports[b]
	m.is.Merge(a, b, shift)
	m.ports[b] = nil
	m.tested[a], m.tested[b] = append(m.tested[a], m.tested[b]...), nil
	for i, p := range ports {
		q := m.port(a, i-(m.Radix-1)+shift)
		switch {
		case q == nil:
			if p.To != Open {
				m.contradict()
			}
			continue
		case q.To == Open:
			q.To, q.At = p.To, p.At
		case p.To != Open:
			m.work = append(m.work, equal{a: q.To, b: p.To, shift: int(q.At) - int(p.At)})
		}
		for k := range q.Silent {
			q.Silent[k] = max(q.Silent[k], p.Silent[k])
		}
	}
}

// Unanswered notes that a port was probed in vain, by a way through these vertices.
func (m *Map) Unanswered(v int32, i int, kind Kind) {
	m.note(fact{what: silent, a: v, i: i, j: int(kind)})
	root, shift := m.Find(v)
	if p := m.port(root, i+shift); p != nil && p.Silent[kind] < 255 {
		p.Silent[kind]++
	}
}

// Doubt forgets that the ports of a vertex were silent.
func (m *Map) Doubt(v int32) {
	for i := range m.ports[v] {
		m.ports[v][i].Silent = [2]uint8{}
	}
	m.tested[v] = nil
}

// Tested lists the ways by which the ports of a vertex were probed.
func (m *Map) Tested(v int32) [][]int32 { return m.tested[v] }

// Testing notes a way by which the ports of a vertex are probed.
func (m *Map) Testing(v int32, way []int32) {
	m.note(fact{what: tested, a: v, way: way})
	m.tested[v] = append(m.tested[v], way)
}

// HasHost says whether a host is wired to a switch.
func (m *Map) HasHost(v int32) bool {
	for _, p := range m.ports[v] {
		if p.To != Open && m.host[p.To] >= 0 {
			return true
		}
	}
	return false
}

// lowest is the number of the first port of a vertex.
func (m *Map) lowest(v int32) int {
	if m.IsHost(v) {
		return 0
	}
	return 1 - m.Radix
}

// Node says which node of a network a vertex is, and what to add to its ports.
type Node struct {
	Index int32
	Shift int
}

// Network makes the map a network: ports counted from the lowest one in use. It also
// says which node each vertex is that is not merged.
func (m *Map) Network() (*mapping.Network, []Node, error) {
	if m.err != nil {
		return nil, nil, m.err
	}
	nodes := make([]Node, m.Len())
	var degree []int32
	for v := range nodes {
		switch {
		case !m.Root(int32(v)):
		case m.IsHost(int32(v)):
			nodes[v] = Node{Index: m.host[v]}
		default:
			low, _ := m.used(int32(v))
			nodes[v] = Node{Index: int32(len(m.Hosts) + len(degree)), Shift: -low}
			degree = append(degree, int32(m.Radix))
		}
	}
	var wires []mapping.Wire
	for v := range nodes {
		for i := range m.ports[v] {
			if m.ports[v][i].To == Open {
				continue
			}
			port := i + m.lowest(int32(v))
			far := m.At(int32(v), port)
			here := mapping.End{Node: nodes[v].Index, Port: int32(port + nodes[v].Shift)}
			there := mapping.End{Node: nodes[far.To].Index, Port: int32(int(far.At) + nodes[far.To].Shift)}
			if here.Node < there.Node || here.Node == there.Node && here.Port < there.Port {
				wires = append(wires, mapping.Wire{here, there})
			}
		}
	}
	n, err := mapping.New(m.Hosts, degree, wires)
	if err != nil {
		return nil, nil, fmt.Errorf("%w (%w)", ErrContradiction, err)
	}
	return n, nodes, nil
}

// used is the range of ports of a switch that lead somewhere.
func (m *Map) used(v int32) (low, high int) {
	low, high = m.Radix, -m.Radix
	for i := range m.ports[v] {
		if m.ports[v][i].To != Open {
			low = min(low, i-(m.Radix-1))
			high = max(high, i-(m.Radix-1))
		}
	}
	if low > high {
		return 0, 0
	}
	return low, high
}
