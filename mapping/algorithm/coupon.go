package algorithm

import (
	"context"

	"weft/mapping"
	"weft/mapping/internal/graph"
	"weft/mapping/probe"
)

// mapBySoundings is our own algorithm, called coupon, after the conjectures of section 6. It first
// sounds a new switch: it sends host-probes through it, by strings of turns that led to a host from
// switches in the same position (the previous switch's distance from a host). One answer names a
// host and with it every wire on the path, and mostly identifies the switch. A known switch needs
// no more probes. A new one is explored, with the most productive turns so far first, until it is
// merged or complete.
//
// Comparison is left for places where deduction is slow: a switch far from all hosts that no
// sounding passed is compared with the known ones, like in the Myricom algorithm. This also closes
// the parts without a host behind them.
//
// There is no depth bound. The graph is complete when every port of every vertex is known to lead
// to another or nowhere. It then covers the network, every node equally often, and the mapper once:
// it is the network.
//
// The last step assumes that silence is right, but a message that uses a wire twice may be silent
// for that alone. So at the end, vertices whose probe string crosses itself get a shorter one, and
// their silent ports are probed again. Two switches on one string that might be one, without a host
// to tell them apart, are compared (recheck.go).
func mapBySoundings(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	c := &collector{explorer: newExplorer(ctx, p, opt), frontier: []int32{1}, depth: -1, compared: map[int32]bool{}}
	return c.run()
}

func (c *collector) run() (*Result, error) {
	for again := true; again && c.Stopped() == nil; again = c.recheck() {
		for ; len(c.frontier) > 0 && c.Stopped() == nil; c.frontier = c.frontier[1:] {
			x, _ := c.graph.Find(c.frontier[0])
			if c.graph.explored[x] || c.depth >= 0 && int(c.graph.length[x]) > c.depth {
				continue
			}
			c.identify(x)
			c.report(len(c.frontier) - 1)
		}
	}
	return c.coreResult()
}

// Deduction is slower than comparison at switches more than farFromHosts wires from any host, after
// longWithoutHost switches in a row were explored without finding a host.
const (
	farFromHosts    = 6
	longWithoutHost = 256
)

// collector finds switches breadth first and identifies them by hosts.
type collector struct {
	explorer
	frontier    []int32
	depth       int            // of explored strings; negative for no bound
	compared    map[int32]bool // vertices compared with the known ones
	collected   int32          // Vazirani's algorithm: number of vertices found by long probes; it compares the others with all explored ones, without sounding; 0 for coupon
	withoutHost int            // explorations since a host answered
	soundings   probe.Soundings
	found       [probe.Positions][][3]float64 // by position and turn: answers by result
}

// identify finds out which switch x is, and explores it if it is new.
func (c *collector) identify(x int32) {
	g := c.graph
	if c.collected > 0 {
		if x >= c.collected {
			c.isKnown(x, true)
		}
	} else if !c.sound(x) && !c.compared[x] {
		far := c.withoutHost > longWithoutHost && c.distance(x) > farFromHosts
		c.compared[x] = far
		c.isKnown(x, far)
	}
	if !g.IsRoot(x) || g.explored[x] {
		return // merged: the other vertex is or will be explored
	}
	g.explored[x] = true
	c.explorations++
	c.withoutHost++
	last := aSwitch
	for c.Stopped() == nil {
		i, likely, ok := c.choose(x)
		if !ok {
			return
		}
		if likely == nothing {
			likely = last
		}
		if what := c.explorePort(x, i, likely); what != nothing {
			last = what
		}
		g.Deduce()
		x, _ = g.Find(x) // continue with the unknown ports of the switch it was merged with
	}
}

// explorePort probes port i of x, and adds the answer.
func (c *collector) explorePort(x int32, i int, likely found) found {
	g := c.graph
	position := c.position(x)
	path := append(g.path(x), Turn(i))
	what, reply := c.probePair(path, likely)
	c.count(position, i, what)
	switch what {
	case aHost:
		c.withoutHost = 0
		for _, turns := range probe.Endings(path) {
			c.soundings.Index(turns)
		}
		g.addHost(x, i, reply.Host)
	case aSwitch:
		c.frontier = append(c.frontier, g.addSwitch(x, Turn(i)))
	case nothing:
		g.addSilence(x, i)
	}
	return what
}

