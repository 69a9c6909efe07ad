package names

import (
	"context"
	"errors"
	"fmt"

	"weft/internal/par"
	"weft/route"
	"weft/route/paths"
)

// Assignment says under which of its destination's LIDs each path of a Set goes.
type Assignment struct {
	Set    *paths.Set
	Offset []uint8  // by path: LID = base of the destination + offset
	Need   []Bounds // by end port: LIDs in use, before LMC; zero without paths
}

// LIDs counts the LIDs of the hosts: 2^ceil(lg k) for a host with k in use, 1 for one
// with none.
func (a *Assignment) LIDs() int {
	n := 0
	for _, b := range a.Need[:a.Set.Graph().NumHosts] {
		n += 1 << LMC(int(b.Upper))
	}
	return n
}

// LeastLIDs is a lower bound of LIDs: of any assignment of these paths.
func (a *Assignment) LeastLIDs() int {
	n := 0
	for _, b := range a.Need[:a.Set.Graph().NumHosts] {
		n += 1 << LMC(int(b.Lower))
	}
	return n
}

// Assign assigns LIDs to the paths of a set, each destination by itself. It refuses
// with a *PortExhausted.
func Assign(ctx context.Context, set *paths.Set, s *Scheme, opt Options) (*Assignment, error) {
	g := set.Graph()
	a := &Assignment{Set: set, Offset: make([]uint8, set.NumPaths()), Need: make([]Bounds, g.NumEnds)}
	workers := max(1, opt.Workers)
	memory := make([]worker, workers)
	err := par.For(ctx, workers, g.NumEnds, func(w, dst int) error {
		return memory[w].assign(ctx, a, int32(dst), s, &opt)
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// worker is the memory of one goroutine.
type worker struct {
	solver
	r        Routing
	channels []int32
}

func (w *worker) assign(ctx context.Context, a *Assignment, dst int32, s *Scheme, opt *Options) error {
	first, last := a.Set.To(dst)
	if first == last {
		return nil
	}
	w.read(a.Set, first, last)
	g := a.Set.Graph()
	w.to = fmt.Sprintf("%s-%d", g.EndNodeGUID[dst], g.EndNum[dst])
	b, err := w.solve(ctx, s, &w.r, opt)
	if err != nil {
		return a.located(err, dst, first)
	}
	if b.Upper > MaxPerPort {
		return &PortExhausted{route.EndName(g, dst), int(b.Upper)}
	}
	a.Need[dst] = b
	for p := range last - first {
		a.Offset[first+p] = uint8(w.colour[w.c.class[p]])
	}
	return nil
}

// read makes the paths of one destination a Routing: nodes are switches, and links
// their ports.
func (w *worker) read(set *paths.Set, first, last int) {
	g := set.Graph()
	w.r.Reset()
	for p := first; p < last; p++ {
		w.channels = set.Append(w.channels[:0], p)
		w.r.begin()
		for _, c := range w.channels {
			w.r.hop(Hop{g.From[c], int32(g.FromPort[c])})
		}
		w.r.end()
	}
}

// located tells of which path to which end port an error is.
func (a *Assignment) located(err error, dst int32, first int) error {
	g := a.Set.Graph()
	if loop, ok := errors.AsType[*LoopError](err); ok {
		return fmt.Errorf("the path from %s to %s meets %s twice: %w", route.EndName(g, a.Set.Source(first+loop.Path)),
			route.EndName(g, dst), route.SwitchName(g, loop.Node), err)
	}
	return err
}
