package theory

import "weft/mapping"

// Facts are what the paper says of a network and the host that maps it.
type Facts struct {
	D int     // diameter, in wires
	Q int     // the largest Q(v) of the core, in wires
	F []int32 // nodes outside the core
	// Of is Q(v) by node, -1 where it is not defined.
	Of []int32
}

// Depth is the search depth Q + D that section 3.2.7 comes down to: the first wire of
// the red and the green path is the mapper's own, so that the + 1 of section 3.1.4 is
// not needed.
func (f *Facts) Depth() int { return f.Q + f.D }

// Of computes the facts for a mapper.
func Of(n *mapping.Network, mapper int32) *Facts {
	facts := &Facts{D: Diameter(n), Of: make([]int32, n.NumNodes())}
	for v, cut := range Separated(n) {
		if cut {
			facts.F = append(facts.F, int32(v))
		}
	}
	// One unit must end at the mapper: its first arc to the sink is cheaper than all
	// ways in the network.
	f := newFlow(n.NumNodes())
	f.wires(n, mapper)
	bonus := int32(4*n.NumWires() + 4)
	f.arc(mapper, f.sink, 1, -bonus)
	for h := range int32(n.NumHosts()) {
		f.arc(h, f.sink, 1, 0)
	}
	f.keep()
	for v := range facts.Of {
		f.reset()
		facts.Of[v] = -1
		one, ok := f.augment(int32(v))
		if !ok {
			continue
		}
		if two, ok := f.augment(int32(v)); ok && one+two < 0 {
			facts.Of[v] = one + two + bonus
			facts.Q = max(facts.Q, int(one+two+bonus))
		}
	}
	return facts
}

// Separated marks F: the nodes that a switch-bridge separates from all hosts, which
// are those from which no flow of two reaches the hosts (Lemma 1).
func Separated(n *mapping.Network) []bool {
	f := newFlow(n.NumNodes())
	f.wires(n, -1)
	for h := range int32(n.NumHosts()) {
		f.arc(h, f.sink, 2, 0)
		// A bridge to a host is no switch-bridge: its wire may be used twice.
		if e, ok := n.Peer(mapping.End{Node: h}); ok {
			f.arc(e.Node, h, 1, 1)
			f.arc(h, e.Node, 1, 1)
		}
	}
	f.keep()
	cut := make([]bool, n.NumNodes())
	for v := range cut {
		f.reset()
		for range 2 {
			if _, ok := f.augment(int32(v)); !ok {
				cut[v] = true
			}
		}
	}
	return cut
}

// Core is N - F, by bridges: a depth-first search finds the switch-bridges, and what
// is behind one without any host is left out. The end of every map.
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

// Diameter is the most wires between two nodes.
func Diameter(n *mapping.Network) int {
	most := 0
	dist := make([]int, n.NumNodes())
	var queue []int32
	for v := range int32(n.NumNodes()) {
		for i := range dist {
			dist[i] = -1
		}
		dist[v] = 0
		queue = append(queue[:0], v)
		for i := 0; i < len(queue); i++ {
			u := queue[i]
			most = max(most, dist[u])
			for p := range n.Ports(u) {
				if e, ok := n.Peer(mapping.End{Node: u, Port: p}); ok && dist[e.Node] < 0 {
					dist[e.Node] = dist[u] + 1
					queue = append(queue, e.Node)
				}
			}
		}
	}
	return most
}