// sound probes through x until a host answers. It reports whether one did.
func (c *collector) sound(x int32) bool {
	g := c.graph
	distance := c.position(x)
	for range probe.SoundingsEach {
		k, _ := c.soundings.Best(x, distance, func(turn Turn) bool { return c.mayLead(x, turn) })
		if k < 0 {
			return false
		}
		turns := c.soundings.AddTry(k, x, distance)
		reply, ok := c.Host(append(g.path(x), turns...)...)
		if !ok {
			continue
		}
		c.soundings.AddHit(k, distance)
		c.withoutHost = 0
		c.frontier = append(c.frontier, g.addWay(x, turns, reply.Host)...)
		g.Deduce()
		return true
	}
	return false
}

// mayLead reports whether a port may exist and is still unknown.
func (c *collector) mayLead(x int32, turn Turn) bool {
	low, high := c.graph.Window(x)
	return int(turn) >= low && int(turn) <= high && c.graph.At(x, int(turn)).IsUnknown()
}

// distance returns the number of wires from a vertex to the nearest host.
func (c *collector) distance(x int32) int {
	wires, _ := c.graph.DistanceToHost(x)
	return wires
}

// position returns the distance from a host of the switch before x on its string.
func (c *collector) position(x int32) int {
	v, _ := c.graph.Find(c.graph.parent[x])
	return min(c.distance(v), probe.Positions-1)
}

// count counts a result of a turn.
func (c *collector) count(position, i int, what found) {
	if c.found[position] == nil {
		c.found[position] = make([][3]float64, 2*c.graph.Radix-1)
	}
	c.found[position][i+c.graph.Radix-1][what]++
}

// choose returns the unknown port that most likely leads to a host, or at least somewhere, and the
// more frequent kind of node behind such ports; nothing if both are equal.
func (c *collector) choose(x int32) (port int, likely found, ok bool) {
	g := c.graph
	low, high := g.Window(x)
	counted := c.found[c.position(x)]
	best := 0.0
	for i := low; i <= high; i++ {
		if !g.At(x, i).IsUnknown() {
			continue
		}
		var n [3]float64
		if counted != nil {
			n = counted[i+g.Radix-1]
		}
		prior := 1 / float64(max(i, -i)+1)
		host, other := n[aHost]+prior, n[aSwitch]+prior
		all := n[aHost] + n[aSwitch] + n[nothing] + 1 + prior
		if score := (2*host + other) / all; score > best {
			best, port, ok = score, i, true
			likely = nothing
			if n[aHost] > n[aSwitch] {
				likely = aHost
			} else if n[aSwitch] > n[aHost] {
				likely = aSwitch
			}
		}
	}
	return port, likely, ok
}

// isKnown compares x with other switches, nearest first, and merges it with its equal. It compares
// a far switch with all others, and a near one only with a few that also have no host and were
// entered by the same turn: in a regular network these are the likely ones.
func (c *collector) isKnown(x int32, far bool) {
	g := c.graph
	path := g.path(x)
	before := c.Probes.Compare.Sent
	for _, v := range g.Switches(x) {
		if !far && c.Probes.Compare.Sent-before >= 2*g.Radix {
			return
		}
		if v == x || c.collected > 0 && !g.explored[v] || !far && (!g.explored[v] || g.turn[v] != g.turn[x] || g.HasHost(v)) {
			continue
		}
		if c.isSameSwitch(path, x, v, g.path(v), 0) {
			return
		}
	}
}

// isSameSwitch compares x, at the end of a path, with v, which another path enters by port entry. x
// can be v if x's entry port is a port of v that leads to a switch. It merges them if they are one.
func (c *collector) isSameSwitch(path []Turn, x, v int32, other []Turn, entry int) bool {
	g := c.graph
	for i := 1 - g.Radix; i < g.Radix; i++ {
		if i == entry || !g.mayBe(x, v, i) {
			continue
		}
		if c.Compare(path, Turn(entry-i), other) {
			g.Merge(v, x, i)
			return true
		}
	}
	return false
}

// mayBe reports whether port 0 of x may be port shift of v: for each port of x that leads to a
// switch, the port of v also leads to a switch or was not probed.
func (g *modelGraph) mayBe(x, v int32, shift int) bool {
	low, high := g.Window(v)
	for i := 1 - g.Radix; i < g.Radix; i++ {
		p := g.At(x, i)
		if p.To == graph.None {
			continue
		}
		if i+shift < low || i+shift > high {
			return false
		}
		switch q := g.At(v, i+shift); {
		case q.IsSilent():
			return false
		case q.To != graph.None && g.HostIndex(p.To) != g.HostIndex(q.To):
			return false
		}
	}
	return true
}
