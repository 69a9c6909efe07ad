package app

import (
	"context"
	"math"

	"weft/apps/collective"
	"weft/apps/flows"
	"weft/apps/machine"
	"weft/apps/places"
	"weft/fabric"
)

// played is a run that has ended. If it was folded, its Machine has one rank for each server.
type played struct {
	*machine.Machine
	copies int // ranks for which a rank of the Machine stands
	links  links
}

// links holds figures of a run by link, as its network numbers them.
type links struct {
	bytes []float64                     // that crossed each; by packets with their headers
	rate  []float64                     // of each, in bytes per picosecond
	port  func(l int32) fabric.PortName // that sends on it
}

// linksOf returns what a run by flows tells of links.
func (s *stage) linksOf(run *flows.Run) links {
	return links{run.LinkBytes(), run.Capacities(), s.net.LinkPort}
}

// End returns when a rank ended.
func (p *played) End(rank int32) machine.Time { return p.Machine.End(rank / int32(p.copies)) }

// folding says that the rails of an operation are alike: each has the same paths between the same
// servers, on links of the same rates that no other rail uses.
type folding struct {
	operation *collective.Operation
	places    *places.Places // of the first rank of each server
	copies    int
	first     []int32 // by link: that of the first rail, or -1
}

// fold looks whether an operation runs over rails that are alike. It returns nil if not.
func (s *stage) fold(c *cast, where *places.Places, oneSwitch bool) *folding {
	spec := c.jobs[0].operation
	if s.whole || len(c.jobs) > 1 || c.jobs[0].StartNS > 0 || spec == nil || s.recorder != nil {
		return nil
	}
	// The bytes of all messages must be a number.
	if 2*float64(spec.Ranks)*float64(spec.Bytes)*float64(max(spec.Steps, 1)) > math.MaxInt64/2 {
		return nil
	}
	f := &folding{operation: spec.Fold(), copies: spec.Group, first: make([]int32, s.net.Links())}
	if f.operation == nil {
		return nil
	}
	for l := range f.first {
		f.first[l] = -1
	}
	f.places = &places.Places{Plane: where.Plane}
	servers := spec.Ranks / f.copies
	rail, same := make([]int32, s.net.Links()), make([][]int32, f.copies)
	for i := range same {
		same[i] = make([]int32, s.net.Links()) // by link of the first rail: that of rail i, from 1
	}
	var paths [2][]int32
	for server := range servers {
		rank, next := server*f.copies, (server+1)%servers*f.copies
		f.places.Ports, f.places.Server = append(f.places.Ports, where.Ports[rank]), append(f.places.Server, where.Server[rank])
		for i := range f.copies {
			if where.Server[rank+i] != where.Server[rank] {
				return nil
			}
			path, ok := s.railPath(where, int32(rank+i), int32(next+i), oneSwitch, paths[min(i, 1)][:0])
			if paths[min(i, 1)] = path; !ok || len(path) != len(paths[0]) {
				return nil
			}
			for k, l := range path {
				of := paths[0][k]
				if rail[l] == 0 && same[i][of] == 0 {
					rail[l], same[i][of], f.first[l] = int32(i+1), l+1, of
				}
				if rail[l] != int32(i+1) || same[i][of] != l+1 || s.net.Rate(l) != s.net.Rate(of) {
					return nil
				}
			}
		}
	}
	return f
}

// railPath returns the links of a message between servers.
func (s *stage) railPath(where *places.Places, from, to int32, oneSwitch bool, path []int32) ([]int32, bool) {
	src, dst, local := where.Between(from, to, 0)
	if local {
		return path, false
	}
	path, ok := s.net.Path(src, dst, path)
	if !ok || len(path) < 2 {
		return path, false
	}
	if oneSwitch {
		path = append(path[:1], path[len(path)-1])
	}
	return path, true
}

// playFolded runs a folded operation by flows. ok is false if it does not end: then the whole one
// must run, to name what fails.
func (s *stage) playFolded(ctx context.Context, f *folding, h flows.Hardware) (p *played, ok bool, err error) {
	run := flows.New(s.net, f.places, h, f.operation, s.req.Costs)
	done := run.Machine.Watch(ctx, nil)
	defer done()
	if err := run.Run(ctx); err != nil || len(run.Machine.Waiting()) > 0 {
		if ctx.Err() != nil {
			return nil, true, err
		}
		return nil, false, nil
	}
	bytes := run.LinkBytes()
	for l, first := range f.first {
		if first >= 0 {
			bytes[l] = bytes[first]
		}
	}
	run.Machine.Messages *= int64(f.copies)
	run.Machine.Bytes *= int64(f.copies)
	return &played{run.Machine, f.copies, s.linksOf(run)}, true, nil
}
