package theory

import "weft/mapping"

// Facts holds the paper's numbers for a network and its mapping host.
type Facts struct {
	D int     // diameter, in wires
	Q int     // the largest Q(v) of the core, in wires
	F []int32 // nodes outside the core
	// QOf holds Q(v) by node, -1 where undefined.
	QOf []int32
}

// Depth returns the search depth Q + D of section 3.2.7: the first wire of the red and the green
// path is the mapper's own, so the + 1 of section 3.1.4 is not needed.
func (f *Facts) Depth() int { return f.Q + f.D }

// FactsOf computes the facts for a mapper.
func FactsOf(n *mapping.Network, mapper int32) *Facts {
	facts := &Facts{D: Diameter(n), QOf: n.Distances(mapper)}
	// One unit must end at the mapper: its first arc to the sink is cheaper than all paths in the
	// network.
	f := newFlow(n.NumNodes())
	f.wires(n, mapper)
	bonus := int32(4*n.NumWires() + 4)
	f.arc(mapper, f.sink, 1, -bonus)
	for h := range int32(n.NumHosts()) {
		f.arc(h, f.sink, 1, 0)
	}
	f.keep()
	for v, wires := range facts.QOf {
		// The path from a host to any host has no further wire: Q of a host is its distance.
		if !n.IsHost(int32(v)) && wires >= 0 {
			facts.QOf[v] = f.q(int32(v), bonus)
		}
		if facts.QOf[v] < 0 {
			facts.F = append(facts.F, int32(v))
		}
		facts.Q = max(facts.Q, int(facts.QOf[v]))
	}
	return facts
}

// q returns Q(v) of a switch, -1 where undefined.
func (f *flow) q(v, bonus int32) int32 {
	f.reset()
	one, ok := f.augment(v)
	if !ok {
		return -1
	}
	if two, ok := f.augment(v); ok && one+two < 0 {
		return one + two + bonus
	}
	return -1
}

// Core returns N - F: the network without the nodes behind a switch-bridge that separates them from
// all hosts. A depth-first search finds the bridges.
func Core(n *mapping.Network) *mapping.Network { return n.Keep(Kept(n)) }

// Kept marks the nodes of the core.
func Kept(n *mapping.Network) []bool {
	keep := make([]bool, n.NumNodes())
	s := search{n: n, entered: make([]int32, n.NumNodes()), low: make([]int32, n.NumNodes()), hosts: make([]int32, n.NumNodes())}
	s.from(0)
	// In the order of the search a node comes after its parent.
	for _, v := range s.order {
		up := s.parent[v]
		bridge := up.Node >= 0 && s.low[v] == s.entered[v] && !n.IsHost(v) && !n.IsHost(up.Node)
		keep[v] = (up.Node < 0 || keep[up.Node]) && !(bridge && s.hosts[v] == 0)
	}
	return keep
}

// search is a depth-first search without recursion.
type search struct {
	n            *mapping.Network
	entered, low []int32       // by node, from 1
	hosts        []int32       // in the subtree
	parent       []mapping.End // by node: the parent's port that leads to it
	order        []int32
}

func (s *search) from(root int32) {
	s.parent = make([]mapping.End, s.n.NumNodes())
	port := make([]int32, s.n.NumNodes())
	s.enter(root, mapping.End{Node: -1})
	for stack := []int32{root}; len(stack) > 0; {
		v := stack[len(stack)-1]
		if port[v] == s.n.Ports(v) {
			stack = stack[:len(stack)-1]
			if up := s.parent[v].Node; up >= 0 {
				s.low[up] = min(s.low[up], s.low[v])
				s.hosts[up] += s.hosts[v]
			}
			continue
		}
		here := mapping.End{Node: v, Port: port[v]}
		port[v]++
		there, ok := s.n.Peer(here)
		switch {
		case !ok:
		case s.entered[there.Node] == 0:
			s.enter(there.Node, here)
			stack = append(stack, there.Node)
		case !s.isParentWire(v, there):
			s.low[v] = min(s.low[v], s.entered[there.Node])
		}
	}
}

func (s *search) isParentWire(v int32, there mapping.End) bool { return s.parent[v] == there }

func (s *search) enter(v int32, from mapping.End) {
	s.order = append(s.order, v)
	s.entered[v] = int32(len(s.order))
	s.low[v] = s.entered[v]
	s.parent[v] = from
	if s.n.IsHost(v) {
		s.hosts[v] = 1
	}
}

// Diameter returns the largest distance between two nodes, in wires. Between two hosts it is two
// more than between their switches, so no search starts at a host on a switch.
func Diameter(n *mapping.Network) int {
	most := int32(0)
	for v := range int32(n.NumNodes()) {
		var hosts []int32 // on the switch
		onSwitch := false
		for p := range n.Ports(v) {
			if e, ok := n.Peer(mapping.End{Node: v, Port: p}); ok && n.IsHost(e.Node) {
				hosts = append(hosts, e.Node)
			} else if ok {
				onSwitch = true
			}
		}
		if n.IsHost(v) {
			if hosts = nil; onSwitch {
				continue
			}
		}
		for u, d := range n.Distances(v) {
			if d >= 0 && (len(hosts) > 1 || len(hosts) == 1 && hosts[0] != int32(u)) {
				d++ // from a host on v
			}
			most = max(most, d)
		}
	}
	return int(most)
}
