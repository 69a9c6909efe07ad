package traffic

import (
	"slices"

	"weft/fabric"
	"weft/fabric/rails"
)

// Servers are the machines of a Graph as traffic sees them. Ports of one server exchange nothing
// over the network, and no packet goes from one plane to another.
type Servers struct {
	Ports  [][]int32 // by server: its host ports
	Of     []int32   // by end port below Graph.NumHosts: its server; -1 for aggregation nodes
	Rail   []int32   // likewise: its rail; rails.None for a port outside all rails
	Plane  []int32   // likewise: its plane
	Planes int       // planes with hosts
}

// ServersOf groups the host ports of a Graph into servers, and finds their rails and planes. It
// returns nil if each server has one port, as most do: a rank is then a server and a host port. A
// router is a server too.
func ServersOf(g *fabric.Graph) *Servers {
	grouped := g.Servers()
	s := &Servers{Of: slices.Repeat([]int32{-1}, g.NumHosts), Plane: make([]int32, g.NumHosts)}
	several := false
	add := func(ends []int32) {
		var ports []int32
		for _, e := range ends {
			if int(e) < g.NumHosts && g.IsHost(e) {
				s.Of[e] = int32(len(s.Ports))
				ports = append(ports, e)
			}
		}
		if len(ports) > 0 {
			s.Ports = append(s.Ports, ports)
			several = several || len(ports) > 1
		}
	}
	done := make([]bool, len(grouped.List))
	for node := range int32(g.NumNodes) {
		switch v := grouped.Of[node]; {
		case v == fabric.NoServer:
			add(g.NodeEnds[g.NodeStart[node]:g.NodeStart[node+1]])
		case !done[v]:
			done[v] = true
			add(slices.Collect(grouped.Ends(g, v)))
		}
	}
	if !several {
		return nil
	}
	found := rails.Of(g, grouped)
	s.Rail, s.Planes = found.Of, found.Planes
	for e := range s.Plane {
		s.Plane[e] = found.PlaneOf[g.EndSwitch[e]]
	}
	return s
}

// Count returns the number of servers of some host ports.
func (s *Servers) Count(hosts []int32) (n int) {
	met := make([]bool, len(s.Ports))
	for _, h := range hosts {
		if v := s.Of[h]; !met[v] {
			met[v] = true
			n++
		}
	}
	return n
}

// same reports whether two host ports belong to one server.
func (s *Servers) same(a, b int32) bool { return s.Of[a] == s.Of[b] }

// Meet reports whether traffic can go from one host port to another over the network: they belong
// to two servers, and one plane has both.
func (s *Servers) Meet(a, b int32) bool { return s.Of[a] != s.Of[b] && s.Plane[a] == s.Plane[b] }

// addRails adds the flows of a message from one server to another: on every rail that both have,
// the port of the one sends to the port of the other. Servers without a common rail use one pair of
// ports that can meet. It reports whether there is any.
func (s *Servers) addRails(f *Flows, from, to int32) bool {
	a, b := s.Ports[from], s.Ports[to]
	before := f.Len()
	for _, x := range a {
		if s.Rail[x] < 0 {
			continue
		}
		i := slices.IndexFunc(b, func(y int32) bool { return s.Rail[y] == s.Rail[x] && s.Meet(x, y) })
		if i >= 0 {
			f.Add(x, b[i])
		}
	}
	if f.Len() > before {
		return true
	}
	// Servers choose different ports for different peers.
	for i := range a {
		for j := range b {
			x, y := a[(i+int(to))%len(a)], b[(j+int(from))%len(b)]
			if s.Meet(x, y) {
				f.Add(x, y)
				return true
			}
		}
	}
	return false
}
