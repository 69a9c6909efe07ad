// Package routes computes the source routes of section 5.5 of paper 001 on a map: up*/down* with
// the root as far from all hosts as possible, locally dominant switches relabelled until none is
// left, shortest legal paths between all pairs of hosts, written as turns.
//
// Every switch has a place in one total order, a wire leads up towards the lesser one, and no route
// goes up after going down: so no cycle of waiting messages can form. The paper uses
// Floyd-Warshall; ours is a breadth-first search over (switch, went down) from every host: O(H E).
// The paper draws one of parallel wires; among all shortest legal paths ours takes one whose wires
// carry the fewest routes so far (balance.go).
//
// Routes are tried in the network and sent to the hosts (distribute.go), and made a Plan for the
// judge, which looks for forbidden cycles (plan.go).
package routes

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"weft/mapping"
)

// Options controls Compute.
type Options struct {
	// Utility is a host to ignore when choosing the root, -1 for none.
	Utility int32
	// Seed breaks ties between paths, and draws the order of choosing routes.
	Seed uint64
}

// Table holds the routes between all pairs of hosts.
type Table struct {
	Root  int32              // a node
	Turns [][][]mapping.Turn // by source and destination; nil if there is none
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
		t.Turns = append(t.Turns, o.routesFrom(h, rng))
	}
	return t
}

// Root returns the switch whose nearest host is farthest; in a tie, the one farthest from all hosts
// together.
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
	load  map[mapping.End]int // routes so far, by the wire-end through which they leave
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

// relabel finds the switches without hosts whose wires all lead up: no route could pass them. It
// sets their label to the least label of their neighbours minus one, so that all their wires lead
// down. That may make neighbours dominant, so it repeats until none is; the paper does not say so,
// but wants the switches useful. It ends: a switch with a host keeps its label, so a neighbour of
// it is relabelled at most once, then a neighbour of that one at most once, and so on. Parts
// without hosts are left out. The root may be relabelled too.
func (o *order) relabel() (dominant []int32) {
	var hosts []int32
	for h := range int32(o.n.NumHosts()) {
		hosts = append(hosts, h)
	}
	toHost := o.n.Distances(hosts...)
	done := make([]bool, o.n.NumNodes())
	for again := true; again; {
		again = false
		for v := int32(o.n.NumHosts()); int(v) < o.n.NumNodes(); v++ {
			if toHost[v] < 0 || !o.isDominant(v) {
				continue
			}
			o.level[v] = o.leastAround(v) - 1
			again = true
			if !done[v] {
				done[v] = true
				dominant = append(dominant, v)
			}
		}
	}
	slices.Sort(dominant)
	return dominant
}

// isDominant reports whether all wires of a switch lead up.
func (o *order) isDominant(v int32) bool {
	for u := range o.neighbours(v) {
		if !o.leadsUp(v, u) {
			return false
		}
	}
	return true
}

// leastAround returns the least label of the neighbours of a node.
func (o *order) leastAround(v int32) int32 {
	least := int32(math.MaxInt32)
	for u := range o.neighbours(v) {
		least = min(least, o.level[u])
	}
	return least
}

// neighbours yields the node at the other end of each wire, except for wires back to the node
// itself.
func (o *order) neighbours(v int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for p := range o.n.Ports(v) {
			if e, ok := o.n.Peer(mapping.End{Node: v, Port: p}); ok && e.Node != v && !yield(e.Node) {
				return
			}
		}
	}
}

// routesFrom finds a shortest legal path from a host to each other host. A state is a node and
// whether the path has already gone down.
func (o *order) routesFrom(source int32, rng *rand.Rand) [][]mapping.Turn {
	n := o.n
	if o.load == nil {
		o.load = map[mapping.End]int{}
	}
	dist := make([]int32, 2*n.NumNodes())
	for s := range dist {
		dist[s] = -1
	}
	dist[2*source] = 0
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
			if dist[next] < 0 {
				dist[next] = dist[s] + 1
				queue = append(queue, next)
			}
		}
	}
	routes := make([][]mapping.Turn, n.NumHosts())
	for _, h := range rng.Perm(len(routes)) {
		if int32(h) != source && dist[2*h+1] >= 0 {
			w := ways{order: o, dist: dist, rng: rng, best: map[int32]step{}}
			routes[h] = w.turns(2*int32(h) + 1)
		}
	}
	return routes
}
