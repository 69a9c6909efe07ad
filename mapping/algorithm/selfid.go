package algorithm

import (
	"context"
	"errors"

	"weft/mapping"
)

// mapByIDs maps switches that write their number, the input port and their number of ports into a
// switch-probe that turns round in them. Every wire is probed once, from one end; a known port is
// not probed.
func mapByIDs(ctx context.Context, p mapping.Prober, opt *Options) (*Result, error) {
	s := &identifier{explorer: newExplorer(ctx, p, opt), vertex: map[uint64]int32{}, entry: map[int32]mapping.ID{}}
	var frontier []int32
	if reply := s.probeSwitch(); reply.Switch.Ports > 0 {
		s.vertex[reply.Switch.Number], s.entry[1] = 1, reply.Switch
		frontier = append(frontier, 1)
	} else if reply.Answered {
		return nil, errors.New("mapping: the switches do not identify themselves")
	}
	for ; len(frontier) > 0 && s.Stopped() == nil; frontier = frontier[1:] {
		frontier = append(frontier, s.explore(frontier[0])...)
		s.report(len(frontier) - 1)
	}
	s.explorations = len(s.vertex)
	return s.result()
}

// identifier identifies switches by the ID that they write into probes.
type identifier struct {
	explorer
	vertex map[uint64]int32     // by number of a switch
	entry  map[int32]mapping.ID // by vertex: the entry port of its string
}

// explore probes the unknown ports of a switch, and returns the new switches.
func (s *identifier) explore(v int32) (switches []int32) {
	g := s.graph
	path := append(g.path(v), 0)
	likely := aSwitch
	id := s.entry[v]
	for port := range id.Ports {
		i := int(port - id.Port)
		if !g.At(v, i).IsUnknown() {
			continue
		}
		path[len(path)-1] = Turn(i)
		what, reply := s.probePair(path, likely)
		switch what {
		case nothing:
			continue
		case aHost:
			g.addHost(v, i, reply.Host)
		case aSwitch:
			u, known := s.vertex[reply.Switch.Number]
			if known {
				g.AddWire(v, i, u, int(reply.Switch.Port-s.entry[u].Port))
				break
			}
			u = g.addSwitch(v, Turn(i))
			s.vertex[reply.Switch.Number], s.entry[u] = u, reply.Switch
			switches = append(switches, u)
		}
		likely = what
	}
	return switches
}
