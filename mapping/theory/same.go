package theory

import (
	"fmt"

	"weft/mapping"
)

// Same compares two networks up to the identity of their switches and the port offset of each. It
// returns nil if they are isomorphic, or the first difference. Hosts have addresses, so there is
// only one candidate, found by walking both in parallel.
func Same(a, b *mapping.Network) error {
	if a.NumHosts() != b.NumHosts() || a.NumSwitches() != b.NumSwitches() || a.NumWires() != b.NumWires() {
		return fmt.Errorf("%s against %s", size(a), size(b))
	}
	p := pairing{a: a, b: b, of: make([]int32, a.NumNodes()), back: make([]int32, b.NumNodes()), shift: make([]int32, a.NumNodes())}
	for i := range p.of {
		p.of[i], p.back[i] = -1, -1
	}
	for i, h := range a.Hosts {
		j := b.HostByID(h.ID)
		if j < 0 {
			return fmt.Errorf("host %q is in one only", h.Name)
		}
		if err := p.pair(mapping.End{Node: int32(i)}, mapping.End{Node: j}); err != nil {
			return err
		}
	}
	for len(p.queue) > 0 {
		v := p.queue[0]
		p.queue = p.queue[1:]
		if err := p.ports(v); err != nil {
			return err
		}
	}
	for v, u := range p.of {
		if u < 0 {
			return fmt.Errorf("%q is not connected to a host", a.NodeName(int32(v)))
		}
	}
	return nil
}

func size(n *mapping.Network) string {
	return fmt.Sprintf("%d hosts, %d switches, %d wires", n.NumHosts(), n.NumSwitches(), n.NumWires())
}

// pairing pairs the nodes of a with nodes of b, with the offsets of their port numbers.
type pairing struct {
	a, b     *mapping.Network
	of, back []int32
	shift    []int32
	queue    []int32
}

// pair notes that two wire-ends are the same.
func (p *pairing) pair(x, y mapping.End) error {
	shift := y.Port - x.Port
	switch {
	case p.of[x.Node] < 0 && p.back[y.Node] < 0 && p.a.IsHost(x.Node) == p.b.IsHost(y.Node):
		p.of[x.Node], p.back[y.Node], p.shift[x.Node] = y.Node, x.Node, shift
		p.queue = append(p.queue, x.Node)
	case p.of[x.Node] != y.Node:
		return fmt.Errorf("%q and %q do not pair", p.a.NodeName(x.Node), p.b.NodeName(y.Node))
	case p.shift[x.Node] != shift:
		return fmt.Errorf("%q and %q are shifted by %d and by %d", p.a.NodeName(x.Node), p.b.NodeName(y.Node), p.shift[x.Node], shift)
	}
	return nil
}

// ports compares the targets of the ports of a pair of nodes. The counts of wires are equal, so one
// side is enough.
func (p *pairing) ports(v int32) error {
	u, shift := p.of[v], p.shift[v]
	for port := range p.a.Ports(v) {
		x, ok := p.a.Peer(mapping.End{Node: v, Port: port})
		if !ok {
			continue
		}
		far := mapping.End{Node: u, Port: port + shift}
		if far.Port < 0 || far.Port >= p.b.Ports(u) {
			return fmt.Errorf("%q has no port for port %d of %q", p.b.NodeName(u), port, p.a.NodeName(v))
		}
		y, ok := p.b.Peer(far)
		if !ok {
			return fmt.Errorf("port %d of %q has a wire in only one of them", port, p.a.NodeName(v))
		}
		if err := p.pair(x, y); err != nil {
			return err
		}
	}
	return nil
}
