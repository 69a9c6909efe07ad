package algorithm

import (
	"context"

	"weft/mapping"
	"weft/mapping/theory"
)

// coupon is our own algorithm, after the conjectures of section 6. A switch that was
// found is first sounded: host-probes go through it by strings of turns that led to a
// host from switches in the same position (how far the one before is from a host). One
// answer names a host and with it every wire on the way, and mostly tells which switch
// it is. If it is known, nothing more is spent on it; otherwise it is explored, the
// turns that found most so far first, until it is merged or complete.
//
// Comparison is left for where deduction is slow: a switch far from all hosts that no
// sounding went through is compared with those known, as the Myricom algorithm does.
// This also closes the parts that no host is behind.
//
// There is no depth bound. The graph is complete when every port of every vertex is
// known to lead to another or nowhere. It then covers the network, every node equally
// often, and the mapper once: it is the network.
//
// The last step needs silence to be right, and a message that uses a wire twice may be
// silent for that alone. So at the end vertices whose probe string crosses itself get
// a shorter one and their silent ports are probed again; and where two switches on one
// string might still be one, neither having a host to tell, they are compared
// (recheck.go).
func coupon(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	c := &collector{asker: newAsker(ctx, p, opt), graph: newGraph(opt.Self, opt.Radix), frontier: []int32{1}, compared: map[int32]bool{}}
	for again := true; again && c.stopped() == nil; again = c.recheck() {
		for ; len(c.frontier) > 0 && c.stopped() == nil; c.frontier = c.frontier[1:] {
			x, _ := c.graph.Find(c.frontier[0])
			if c.graph.done[x] {
				continue
			}
			c.identify(x)
			if opt.Explored != nil {
				opt.Explored(Step{Nodes: c.graph.nodes(), Wires: c.graph.wires(), Frontier: len(c.frontier) - 1})
			}
		}
	}
	result, err := c.finish(c.graph, c.explorations)
	if err != nil {
		return nil, err
	}
	result.Map = theory.Core(result.Map)
	return result, nil
}

const (
	slow     = 6   // wires from any host beyond which switches are compared, when
	patience = 256 // so many were explored and no host was found
)

// collector finds switches breadth first and tells them by hosts.
type collector struct {
	asker
	graph        *graph
	frontier     []int32
	compared     map[int32]bool // vertices compared with those known
	explorations int
	stalled      int     // explorations since a host answered
	reached      []int32 // by vertex: the last search that came there
	round        int32
	sounds       Soundings
	seen         [positions][][3]float64 // by turn: what it found
}

// identify finds out which switch x is, and explores it if it is new.
func (c *collector) identify(x int32) {
	g := c.graph
	if !c.sound(x) && !c.compared[x] {
		far := c.stalled > patience && c.distance(x) > slow
		c.compared[x] = far
		c.isKnown(x, far)
	}
	if !g.Root(x) || g.done[x] {
		return // merged: the other vertex is explored, or will be
	}
	g.done[x] = true
	c.explorations++
	c.stalled++
	last := aSwitch
	for c.stopped() == nil {
		i, likely, ok := c.choose(x)
		if !ok {
			return
		}
		if likely == nothing {
			likely = last
		}
		where := c.position(x)
		what, reply := c.probe(append(g.path(x), Turn(i)), likely)
		c.tally(where, i, what)
		if what != nothing {
			last = what
		}
		switch what {
		case aHost:
			c.stalled = 0
			for _, turns := range Endings(append(g.path(x), Turn(i))) {
				c.sounds.Note(turns)
			}
			g.found(x, i, reply.Host)
		case aSwitch:
			c.frontier = append(c.frontier, g.discover(x, Turn(i)))
		case nothing:
			g.at(x, i).to = silent
		}
		g.deduce()
		x, _ = g.Find(x) // what is not known of the one it was merged with
	}
}

// sound probes through x until a host answers. It says whether one did.
func (c *collector) sound(x int32) bool {
	g := c.graph
	distance := c.position(x)
	for range SoundingsEach {
		k, _ := c.sounds.Best(x, distance, func(turn Turn) bool { return c.mayFollow(x, turn) })
		if k < 0 {
			return false
		}
		turns := c.sounds.Try(k, x, distance)
		reply, ok := c.host(append(g.path(x), turns...)...)
		if !ok {
			continue
		}
		c.sounds.Hit(k, distance)
		c.stalled = 0
		last := len(turns) - 1
		y := x
		for _, turn := range turns[:last] {
			y = g.discover(y, turn)
			c.frontier = append(c.frontier, y)
		}
		g.found(y, int(turns[last]), reply.Host)
		g.deduce()
		return true
	}
	return false
}

