package algorithm

import (
	"context"
	"errors"

	"weft/mapping"
)

// selfIdentifying maps switches that write their number, the port that the message
// came in by and how many ports they have into a switch-probe that turns round in
// them. Every wire is probed once, from one end; a port that is known is not probed.
func selfIdentifying(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	s := &identified{asker: newAsker(ctx, p, opt), graph: newGraph(opt.Self, opt.Radix), by: map[uint64]int32{}, entry: map[int32]mapping.ID{}}
	var frontier []int32
	if reply := s.toSwitch(); reply.Switch.Ports > 0 {
		s.by[reply.Switch.Number], s.entry[1] = 1, reply.Switch
		frontier = append(frontier, 1)
	} else if reply.Answered {
		return nil, errors.New("mapping: the switches do not identify themselves")
	}
	for ; len(frontier) > 0 && s.stopped() == nil; frontier = frontier[1:] {
		frontier = append(frontier, s.explore(frontier[0])...)
		if opt.Explored != nil {
			opt.Explored(Step{Nodes: s.graph.nodes(), Wires: s.graph.wires(), Frontier: len(frontier) - 1})
		}
	}
	return s.finish(s.graph, len(s.by))
}

type identified struct {
	asker
	graph *graph
	by    map[uint64]int32     // vertex of a switch, by number
	entry map[int32]mapping.ID // of a vertex: the port that its string enters by
}

// explore probes the ports of a switch that nothing is known of, and returns the
// switches that are new.
func (s *identified) explore(v int32) (found []int32) {
	g := s.graph
	path := append(g.path(v), 0)
	likely := aSwitch
	id := s.entry[v]
	for port := range id.Ports {
		i := int(port - id.Port)
		if g.at(v, i).to != unknown {
			continue
		}
		path[len(path)-1] = Turn(i)
		what, reply := s.probe(path, likely)
		switch what {
		case nothing:
			continue
		case aHost:
			g.found(v, i, reply.Host)
		case aSwitch:
			u, known := s.by[reply.Switch.Number]
			if known {
				g.connect(v, i, u, int(reply.Switch.Port-s.entry[u].Port))
				break
			}
			u = g.discover(v, Turn(i))
			s.by[reply.Switch.Number], s.entry[u] = u, reply.Switch
			found = append(found, u)
		}
		likely = what
	}
	return found
}
