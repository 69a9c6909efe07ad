package quality

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/internal/par"
	"weft/judge/check"
	"weft/route"
)

// Redundancy describes how the failure of one switch affects nodes with ports on several switches,
// while the tables stay unchanged.
type Redundancy struct {
	Nodes int       `json:"nodes"` // with ports on several switches
	Ports PortPairs `json:"ports"` // two ports of such a node, seen from a leaf
	To    Failures  `json:"to"`    // paths from a host port to all ports of such a node
	From  Failures  `json:"from"`  // paths from all ports of such a node to a host port
}

// Failures counts the connected pairs of such a node and a host port of another node. With several
// LIDs per port, every LID in use counts. The switch of the host port is no point of failure:
// without it there is nothing to reach. A switch of the node is one if all paths pass it.
type Failures struct {
	Pairs    int64          `json:"pairs"`
	Shared   int64          `json:"shared"` // all paths pass one switch: a single point of failure
	Cables   int64          `json:"cables"` // all paths pass one cable, and so its two switches
	Examples []SharedSwitch `json:"examples"`

	Lost     []int64 `json:"-"` // by switch: pairs that its failure separates
	Weakened []int64 `json:"-"` // by switch: pairs that lose some of their paths
}

// SharedSwitch is a pair whose paths all pass one switch.
type SharedSwitch struct {
	From    fabric.PortName `json:"from"`    // the first switch of the paths: of a host port, or of a port of the node
	To      fabric.PortName `json:"to"`      // a port of the node, or the host port
	Through fabric.PortName `json:"through"` // switch
}

// sender is the start of paths: a host port, or all equivalent ports of a switch.
type sender struct {
	at     int32 // switch
	end    int32 // -1 for any
	weight int64
}

// nodeClass is one node with ports on several switches, or all such nodes with the same switches.
type nodeClass struct {
	ports  []sender
	weight int64
}

// redundancy walks the paths of such nodes.
type redundancy struct {
	*check.Facts
	nodes       []int32
	senders     []sender
	nodeClasses []nodeClass
	classOf     []int32    // by node: its class, -1 for none
	overlaps    []*overlap // by worker
}

// redundancyOf walks the paths between every host port and every node with ports on several
// switches. It returns nil if there are no such nodes.
func redundancyOf(ctx context.Context, f *check.Facts, workers int) (*Redundancy, error) {
	r := &redundancy{Facts: f, overlaps: make([]*overlap, workers)}
	r.prepare()
	if len(r.nodes) == 0 {
		return nil, nil
	}
	g := r.Graph
	out := &Redundancy{Nodes: len(r.nodes)}
	first := make([]portExample, len(r.nodes))
	var err error
	out.To, err = r.run(ctx, len(r.nodes), func(t *overlap, i int) { r.to(t, r.nodes[i], &first[i]) }, func(i int) int32 { return g.NodeEnds[g.NodeStart[r.nodes[i]]] })
	if err != nil {
		return nil, err
	}
	out.Ports = r.portPairsOf(first)
	out.From, err = r.run(ctx, g.NumHosts, func(t *overlap, i int) { r.from(t, int32(i)) }, func(i int) int32 { return int32(i) })
	return out, err
}

