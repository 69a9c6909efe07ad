package paths

import (
	"context"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// Routing is a routing function of the form C x N -> C to one destination: the output channel of a
// packet at a switch, by its input channel (fabric.Nothing for a packet from a host of the switch).
// It returns a negative number if there is no way. It is never called at the destination's switch.
// A function that ignores in is of the form N x N -> C.
type Routing func(at, in int32) (out int32)

// FromRouting follows routing functions from every host to every other. to makes the function of a
// destination; the worker is done with it before it asks for another. FromRouting fails on a loop;
// a pair without a way has no path.
func FromRouting(ctx context.Context, g *fabric.Graph, workers int, to func(worker int, dst int32) Routing) (*Set, error) {
	b := NewBuilder(g)
	err := par.For(ctx, workers, g.NumHosts, func(worker, i int) error {
		dst := int32(i)
		next := to(worker, dst)
		var way []int32
		for src := range int32(g.NumHosts) {
			if src == dst {
				continue
			}
			var ok bool
			var err error
			if way, ok, err = follow(g, way[:0], src, dst, next); err != nil {
				return err
			}
			if ok {
				b.Add(src, dst, way)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return b.Build()
}

// follow appends the channels from src to dst to way; false if there is no way.
func follow(g *fabric.Graph, way []int32, src, dst int32, next Routing) ([]int32, bool, error) {
	in := fabric.Nothing
	for at := g.EndSwitch[src]; at != g.EndSwitch[dst]; at = g.To[in] {
		if len(way) > g.NumChannels { // a path passes no channel twice
			return way, false, fmt.Errorf("paths: the way from %s to %s has a loop", route.EndName(g, src), route.EndName(g, dst))
		}
		if in = next(at, in); in < 0 {
			return way, false, nil
		}
		way = append(way, in)
	}
	return way, true, nil
}

// FromPlan returns the paths of a Plan between the first end ports (hosts, or all): one for each
// LID of the target that the source may use, but equal paths only once. A pair without entries has
// no path; a loop is an error.
func FromPlan(ctx context.Context, g *fabric.Graph, plan *route.Plan, ends, workers int) (*Set, error) {
	b := NewBuilder(g)
	err := par.For(ctx, workers, ends, func(_, i int) error {
		dst := int32(i)
		for src := range int32(ends) {
			if src == dst {
				continue
			}
			if err := addPlanned(b, plan, src, dst); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return b.Build()
}

// addPlanned adds the different paths of a Plan from one host to another.
func addPlanned(b *Builder, plan *route.Plan, src, dst int32) error {
	var ways [][]int32
	for l := range plan.Ends.Count(dst) {
		lid := plan.Ends.Base[dst] + fabric.LID(l)
		if !plan.Uses(src, dst, lid) {
			continue
		}
		way, ok, err := follow(b.g, nil, src, dst, func(at, _ int32) int32 {
			c, _ := b.g.At(at, plan.Tables.Port(at, lid))
			return c
		})
		if err != nil {
			return err
		}
		if ok && !slices.ContainsFunc(ways, func(w []int32) bool { return slices.Equal(w, way) }) {
			ways = append(ways, way)
			b.Add(src, dst, way)
		}
	}
	return nil
}
