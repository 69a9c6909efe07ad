package names

import (
	"context"
	"errors"
	"fmt"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/route/paths"
)

// Assignment gives each path of a Set one of its destination's LIDs.
type Assignment struct {
	Set    *paths.Set
	Offset []uint8  // by path: LID = base of the destination + offset
	Need   []Bounds // by end port: LIDs in use, before LMC; zero without paths
}

// LIDs counts the LIDs of the hosts: 2^ceil(lg k) for a host with k in use, 1 for a host without
// paths.
func (a *Assignment) LIDs() int {
	n := 0
	for _, b := range a.Need[:a.Set.Graph().NumHosts] {
		n += 1 << LMC(int(b.Upper))
	}
	return n
}

// LeastLIDs returns a lower bound of the LIDs of any assignment to these paths.
func (a *Assignment) LeastLIDs() int {
	n := 0
	for _, b := range a.Need[:a.Set.Graph().NumHosts] {
		n += 1 << LMC(int(b.Lower))
	}
	return n
}

// Used counts the hosts' LIDs in use by paths, before LMC, with the lower bounds if these were
// computed.
func (a *Assignment) Used(bounds bool) (u route.UsedLIDs) {
	for _, b := range a.Need[:a.Set.Graph().NumHosts] {
		u.All, u.Most = u.All+int(b.Upper), max(u.Most, int(b.Upper))
		if bounds {
			u.LeastAll, u.LeastMost = u.LeastAll+int(b.Lower), max(u.LeastMost, int(b.Lower))
		}
	}
	return u
}

// Assign assigns LIDs to the paths of a set, each destination separately. It refuses with a
// *PortExhausted.
func Assign(ctx context.Context, set *paths.Set, s *Scheme, opt Options) (*Assignment, error) {
	g := set.Graph()
	a := &Assignment{Set: set, Offset: make([]uint8, set.NumPaths()), Need: make([]Bounds, g.NumEnds)}
	workers := max(1, opt.Workers)
	err := par.For(ctx, workers, g.NumEnds, func(_, dst int) error {
		return a.assign(ctx, int32(dst), s, opt)
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// assign assigns LIDs to the paths to one end port.
func (a *Assignment) assign(ctx context.Context, dst int32, s *Scheme, opt Options) error {
	first, last := a.Set.To(dst)
	if first == last {
		return nil
	}
	colour, b, err := s.Solve(ctx, pathsTo(a.Set, dst), opt)
	if err != nil {
		return a.located(err, dst, first)
	}
	if b.Upper > MaxPerPort {
		return &PortExhausted{route.EndName(a.Set.Graph(), dst), int(b.Upper)}
	}
	if opt.Proven && b.Lower < b.Upper {
		return &Unproven{route.EndName(a.Set.Graph(), dst), b}
	}
	a.Need[dst] = b
	for i, c := range colour {
		a.Offset[first+i] = uint8(c)
	}
	return nil
}

// pathsTo returns the paths to an end port as a Routing: nodes are switches, and links their ports.
func pathsTo(set *paths.Set, dst int32) *Routing {
	g := set.Graph()
	r := &Routing{To: fmt.Sprintf("%s-%d", g.EndNodeGUID[dst], g.EndNum[dst])}
	var channels []int32
	var hops []Hop
	first, last := set.To(dst)
	for p := first; p < last; p++ {
		channels = set.AppendChannels(channels[:0], p)
		hops = hops[:0]
		for _, c := range channels {
			hops = append(hops, Hop{g.From[c], int32(g.FromPort[c])})
		}
		r.Add(hops...)
	}
	return r
}

// located adds to a *LoopError the path and the switch that it passes twice.
func (a *Assignment) located(err error, dst int32, first int) error {
	g := a.Set.Graph()
	if loop, ok := errors.AsType[*LoopError](err); ok {
		return fmt.Errorf("the path from %s to %s meets %s twice: %w", route.EndName(g, a.Set.Source(first+loop.Path)),
			route.EndName(g, dst), fabric.SwitchName(g, loop.Node), err)
	}
	return err
}
