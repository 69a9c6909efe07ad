package algorithm

import (
	"context"
	"slices"

	"weft/mapping"
)

// hostTries is the number of times that the Myricom mapper sends a silent host-probe. The paper
// does not say. In all three rows of Fig. 10 the host-probes, minus one for each host, are 5.0 to
// 5.2 times the loop-probes, and there is one loop-probe for each turn without a host.
const hostTries = 5

// mapByComparison implements the algorithm of section 4.1. It compares a new switch with all known
// ones, the newest first, before exploring it. The paper's heuristics are not printed; ours are
// two. The switch is entered by a port that leads to a switch, so other ports of a known one are
// not compared. Nor is the port where the known switch was first entered, whose wire is identified.
//
// Known switches are reached by paths of a tree, and the new one by such a path and one wire more.
// A comparison goes down the tree, over the wire and up the tree, so it needs no direction of a
// wire twice and cannot collide with itself.
//
// If traffic loses a comparison, a switch is explored twice. Hosts found on both of its vertices
// merge them later.
func mapByComparison(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	c := &comparer{explorer: newExplorer(ctx, p, opt)}
	for frontier := []int32{1}; len(frontier) > 0 && c.Stopped() == nil; frontier = frontier[1:] {
		v, _ := c.graph.Find(frontier[0])
		if c.graph.explored[v] || c.isKnown(v) {
			continue
		}
		frontier = append(frontier, c.explore(v)...)
		c.report(len(frontier) - 1)
	}
	return c.result()
}

// comparer identifies switches by comparison.
type comparer struct {
	explorer
	known []int32 // explored switches, some of them possibly merged
}

// isKnown compares u with the known switches, and merges it with its equal.
func (c *comparer) isKnown(u int32) bool {
	g := c.graph
	path := g.path(u)
	for k := len(c.known) - 1; k >= 0; k-- {
		v, _ := g.Find(c.known[k])
		if v != c.known[k] && slices.Contains(c.known, v) {
			continue
		}
		for i := 1 - g.Radix; i < g.Radix; i++ {
			if i == 0 || g.kindOf(v, i, nothing) != aSwitch {
				continue
			}
			if c.Compare(path, Turn(-i), g.path(v)) {
				g.Merge(v, u, i)
				return true
			}
		}
	}
	return false
}

// explore probes the turns of a new switch for hosts, loopback plugs and switches, and returns the
// switches found. That is up to 14 turns for 8 ports: it does not skip probes that must fail.
func (c *comparer) explore(v int32) (switches []int32) {
	g := c.graph
	g.explored[v] = true
	c.known = append(c.known, v)
	c.explorations++
	path := append(g.path(v), 0)
	for i := 1 - g.Radix; i < g.Radix; i++ {
		if !g.At(v, i).IsUnknown() {
			continue
		}
		path[len(path)-1] = Turn(i)
		if reply, ok := c.hostAt(path); ok {
			g.addHost(v, i, reply.Host)
			continue
		}
		c.Loop(path)
		switch reply := c.probeSwitch(path...); {
		case reply.Early:
			g.addHost(v, i, reply.Host)
		case reply.Answered:
			switches = append(switches, g.addSwitch(v, Turn(i)))
		default:
			g.addSilence(v, i)
		}
	}
	g.Deduce()
	return switches
}

func (c *comparer) hostAt(path []Turn) (reply mapping.Reply, ok bool) {
	for try := 0; try < hostTries && !ok; try++ {
		reply, ok = c.Host(path...)
	}
	return reply, ok
}
