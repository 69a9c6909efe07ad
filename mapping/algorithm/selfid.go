package algorithm

import (
	"fmt"

	"weft/mapping"
)

// selfIdentifying maps switches that write their number, the port that the message
// came in by and how many ports they have into a switch-probe that turns round in
// them. Every wire is probed once, from one end; a port that is known is not probed.
func selfIdentifying(p mapping.Prober, opt *Options) (*Result, error) {
	s := &identified{asker: newAsker(p, opt), graph: newGraph(opt.Self, opt.Radix), by: map[uint64]int32{}, entry: map[int32]mapping.ID{}}
	reply := s.toSwitch()
	if reply.Switch.Ports == 0 {
		return nil, fmt.Errorf("mapping: the switches do not identify themselves")
	}
	s.by[reply.Switch.Number], s.entry[1] = 1, reply.Switch
	for frontier := []int32{1}; len(frontier) > 0 && !s.spent(); frontier = frontier[1:] {
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
		for _, what := range [2]kind{likely, aSwitch + aHost - likely} {
			if what == aHost {
				h, ok := s.host(path...)
				if !ok {
					continue
				}
				g.found(v, i, h)
			} else {
				reply := s.toSwitch(path...)
				if !reply.Answered {
					continue
				}
				u, known := s.by[reply.Switch.Number]
				if !known {
					u = g.discover(v, Turn(i))
					s.by[reply.Switch.Number], s.entry[u] = u, reply.Switch
					found = append(found, u)
				} else {
					g.connect(v, i, u, int(reply.Switch.Port-s.entry[u].Port))
				}
			}
			likely = what
			break
		}
	}
	return found
}
