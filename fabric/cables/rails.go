package cables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"weft/fabric"
	"weft/fabric/rails"
)

// railed compares the cables of servers with several ports with the rails. Each port should be at
// that switch of its rail which is a neighbour of the switches of its server's other ports.
type railed struct {
	f       *fabric.Fabric
	g       *fabric.Graph
	servers *fabric.Servers
	found   *rails.Map

	want   []int32               // by host port: the rail of its place
	beside map[int32][]neighbour // by switch
	odd    []Odd
}

// neighbour is a switch of another rail that most servers of a switch have a cable to.
type neighbour struct{ rail, atSwitch int32 }

// moved is a host port at an unexpected switch.
type moved struct {
	end      int32
	expected int32 // switch, or unknownSwitch
}

const unknownSwitch int32 = -1

// besideShare is the least share of its servers that a switch shares with a neighbour.
const besideShare = 0.75

// ofServers returns the odd cables of servers with several ports, and the number of rails. It
// returns no cables if too many are odd: then they follow no pattern.
func ofServers(f *fabric.Fabric, g *fabric.Graph) (odd []Odd, number int) {
	servers := g.Servers()
	r := &railed{f: f, g: g, servers: servers, found: rails.Of(g, servers), beside: map[int32][]neighbour{}}
	if len(r.found.Rails) == 0 {
		return nil, 0
	}
	r.wantRails()
	r.findNeighbours()
	var all []moved
	ports := 0
	for i := range servers.List {
		ends := slices.Collect(servers.Ends(g, int32(i)))
		if len(ends) < 2 {
			continue
		}
		ports += len(ends)
		for _, e := range ends {
			if m, ok := r.check(e, ends); ok {
				all = append(all, m)
			}
		}
		r.checkMissing(int32(i), ends)
	}
	if float64(len(all)+len(r.odd)) > (1-nearlyWhole)*float64(ports) {
		return nil, len(r.found.Rails)
	}
	return append(r.list(all), r.odd...), len(r.found.Rails)
}

// wantRails finds the rail of each port's place.
func (r *railed) wantRails() {
	r.want = slices.Clone(r.found.Of)
	for _, o := range r.found.Odd {
		r.want[o.End] = o.Want
	}
}

// findNeighbours finds the neighbours of each switch.
func (r *railed) findNeighbours() {
	together, on := map[pair]int{}, map[int32]int{}
	for i := range r.servers.List {
		ends := slices.Collect(r.servers.Ends(r.g, int32(i)))
		if len(ends) < 2 {
			continue
		}
		for k, e := range ends {
			on[r.g.EndSwitch[e]]++
			for _, o := range ends[:k] {
				if a, b := r.g.EndSwitch[e], r.g.EndSwitch[o]; a != b && r.found.RailOf[a] != r.found.RailOf[b] {
					together[pairOf(a, b)]++
				}
			}
		}
	}
	for _, p := range slices.SortedFunc(maps.Keys(together), pair.compare) {
		for _, ends := range [2][2]int32{{p.a, p.b}, {p.b, p.a}} {
			if float64(together[p]) >= besideShare*float64(on[ends[0]]) && together[p] > 1 {
				r.beside[ends[0]] = append(r.beside[ends[0]], neighbour{r.found.RailOf[ends[1]], ends[1]})
			}
		}
	}
}

// expected returns the switch of a rail that is a neighbour of the switches of more than half of
// some host ports, and the number of these ports. The port without (-1 for none) does not count.
func (r *railed) expected(rail int32, ends []int32, without int32) (atSwitch int32, votes int) {
	count, of := map[int32]int{}, 0
	for _, e := range ends {
		if e == without {
			continue
		}
		of++
		for _, n := range r.beside[r.g.EndSwitch[e]] {
			if n.rail == rail {
				count[n.atSwitch]++
			}
		}
	}
	for _, s := range slices.Sorted(maps.Keys(count)) {
		if count[s] > votes {
			atSwitch, votes = s, count[s]
		}
	}
	if 2*votes <= of {
		return unknownSwitch, 0
	}
	return atSwitch, votes
}

// check compares a host port with the other ports of its server, and reports whether it is at an
// unexpected switch.
func (r *railed) check(e int32, ends []int32) (moved, bool) {
	odd := r.want[e] != r.found.Of[e]
	if r.want[e] == rails.None {
		return moved{e, unknownSwitch}, odd
	}
	s, votes := r.expected(r.want[e], ends, e)
	if odd {
		return moved{e, s}, true
	}
	return moved{e, s}, votes > 1 && s != r.g.EndSwitch[e]
}

