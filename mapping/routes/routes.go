// Package routes computes the source routes of section 5.5 of paper 001 on a map:
// up*/down* with the root as far from all hosts as possible, locally dominant switches
// relabelled, shortest legal paths between all pairs of hosts, written as turns.
//
// Every switch has a place in one total order, a wire leads up towards the lesser one,
// and no route goes up after it went down: so no cycle of waiting messages can form.
// The paper uses Floyd-Warshall; ours is a breadth-first search over (switch, went down)
// from every host: O(H E).
//
// Routes are tried in the network and told to the hosts (distribute.go), and made a Plan
// for the judge, which looks for the cycle that must not be (plan.go).
package routes

import (
	"math/rand/v2"

	"weft/mapping"
)

// Options controls Compute.
type Options struct {
	// Utility is a host that does not count when the root is chosen, -1 for none.
	Utility int32
	// Seed draws one of parallel wires for each route.
	Seed uint64
}

// Table holds the routes between all pairs of hosts.
type Table struct {
	Root  int32              // a node
	Turns [][][]mapping.Turn // by source and destination; nil where there is none
	// Relabelled are the switches that were locally dominant.
	Relabelled []int32
}

// Compute computes the routes on a map.
func Compute(n *mapping.Network, opt *Options) *Table {
	root := Root(n, opt.Utility)
	o := order{n: n, level: n.Distances(root)}
	t := &Table{Root: root, Relabelled: o.relabel()}
	rng := rand.New(rand.NewPCG(opt.Seed, 0x70))
	for h := range int32(n.NumHosts()) {
		t.Turns = append(t.Turns, o.from(h, rng))
	}
	return t
}

// Root returns the switch whose nearest host is farthest; of several, the one farthest from
// all hosts together.
func Root(n *mapping.Network, utility int32) int32 {
	nearest := make([]int32, n.NumNodes())
	sum := make([]int, n.NumNodes())
	for v := range nearest {
		nearest[v] = 1 << 30
	}
	for h := range int32(n.NumHosts()) {
		if h == utility {
			continue
		}
		for v, d := range n.Distances(h) {
			nearest[v] = min(nearest[v], d)
			sum[v] += int(d)
		}
	}
	best := int32(n.NumHosts())
	for v := best + 1; int(v) < n.NumNodes(); v++ {
		if nearest[v] > nearest[best] || nearest[v] == nearest[best] && sum[v] > sum[best] {
			best = v
		}
	}
	return best
}

// order is the total order of the switches: by level, then by number.
type order struct {
	n     *mapping.Network
	level []int32
}

// leadsUp reports whether a wire from v to u leads up. Hosts are below all switches.
func (o *order) leadsUp(v, u int32) bool {
	switch {
	case o.n.IsHost(v):
		return true
	case o.n.IsHost(u):
		return false
	}
	return o.level[u] < o.level[v] || o.level[u] == o.level[v] && u < v
}

// relabel finds the switches without hosts from which all wires lead up: no route
// could go through them. The least label of their neighbours less one makes all their
// wires lead down.
func (o *order) relabel() (dominant []int32) {
	for v := int32(o.n.NumHosts()); int(v) < o.n.NumNodes(); v++ {
		least, all := int32(1<<30), true
		for p := range o.n.Ports(v) {
			if e, ok := o.n.Peer(mapping.End{Node: v, Port: p}); ok && e.Node != v {
				all = all && o.leadsUp(v, e.Node)
				least = min(least, o.level[e.Node])
			}
		}
		if all && least < 1<<30 {
			o.level[v] = least - 1
			dominant = append(dominant, v)
		}
	}
	return dominant
}

// from finds the shortest legal paths from a host. A state is a node and whether the
// path went down already.
func (o *order) from(source int32, rng *rand.Rand) [][]mapping.Turn {
	n := o.n
	parent := make([]int32, 2*n.NumNodes())
	for s := range parent {
		parent[s] = -1
	}
	parent[2*source] = 2 * source
	for queue := []int32{2 * source}; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		v, down := s/2, s%2
		if n.IsHost(v) && v != source {
			continue
		}
		for p := range n.Ports(v) {
			e, ok := n.Peer(mapping.End{Node: v, Port: p})
			if !ok || e.Node == v {
				continue
			}
			next := 2*e.Node + 1
			if o.leadsUp(v, e.Node) {
				if down == 1 {
					continue
				}
				next--
			}
			if parent[next] < 0 {
				parent[next] = s
				queue = append(queue, next)
			}
		}
	}
	routes := make([][]mapping.Turn, n.NumHosts())
	for h := range routes {
		if int32(h) != source && parent[2*h+1] >= 0 {
			routes[h] = o.turns(parent, 2*int32(h)+1, rng)
		}
	}
	return routes
}

// turns returns a path as turns, with a random one of parallel wires each time.
func (o *order) turns(parent []int32, s int32, rng *rand.Rand) []mapping.Turn {
	var path []int32
	for ; parent[s] != s; s = parent[s] {
		path = append(path, s/2)
	}
	var turns []mapping.Turn
	at, in := s/2, int32(0)
	for i := len(path) - 1; i >= 0; i-- {
		var wires []mapping.Wire
		for p := range o.n.Ports(at) {
			here := mapping.End{Node: at, Port: p}
			if there, ok := o.n.Peer(here); ok && there.Node == path[i] {
				wires = append(wires, mapping.Wire{here, there})
			}
		}
		w := wires[rng.IntN(len(wires))]
		if !o.n.IsHost(at) {
			turns = append(turns, mapping.Turn(w[0].Port-in))
		}
		at, in = path[i], w[1].Port
	}
	return turns
}
