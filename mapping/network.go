package mapping

import (
	"fmt"
	"slices"

	"weft/fabric"
)

// End is a wire-end: a node and a port, counted from 0. Hosts come first in the numbering of nodes,
// then switches.
type End struct {
	Node int32
	Port int32
}

// Wire joins two wire-ends.
type Wire [2]End

// NoPeer marks a port without a wire.
const NoPeer int32 = -1

// Host names a host.
type Host struct {
	ID   uint64 // interface address, unique
	Name string
}

// Network holds hosts, switches and wires: the N of the paper. A map is a Network too. Wire-ends
// are numbered by node and port.
type Network struct {
	Hosts  []Host
	Degree []int32  // ports of each switch
	Names  []string // of switches, for people only: no message carries them

	start []int32 // by node: its first wire-end
	peer  []int32 // by wire-end: the other end of the wire, or NoPeer
	node  []int32 // by wire-end
	wires int
}

// New builds a network. It fails if a wire names no port, or a port has two wires.
func New(hosts []Host, degree []int32, wires []Wire) (*Network, error) {
	n := &Network{Hosts: hosts, Degree: degree, wires: len(wires)}
	seen := make(map[uint64]string, len(hosts))
	for _, h := range hosts {
		if other, dup := seen[h.ID]; dup {
			return nil, fmt.Errorf("mapping: hosts %q and %q have the same address %#x", other, h.Name, h.ID)
		}
		seen[h.ID] = h.Name
	}
	for node := range n.NumNodes() {
		n.start = append(n.start, int32(len(n.node)))
		for range n.Ports(int32(node)) {
			n.node = append(n.node, int32(node))
			n.peer = append(n.peer, NoPeer)
		}
	}
	n.start = append(n.start, int32(len(n.node)))
	for _, w := range wires {
		var ends [2]int32
		for i, e := range w {
			if e.Node < 0 || int(e.Node) >= n.NumNodes() || e.Port < 0 || e.Port >= n.Ports(e.Node) {
				return nil, fmt.Errorf("mapping: a wire dangles: there is no port %d of node %d", e.Port, e.Node)
			}
			ends[i] = n.start[e.Node] + e.Port
			if n.peer[ends[i]] != NoPeer {
				return nil, fmt.Errorf("mapping: two wires in port %d of node %d", e.Port, e.Node)
			}
		}
		if ends[0] == ends[1] {
			return nil, fmt.Errorf("mapping: port %d of node %d is wired to itself", w[0].Port, w[0].Node)
		}
		n.peer[ends[0]], n.peer[ends[1]] = ends[1], ends[0]
	}
	return n, nil
}

// NumHosts counts hosts.
func (n *Network) NumHosts() int { return len(n.Hosts) }

// NumSwitches counts switches.
func (n *Network) NumSwitches() int { return len(n.Degree) }

// NumNodes counts both.
func (n *Network) NumNodes() int { return len(n.Hosts) + len(n.Degree) }

// NumEnds counts ports, wired or not.
func (n *Network) NumEnds() int { return len(n.peer) }

// NumWires counts wires.
func (n *Network) NumWires() int { return n.wires }

// IsHost reports whether a node is a host.
func (n *Network) IsHost(node int32) bool { return int(node) < len(n.Hosts) }

// Ports returns the number of ports of a node.
func (n *Network) Ports(node int32) int32 {
	if n.IsHost(node) {
		return 1
	}
	return n.Degree[int(node)-len(n.Hosts)]
}

// Radix returns the largest number of ports of a switch; turns are smaller.
func (n *Network) Radix() int {
	most := int32(2)
	for _, d := range n.Degree {
		most = max(most, d)
	}
	return int(most)
}

// Peer returns the other end of the wire in a port; ok is false if there is none.
func (n *Network) Peer(e End) (End, bool) {
	p := n.peer[n.start[e.Node]+e.Port]
	if p == NoPeer {
		return End{}, false
	}
	return n.end(p), true
}

func (n *Network) end(e int32) End {
	node := n.node[e]
	return End{Node: node, Port: e - n.start[node]}
}

// OnSwitch reports whether a host is wired to a switch, as a mapper must be.
func (n *Network) OnSwitch(host int32) bool {
	e, ok := n.Peer(End{Node: host})
	return ok && !n.IsHost(e.Node)
}

// Wires lists every wire once, by its lower end.
func (n *Network) Wires() []Wire {
	wires := make([]Wire, 0, n.wires)
	for e, p := range n.peer {
		if int32(e) < p {
			wires = append(wires, Wire{n.end(int32(e)), n.end(p)})
		}
	}
	return wires
}

// Distances returns by node the number of wires from the nearest of some nodes; -1 if there is no
// path.
func (n *Network) Distances(from ...int32) []int32 {
	dist := make([]int32, n.NumNodes())
	for v := range dist {
		dist[v] = -1
	}
	for _, v := range from {
		dist[v] = 0
	}
	for queue := slices.Clone(from); len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for _, p := range n.peer[n.start[v]:n.start[v+1]] {
			if p == NoPeer {
				continue
			}
			if u := n.node[p]; dist[u] < 0 {
				dist[u] = dist[v] + 1
				queue = append(queue, u)
			}
		}
	}
	return dist
}

// HostByID returns the host with an address, -1 if there is none.
func (n *Network) HostByID(id uint64) int32 {
	return int32(slices.IndexFunc(n.Hosts, func(h Host) bool { return h.ID == id }))
}

// FindHost finds a host by its address, name or part of its name: see fabric.NameHelp.
func (n *Network) FindHost(name string) (int32, error) {
	h, err := fabric.FindNamed("host", name, len(n.Hosts), func(i int) (fabric.GUID, string) {
		return fabric.GUID(n.Hosts[i].ID), n.Hosts[i].Name
	})
	if err != nil {
		return -1, fmt.Errorf("mapping: %w", err)
	}
	return int32(h), nil
}

// NodeName returns the name of a node, for people.
func (n *Network) NodeName(node int32) string {
	if n.IsHost(node) {
		return n.Hosts[node].Name
	}
	s := int(node) - len(n.Hosts)
	if s < len(n.Names) {
		return n.Names[s]
	}
	return fmt.Sprintf("switch %d", s+1)
}

// Keep returns the kept nodes and the wires between them as a network.
func (n *Network) Keep(keep []bool) *Network {
	part := &Network{}
	renamed := make([]int32, n.NumNodes())
	for v := range renamed {
		if !keep[v] {
			continue
		}
		if n.IsHost(int32(v)) {
			renamed[v] = int32(len(part.Hosts))
			part.Hosts = append(part.Hosts, n.Hosts[v])
			continue
		}
		renamed[v] = int32(part.NumNodes())
		part.Degree = append(part.Degree, n.Ports(int32(v)))
		part.Names = append(part.Names, n.NodeName(int32(v)))
	}
	var wires []Wire
	for _, w := range n.Wires() {
		if keep[w[0].Node] && keep[w[1].Node] {
			w[0].Node, w[1].Node = renamed[w[0].Node], renamed[w[1].Node]
			wires = append(wires, w)
		}
	}
	names := part.Names
	part, err := New(part.Hosts, part.Degree, wires)
	if err != nil {
		panic(err) // a part of a network is always valid
	}
	part.Names = names
	return part
}
