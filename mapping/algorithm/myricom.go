package algorithm

import (
	"context"

	"weft/mapping"
)

// hostTries is how often the Myricom mapper sends a host-probe that stays silent. The
// paper does not say; in all three rows of Fig. 10, the host-probes less one for each
// host are 5.0 to 5.2 times the loop-probes, of which there is one for each turn
// without a host.
const hostTries = 5

// myricom is the algorithm of section 4.1. A switch that is found is compared with
// all known ones, the newest first, before it is explored. The paper's heuristics are
// not printed; ours are two: the switch is entered by a port that leads to a switch,
// so that other ports of a known one are not compared, nor is the one by which the
// known switch was entered first, whose wire is identified.
//
// Known switches are reached by paths of a tree, and the one to be compared by such a
// path and one wire more. A comparison goes down the tree, over the wire and up the
// tree, so it needs no direction of a wire twice and cannot collide with itself.
func myricom(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	m := &comparer{asker: newAsker(ctx, p, opt), graph: newGraph(opt.Self, opt.Radix)}
	for frontier := []int32{1}; len(frontier) > 0 && m.stopped() == nil; frontier = frontier[1:] {
		u := frontier[0]
		if v, _ := m.graph.Find(u); m.graph.done[v] || m.isKnown(u) {
			continue
		}
		frontier = append(frontier, m.explore(u)...)
		if opt.Explored != nil {
			opt.Explored(Step{Nodes: m.graph.nodes(), Wires: m.graph.wires(), Frontier: len(frontier) - 1})
		}
	}
	return m.finish(m.graph, len(m.known))
}

// comparer identifies switches by comparison.
type comparer struct {
	asker
	graph *graph
	known []int32 // explored switches
}

// isKnown compares u with the known switches, and merges it with the one that it is.
func (m *comparer) isKnown(u int32) bool {
	path := m.graph.path(u)
	for k := len(m.known) - 1; k >= 0; k-- {
		v := m.known[k]
		for i := 1 - m.graph.radix; i < m.graph.radix; i++ {
			if i == 0 || m.graph.kindOf(v, i, nothing) != aSwitch {
				continue
			}
			if m.compare(&m.probes.Compare, path, Turn(-i), m.graph.path(v)) {
				m.graph.work = append(m.graph.work, equal{a: v, b: u, shift: i})
				m.graph.deduce()
				return true
			}
		}
	}
	return false
}

// explore probes the turns of a new switch for hosts, loopback plugs and switches, and
// returns the switches found. It is up to 14 turns for 8 ports: of the probes that must
// fail, none is left out.
func (m *comparer) explore(v int32) (found []int32) {
	g := m.graph
	g.done[v] = true
	m.known = append(m.known, v)
	path := append(g.path(v), 0)
	for i := 1 - g.radix; i < g.radix; i++ {
		if g.at(v, i).to != unknown {
			continue
		}
		path[len(path)-1] = Turn(i)
		if reply, ok := m.hostAt(path); ok {
			g.found(v, i, reply.Host)
			continue
		}
		m.plug(path)
		if m.toSwitch(path...).Answered {
			found = append(found, g.discover(v, Turn(i)))
		} else {
			g.at(v, i).to = silent
		}
	}
	return found
}

func (m *comparer) hostAt(path []Turn) (reply mapping.Reply, ok bool) {
	for try := 0; try < hostTries && !ok; try++ {
		reply, ok = m.host(path...)
	}
	return reply, ok
}

// plug looks for a loopback plug in a port: a1 .. ak -ak .. -a1. There are none in this
// model, where a wire has two ends, so that an answer tells nothing.
func (m *comparer) plug(path []Turn) {
	m.buf = append(m.buf[:0], path...)
	m.back(path)
	m.send(&m.probes.Loop)
}