// checkMissing lists a missing cable of a server, if its ports are on all rails of the neighbours
// but one. Nothing is missing if a known cable of the server is down.
func (r *railed) checkMissing(server int32, ends []int32) {
	if len(ends) < 3 || r.hasDown(server) {
		return
	}
	has, lacks := map[int32]bool{}, map[int32]bool{}
	for _, e := range ends {
		has[r.want[e]] = true
	}
	for _, e := range ends {
		for _, n := range r.beside[r.g.EndSwitch[e]] {
			if n.rail != rails.None && !has[n.rail] {
				lacks[n.rail] = true
			}
		}
	}
	if len(lacks) != 1 {
		return
	}
	rail := slices.Collect(maps.Keys(lacks))[0]
	s, votes := r.expected(rail, ends, -1)
	if votes < 2 {
		return
	}
	r.odd = append(r.odd, Odd{
		Kind: Missing, Ports: []fabric.PortName{r.freePort(server), r.g.SwitchPort(s, 0)},
		Text: fmt.Sprintf("no cable of the server on rail %d", rail),
	})
}

// hasDown reports whether a known cable of a server is down.
func (r *railed) hasDown(server int32) bool {
	for id := range r.adapters(server) {
		for p := range r.f.Nodes[id].Ports {
			if link := r.f.Nodes[id].Ports[p].Link; link != fabric.NoLink && !r.f.LinkUp(link) {
				return true
			}
		}
	}
	return false
}

// adapters yields the nodes of a server.
func (r *railed) adapters(server int32) func(yield func(fabric.NodeID) bool) {
	return func(yield func(fabric.NodeID) bool) {
		for _, node := range r.servers.List[server].Adapters {
			id, _ := r.f.NodeByGUID(r.g.EndNodeGUID[r.g.NodeEnds[r.g.NodeStart[node]]])
			if !yield(id) {
				return
			}
		}
	}
}

// freePort names the only port of a server without a cable; the server if there are several, or
// none is known.
func (r *railed) freePort(server int32) fabric.PortName {
	var name fabric.PortName
	var free []fabric.PortName
	for id := range r.adapters(server) {
		name = cmp.Or(name, r.f.PortName(fabric.End{Node: id}))
		for p := 1; p <= r.f.Nodes[id].NumPorts(); p++ {
			if r.f.Nodes[id].Ports[p].Link == fabric.NoLink {
				free = append(free, r.f.PortName(fabric.End{Node: id, Port: uint8(p)}))
			}
		}
	}
	if len(free) == 1 {
		return free[0]
	}
	return name
}

// list describes the cables of host ports at unexpected switches: crossed pairs of cables of one
// server, then of two servers, then the other cables.
func (r *railed) list(all []moved) (odd []Odd) {
	done := make([]bool, len(all))
	for _, same := range []bool{true, false} {
		for i := range all {
			for k := i + 1; k < len(all) && !done[i]; k++ {
				a, b := &all[i], &all[k]
				one := r.serverOf(a.end) == r.serverOf(b.end)
				if done[k] || one != same || a.expected != r.g.EndSwitch[b.end] || b.expected != r.g.EndSwitch[a.end] {
					continue
				}
				done[i], done[k] = true, true
				odd = append(odd, Odd{
					Kind: Crossed, Ports: slices.Concat(r.f.LinkPorts(r.link(a.end)), r.f.LinkPorts(r.link(b.end))),
					Text: fmt.Sprintf("should be %s - %s and %s - %s", r.g.EndName(a.end).Short(), r.g.SwitchDesc[a.expected], r.g.EndName(b.end).Short(), r.g.SwitchDesc[b.expected]),
				})
			}
		}
	}
	for i := range all {
		if !done[i] {
			odd = append(odd, Odd{Kind: Extra, Ports: r.f.LinkPorts(r.link(all[i].end)), Text: r.text(&all[i])})
		}
	}
	return odd
}

// text describes a host port at an unexpected switch.
func (r *railed) text(m *moved) string {
	rail, want := r.found.Of[m.end], r.want[m.end]
	at := ""
	if m.expected != unknownSwitch {
		at = ", at " + r.g.SwitchDesc[m.expected]
	}
	switch want {
	case rails.None:
		return fmt.Sprintf("the second port of its server on rail %d", rail)
	case rail:
		return "not at the switch of its server's neighbours" + at
	}
	return fmt.Sprintf("on rail %d, its place is on rail %d%s", rail, want, at)
}

func (r *railed) serverOf(end int32) int32 { return r.servers.Of[r.g.EndNode[end]] }

// link returns the cable of a host port.
func (r *railed) link(end int32) fabric.LinkID {
	id, _ := r.f.NodeByGUID(r.g.EndNodeGUID[end])
	return r.f.Nodes[id].Ports[r.g.EndNum[end]].Link
}
