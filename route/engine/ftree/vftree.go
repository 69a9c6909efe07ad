package ftree

import (
	"weft/fabric"
	"weft/route"
)

// layout says which lane every packet takes.
type layout struct {
	lanes  int
	spread bool   // those between hosts are spread over the lanes, of which apart has the last
	apart  *apart // paths on the last lane, nil for none
}

// fill gives the lanes out. Spread puts the hosts of every two leaves on a virtual lane
// of their own, so far as there are lanes, the same both ways (paper II, algorithms 1
// and 2): packets for hosts that share a link upwards are not held up by each other. Any
// lanes are free of deadlock, since the paths are on a single one. Traffic of switches
// is on the first lane.
//
// Deviations: line 3 of algorithm 1 gives a lane that does not exist when the number
// of lanes is odd, so it is taken modulo that number. In an oversubscribed tree
// hosts of one leaf share a link upwards too: there the hosts of a leaf are classed
// by the round in which the links were dealt to them, and the lane moves on with the
// rounds of both ends.
func (y *layout) fill(in *route.Input, t *tree, plan *route.Plan) {
	g := in.Graph
	c := y.classes(t)
	of := make([]int32, int(in.Ends.Top())+1)
	for lid, end := range in.Ends.ByLID() {
		of[lid] = -1
		if end >= 0 {
			of[lid] = c.of[end]
		}
	}
	shared := y.lanes
	if y.apart != nil {
		shared--
	}
	n := len(c.all)
	plan.SL = route.NewSLs(c.of, of, n, n)
	plan.SL.OneWay = y.apart != nil && y.apart.oneWay
	for b, to := range c.all {
		for a, from := range c.all {
			switch {
			case y.apart.has(from, to):
				plan.SL.Set(int32(a), int32(b), uint8(shared))
			case y.spread && from.leaf >= 0 && to.leaf >= 0 && from.leaf != to.leaf:
				lane := pairLane(from.leaf, to.leaf, int32(shared)) + from.round + to.round
				plan.SL.Set(int32(a), int32(b), uint8(lane%int32(shared)))
			}
		}
	}
	var table route.VLTable
	for sl := range y.lanes {
		table[sl] = uint8(sl)
	}
	plan.SL2VL, plan.VLs = route.UniformVL(g, table), y.lanes
}

// class is end ports whose packets take the same lanes.
type class struct {
	at    int32 // switch, -1 for any
	zero  bool
	leaf  int32 // its number, -1 for the others and for port 0
	round int32
}

type classes struct {
	all []class
	of  []int32 // by end port
}

// classes parts the hosts of a leaf by rounds, where that matters, and the switches where
// they have a lane of their own.
func (y *layout) classes(t *tree) *classes {
	g := t.g
	place := make([]int32, g.NumSwitches)
	for s := range place {
		place[s] = -1
	}
	for i, l := range t.leaves {
		place[l] = int32(i)
	}
	c := &classes{all: []class{{at: -1, leaf: -1}}, of: make([]int32, g.NumEnds)}
	put := func(end int32, is class) {
		if y.apart == nil && is.leaf < 0 {
			return // of the first class
		}
		if c.all[len(c.all)-1] != is {
			c.all = append(c.all, is)
		}
		c.of[end] = int32(len(c.all) - 1)
	}
	for s := range int32(g.NumSwitches) {
		links := max(1, int32(len(t.linesUp(s))))
		for i, h := range g.HostsOf(s) {
			is := class{at: s, leaf: place[s]}
			if y.spread && place[s] >= 0 {
				is.round = int32(i) / links
			}
			put(h, is)
		}
		put(g.PortZero(s), class{at: s, zero: true, leaf: -1})
	}
	return c
}

// apart is which paths are on a lane of their own.
type apart struct {
	hosts, zeros [][]bool // by target switch, source switch; nil for none
	oneWay       bool     // some are whose answers are not
}

// has tells whether packets between two classes are apart.
func (a *apart) has(from, to class) bool {
	if a == nil || from.at < 0 || to.at < 0 {
		return false
	}
	sources := a.hosts[to.at]
	if to.zero {
		sources = a.zeros[to.at]
	}
	return sources != nil && sources[from.at]
}

// mutual tells whether the way back is apart where the way there is: what a switch and its
// hosts send is, or is not, together.
func (a *apart) mutual(g *fabric.Graph) bool {
	is := func(of [][]bool, x, s int32) bool { return of[x] != nil && of[x][s] }
	for x := range int32(g.NumSwitches) {
		for s := range int32(g.NumSwitches) {
			back := is(a.zeros, s, x)
			if is(a.zeros, x, s) != back || len(g.HostsOf(x)) > 0 && is(a.hosts, x, s) != back {
				return false
			}
		}
	}
	return true
}

// pairLane is the lane of algorithm 1 for two leaves.
func pairLane(a, b, lanes int32) int32 {
	a, b = min(a, b), max(a, b)
	first := (2 * a) % lanes
	if (2*a/lanes)%2 == 1 {
		first = (first + 1) % lanes
	}
	return (first + b - a - 1) % lanes
}
