package algorithm

import (
	"context"

	"weft/mapping"
	"weft/mapping/internal/graph"
	"weft/mapping/probe"
	"weft/mapping/theory"
)

// explorer sends probes and adds the proven wires to a model graph.
type explorer struct {
	pairProber
	graph        *modelGraph
	explorations int
	explored     func(Step)
}

func newExplorer(ctx context.Context, p mapping.Prober, opt *Options) explorer {
	return explorer{
		pairProber: pairProber{probe.NewSender(ctx, p, opt.Self, probe.Options{Retries: opt.Retries, Limit: opt.Limit})},
		graph:      newModelGraph(opt.Self, opt.Radix), explored: opt.Explored,
	}
}

// report passes the size of the graph to Options.Explored.
func (e *explorer) report(frontier int) {
	if e.explored != nil {
		e.explored(Step{Nodes: e.graph.Nodes(), Wires: e.graph.Wires(), Frontier: frontier})
	}
}

// result converts the graph to a map.
func (e *explorer) result() (*Result, error) {
	if err := e.Stopped(); err != nil {
		return nil, err
	}
	e.graph.Deduce()
	n, _, err := e.graph.Network()
	if err != nil {
		return nil, err
	}
	return &Result{Map: n, Probes: e.Probes, Elapsed: e.Elapsed, Peak: e.graph.Peak(), Explorations: e.explorations}, nil
}

// coreResult converts the core of the graph to a map.
func (e *explorer) coreResult() (*Result, error) {
	r, err := e.result()
	if err == nil {
		r.Map = theory.Core(r.Map)
	}
	return r, err
}

// found is the kind of node that answered a pair of probes.
type found uint8

const (
	nothing found = iota
	aSwitch
	aHost
)

// pairProber sends pairs of probes.
type pairProber struct{ probe.Sender }

// probePair sends the pair of probes of section 2.3: a switch-probe and a host-probe, the likely
// one first, the other only if the first is silent. The reply names the host, or the
// self-identifying switch.
func (e *pairProber) probePair(path []Turn, likely found) (found, mapping.Reply) {
	for _, what := range [2]found{likely, aSwitch + aHost - likely} {
		if what == aHost {
			if reply, ok := e.Host(path...); ok {
				return aHost, reply
			}
			continue
		}
		switch reply := e.probeSwitch(path...); {
		case reply.Early:
			return aHost, reply
		case reply.Answered:
			return aSwitch, reply
		}
	}
	return nothing, mapping.Reply{}
}

// probeSwitch sends a switch-probe. If a host answers it early, it counts as a host-probe.
func (e *pairProber) probeSwitch(path ...Turn) mapping.Reply {
	reply := e.Switch(path...)
	if reply.Early {
		e.Probes.Switch.Sent--
		e.Probes.Switch.Answered--
		e.Probes.Host.Sent++
		e.Probes.Host.Answered++
	}
	return reply
}

// modelGraph is a graph whose vertices were found by probe strings. If two vertices turn out to be
// one, the one with the shorter string keeps its numbering.
type modelGraph struct {
	*graph.Graph

	// By vertex, merged or not.
	parent   []int32 // the vertex that it was found from, as it was then
	turn     []Turn  // and the turn that led to it
	length   []int16 // of its probe string
	explored []bool
	queued   []bool // breadth first only: it is or was on the frontier

	// mergedSilent lists, by vertex, the vertices merged into it that had silent ports, probed by
	// their own strings.
	mergedSilent map[int32][]int32
}

// newModelGraph returns a graph of the mapping host, vertex 0, and its switch, vertex 1.
func newModelGraph(self mapping.Host, radix int) *modelGraph {
	g := &modelGraph{Graph: graph.New(radix), mergedSilent: map[int32][]int32{}}
	g.Merging = g.inherit
	g.AddWire(g.Host(self), 0, g.AddSwitch(0), 0)
	g.extend()
	return g
}

// extend extends the slices by entries for new vertices.
func (g *modelGraph) extend() {
	for len(g.parent) < g.Len() {
		g.parent, g.turn = append(g.parent, 0), append(g.turn, 0)
		g.length, g.explored, g.queued = append(g.length, 0), append(g.explored, false), append(g.queued, false)
	}
}

// inherit passes the knowledge about a merged vertex to the kept one.
func (g *modelGraph) inherit(kept, gone int32) {
	g.explored[kept] = g.explored[kept] || g.explored[gone]
	g.queued[kept] = g.queued[kept] || g.queued[gone]
	if g.HasSilent(gone) {
		g.mergedSilent[kept] = append(append(g.mergedSilent[kept], g.mergedSilent[gone]...), gone)
	}
	delete(g.mergedSilent, gone)
}

// addHost adds a host behind port i of v.
func (g *modelGraph) addHost(v int32, i int, h mapping.Host) {
	g.AddWire(v, i, g.Host(h), 0)
	g.extend()
}

// addSwitch adds a switch behind port turn of x; its string is x's string and the turn.
func (g *modelGraph) addSwitch(x int32, turn Turn) int32 {
	length := int(g.length[x]) + 1
	u := g.AddSwitch(length)
	g.extend()
	g.parent[u], g.turn[u], g.length[u] = x, turn, int16(length)
	g.AddWire(x, int(turn), u, 0)
	return u
}

// addWay adds the path from x to a host. It returns the switches on it.
func (g *modelGraph) addWay(x int32, turns []Turn, h mapping.Host) (added []int32) {
	last := len(turns) - 1
	for _, turn := range turns[:last] {
		x = g.addSwitch(x, turn)
		added = append(added, x)
	}
	g.addHost(x, int(turns[last]), h)
	return added
}

// addSilence notes that both probes of port i of v were silent.
func (g *modelGraph) addSilence(v int32, i int) {
	g.AddSilence(v, i, graph.ForHost)
	g.AddSilence(v, i, graph.ForSwitch)
}

// path returns the probe string of a vertex.
func (g *modelGraph) path(v int32) []Turn { return stringOf(v, g.parent, g.turn, g.length) }

// stringOf returns the probe string of a vertex, by the parents of vertices, the turns that led to
// them and the lengths of their strings.
func stringOf(v int32, parent []int32, turn []Turn, length []int16) []Turn {
	turns := make([]Turn, length[v])
	for i := len(turns) - 1; i >= 0; i-- {
		turns[i] = turn[v]
		v = parent[v]
	}
	return turns
}

// kindOf returns the kind of node behind port i of v, or unknown.
func (g *modelGraph) kindOf(v int32, i int, unknown found) found {
	switch p := g.At(v, i); {
	case p.To == graph.None:
		return unknown
	case g.IsHost(p.To):
		return aHost
	}
	return aSwitch
}