// prepare finds the nodes, their classes and the senders.
func (r *redundancy) prepare() {
	g := r.Graph
	r.classOf = make([]int32, g.NumNodes)
	byPlace := map[string]int32{}
	for n := range int32(g.NumNodes) {
		r.classOf[n] = -1
		var ports []sender
		apart := false
		for _, end := range g.NodeEnds[g.NodeStart[n]:g.NodeStart[n+1]] {
			if !g.IsHost(end) || r.LIDs.Count[end] == 0 {
				continue
			}
			s := sender{at: g.EndSwitch[end], end: end, weight: 1}
			if r.Plan.Choice.By == route.AnyLID {
				s.end = -1
			}
			ports = append(ports, s)
			apart = apart || s.at != ports[0].at
		}
		if !apart {
			continue
		}
		var place []byte
		for _, s := range ports {
			place = fmt.Appendln(place, s.at, s.end)
		}
		r.nodes = append(r.nodes, n)
		h, ok := byPlace[string(place)]
		if !ok {
			h = int32(len(r.nodeClasses))
			byPlace[string(place)] = h
			r.nodeClasses = append(r.nodeClasses, nodeClass{ports: ports})
		}
		r.nodeClasses[h].weight++
		r.classOf[n] = h
	}
	for s := range int32(g.NumSwitches) {
		all := sender{at: s, end: -1}
		for _, h := range g.HostsOf(s) {
			switch {
			case r.LIDs.Count[h] == 0:
			case r.Plan.Choice.By != route.AnyLID:
				r.senders = append(r.senders, sender{at: s, end: h, weight: 1})
			default:
				all.weight++
			}
		}
		if all.weight > 0 {
			r.senders = append(r.senders, all)
		}
	}
}

// run adds up the findings of the workers; end(i) is the end port of item i.
func (r *redundancy) run(ctx context.Context, n int, do func(t *overlap, i int), end func(i int) int32) (Failures, error) {
	first := make([]example, n)
	clear(r.overlaps)
	err := par.For(ctx, len(r.overlaps), n, func(worker, i int) error {
		if r.overlaps[worker] == nil {
			r.overlaps[worker] = newOverlap(r.Facts)
		}
		t := r.overlaps[worker]
		t.first = &first[i]
		do(t, i)
		return nil
	})
	f := Failures{Examples: []SharedSwitch{}, Lost: make([]int64, r.Graph.NumSwitches), Weakened: make([]int64, r.Graph.NumSwitches)}
	for _, t := range r.overlaps {
		if t == nil {
			continue
		}
		f.Pairs += t.sum.Pairs
		f.Shared += t.sum.Shared
		f.Cables += t.sum.Cables
		for s := range f.Lost {
			f.Lost[s] += t.sum.Lost[s]
			f.Weakened[s] += t.sum.Weakened[s]
		}
	}
	for i, e := range first {
		if e.found && len(f.Examples) < examplesShown {
			g := r.Graph
			f.Examples = append(f.Examples, SharedSwitch{g.SwitchPort(e.from, 0), g.EndName(end(i)), g.SwitchPort(e.point, 0)})
		}
	}
	return f, err
}

// example is a switch that all paths from another switch pass.
type example struct {
	found       bool
	from, point int32
}

// to judges the paths from all hosts to the ports of a node. It stores an example of two ports that
// share a switch in first.
func (r *redundancy) to(t *overlap, node int32, first *portExample) {
	g := r.Graph
	ends := g.NodeEnds[g.NodeStart[node]:g.NodeStart[node+1]]
	t.resolve(ends)
	t.ports.first = first
	t.ports.beginNode(ends)
	own := map[int32]int64{}
	for _, end := range ends {
		if r.LIDs.Count[end] > 0 {
			own[g.EndSwitch[end]]++
		}
	}
	for _, s := range r.senders {
		weight := s.weight
		if s.end < 0 {
			weight -= own[s.at]
		} else if g.EndNode[s.end] == node {
			weight = 0
		}
		if weight == 0 {
			continue
		}
		t.begin(s.at)
		t.ports.beginSender(s.at)
		for i, end := range ends {
			t.ports.beginPort()
			t.follow(s, i, end)
			t.ports.endPort(i)
		}
		t.close(weight, s.at)
	}
	t.ports.endLeaf()
}

// from judges the paths from the ports of all nodes to a host port.
func (r *redundancy) from(t *overlap, host int32) {
	g := r.Graph
	t.resolve([]int32{host})
	mine := r.classOf[g.EndNode[host]]
	for i, h := range r.nodeClasses {
		weight := h.weight
		if int32(i) == mine {
			weight--
		}
		if weight == 0 {
			continue
		}
		t.begin(g.EndSwitch[host])
		for _, port := range h.ports {
			t.follow(port, 0, host)
		}
		t.close(weight, h.ports[0].at)
	}
}