// mayFollow says whether nothing is known of a port.
func (c *collector) mayFollow(x int32, turn Turn) bool {
	low, high := c.graph.window(x)
	p := c.graph.at(x, int(turn))
	return int(turn) >= low && int(turn) <= high && p.to == unknown
}

// position is the distance from a host of the switch before x on its string.
func (c *collector) position(x int32) int {
	v, _ := c.graph.Find(c.graph.parent[x])
	return min(c.distance(v), positions-1)
}

// tally remembers what a turn found.
func (c *collector) tally(where, i int, what kind) {
	if c.seen[where] == nil {
		c.seen[where] = make([][3]float64, 2*c.graph.radix-1)
	}
	c.seen[where][i+c.graph.radix-1][what]++
}

// choose picks the unknown port that is likeliest to lead to a host, or at least
// somewhere, and what such ports led to more often; nothing if there is no telling.
func (c *collector) choose(x int32) (port int, likely kind, ok bool) {
	g := c.graph
	low, high := g.window(x)
	seen := c.seen[c.position(x)]
	best := 0.0
	for i := low; i <= high; i++ {
		if g.at(x, i).to != unknown {
			continue
		}
		var s [3]float64
		if seen != nil {
			s = seen[i+g.radix-1]
		}
		prior := 1 / float64(max(i, -i)+1)
		host, other := s[aHost]+prior, s[aSwitch]+prior
		all := s[aHost] + s[aSwitch] + s[nothing] + 1 + prior
		if score := (2*host + other) / all; score > best {
			best, port, ok = score, i, true
			likely = nothing
			if s[aHost] > s[aSwitch] {
				likely = aHost
			} else if s[aSwitch] > s[aHost] {
				likely = aSwitch
			}
		}
	}
	return port, likely, ok
}

func (g *graph) hasHost(v int32) bool {
	for _, p := range g.ports[v] {
		if p.to >= 0 && g.host[p.to] >= 0 {
			return true
		}
	}
	return false
}

// distance is the number of wires from a vertex to the nearest host.
func (c *collector) distance(x int32) int {
	g := c.graph
	if g.host[x] >= 0 {
		return 0
	}
	dist := map[int32]int{x: 0}
	for queue := []int32{x}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for _, p := range g.ports[v] {
			if p.to < 0 {
				continue
			}
			u, _ := g.Find(p.to)
			if g.host[u] >= 0 {
				return dist[v] + 1
			}
			if _, known := dist[u]; !known {
				dist[u] = dist[v] + 1
				queue = append(queue, u)
			}
		}
	}
	return len(dist)
}

// isKnown compares x with other switches, nearest first, and merges it with the one
// that it is. A far one is compared with all, another only with a few that have no host
// either and were entered by the same turn, which in a regular network are the likely
// ones.
func (c *collector) isKnown(x int32, far bool) {
	g := c.graph
	path := g.path(x)
	before := c.probes.Compare.Sent
	for _, v := range c.nearest(x) {
		if !far && c.probes.Compare.Sent-before >= 2*g.radix {
			return
		}
		if v == x || !far && (!g.done[v] || g.turn[v] != g.turn[x] || g.hasHost(v)) {
			continue
		}
		if c.sameSwitch(path, x, v, g.path(v), 0) {
			return
		}
	}
}

// sameSwitch compares x, at the end of a path, with v, which another path enters by its
// port entry: x can be v if the port by which it is entered is one of v's that lead to
// a switch. It merges them if they are one.
func (c *collector) sameSwitch(path []Turn, x, v int32, other []Turn, entry int) bool {
	g := c.graph
	for i := 1 - g.radix; i < g.radix; i++ {
		if i == entry || !g.fits(x, v, i) {
			continue
		}
		if c.compare(&c.probes.Compare, path, Turn(entry-i), other) {
			g.work = append(g.work, equal{a: v, b: x, shift: i})
			g.deduce()
			return true
		}
	}
	return false
}

// fits says whether port 0 of x may be port shift of v: each port of x that leads
// to a switch is one of v that does, or that was not probed.
func (g *graph) fits(x, v int32, shift int) bool {
	low, high := g.window(v)
	for i := 1 - g.radix; i < g.radix; i++ {
		p := g.at(x, i)
		if p.to < 0 {
			continue
		}
		q := g.at(v, i+shift)
		if q == nil || i+shift < low || i+shift > high {
			return false
		}
		if q.to < 0 {
			if q.to == silent {
				return false
			}
			continue
		}
		a, _ := g.Find(p.to)
		b, _ := g.Find(q.to)
		if g.host[a] != g.host[b] {
			return false
		}
	}
	return true
}
