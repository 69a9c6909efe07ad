package app

import (
	"context"
	"math"
	"slices"

	"weft/apps/collective"
	"weft/apps/flows"
	"weft/apps/machine"
	"weft/apps/places"
	"weft/fabric"
)

// played is a run that has ended. If it was folded, its Machine has fewer ranks.
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

// linksOf returns the link figures of a run by flows.
func (s *stage) linksOf(run *flows.Run) links {
	return links{run.LinkBytes(), run.Capacities(), s.net.LinkPort}
}

// End returns when a rank ended.
func (p *played) End(rank int32) machine.Time { return p.Machine.End(rank / int32(p.copies)) }

// folding is an operation with few ranks in place of all. Either the rails of all are alike: each
// has the same paths between the same servers, on links of the same rates that no other rail uses.
// Or the ranks of a ring are alike: on one switch, with ports of the same rates.
type folding struct {
	operation *collective.Operation
	places    *places.Places // of the ranks that run
	ranks     int            // of all
	copies    int
	first     []int32 // by link: the one whose bytes it has too, or -1
}

// fold looks whether a few ranks of an operation can stand for all. It returns nil if not.
func (s *stage) fold(c *cast, where *places.Places, oneSwitch bool) *folding {
	spec := c.jobs[0].operation
	if s.whole || len(c.jobs) > 1 || c.jobs[0].StartNS > 0 || spec == nil || s.recorder != nil {
		return nil
	}
	// The bytes of all messages must be a number.
	if 2*float64(spec.Ranks)*float64(spec.Bytes)*float64(max(spec.Steps, 1)) > math.MaxInt64/2 {
		return nil
	}
	if oneSwitch {
		if ring := spec.FoldRing(); ring != nil {
			return s.foldRing(ring, spec.Ranks, where)
		}
	}
	f := &folding{operation: spec.Fold(), ranks: spec.Ranks, copies: spec.Group, first: s.noLinks()}
	if f.operation == nil {
		return nil
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

// ofAll returns a sum over all ranks, from the sum over the simulated ranks.
func (f *folding) ofAll(sum int64) int64 {
	few, all := int64(f.operation.Ranks), int64(f.ranks)
	return sum/few*all + sum%few*all/few
}

// noLinks returns -1 for each link.
func (s *stage) noLinks() []int32 { return slices.Repeat([]int32{-1}, s.net.Links()) }

// foldRing looks whether the ranks of a ring on one switch are alike: each on a server of its own,
// with links of the same rates to and from the switch.
func (s *stage) foldRing(ring *collective.Operation, ranks int, where *places.Places) *folding {
	if where.Plane != nil {
		return nil
	}
	f := &folding{operation: ring, places: where.Part(0, 2), ranks: ranks, copies: ranks, first: s.noLinks()}
	servers := map[int32]bool{}
	var one, path []int32
	for rank := range ranks {
		if servers[where.Server[rank]] {
			return nil
		}
		servers[where.Server[rank]] = true
		var ok bool
		if path, ok = s.railPath(where, int32(rank), int32((rank+1)%ranks), true, path[:0]); !ok {
			return nil
		}
		if rank == 0 {
			one = slices.Clone(path)
		}
		for k, l := range path {
			if s.net.Rate(l) != s.net.Rate(one[k]) {
				return nil
			}
			f.first[l] = one[k]
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
	run.Machine.Messages, run.Machine.Bytes = f.ofAll(run.Machine.Messages), f.ofAll(run.Machine.Bytes)
	return &played{run.Machine, f.copies, s.linksOf(run)}, true, nil
}
