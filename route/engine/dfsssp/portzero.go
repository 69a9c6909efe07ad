package dfsssp

import (
	"context"
	"slices"

	"weft/internal/par"
	"weft/route/engine/internal/columns"
	"weft/route/engine/internal/shortest"
)

// destination is a switch whose port 0 is being routed, with the tree to it as far as the first
// lane allows.
type destination struct {
	to    int32
	tree  *tree // nil until it grows
	moves int   // on the first lane, when it grew
}

const (
	grown = 32  // trees that grow at once
	kept  = 128 // trees kept, which need not grow again
)

// routePortZeros routes the LIDs of port 0 and of the aggregation nodes of every switch. It starts
// with the switches that all others reach on the unchanged first lane. The rest follow one after
// another, because each may change the lanes for the next.
func (r *router) routePortZeros(ctx context.Context, part columns.Part, order []int32) error {
	var all, others []destination
	for _, t := range order {
		if slices.ContainsFunc(r.G.OthersOf(t), func(end int32) bool { return part.Count(&r.in.Ends, end) > 0 }) {
			all = append(all, destination{to: t})
		}
	}
	err := r.eachTree(ctx, part, all, nil, func(c *columns.Columns, d *destination, _ *shortest.Ways) bool {
		switch {
		case r.tree.left == 0:
			r.enterAll(c)
			return true
		case len(others) < kept:
			others = append(others, *d)
			d.tree = nil
		default:
			others = append(others, destination{to: d.to})
		}
		return false
	})
	if err != nil {
		return err
	}
	return r.eachTree(ctx, part, others, make([]shortest.Ways, grown), func(c *columns.Columns, _ *destination, w *shortest.Ways) bool {
		r.enumerate(w)
		r.placeRest(w)
		r.enterAll(c)
		return true
	})
}

// enterAll writes the paths into all columns of a destination.
func (r *router) enterAll(c *columns.Columns) {
	for column := range c.LIDs {
		r.enter(c, column)
	}
}

// eachTree grows trees in parallel and passes them to use one after another, with the ways to their
// switches unless ways is nil. It writes the chosen columns.
func (r *router) eachTree(
	ctx context.Context, part columns.Part, list []destination, ways []shortest.Ways,
	use func(c *columns.Columns, d *destination, w *shortest.Ways) (chosen bool),
) error {
	opened := make([]columns.Columns, grown)
	var chosen []*columns.Columns
	for now := range slices.Chunk(list, grown) {
		for i := range now {
			if now[i].tree == nil {
				now[i].tree, now[i].moves = r.spareTree(), -1
			}
		}
		err := par.For(ctx, r.in.Workers, len(now), func(_, i int) error {
			r.grow(&now[i])
			opened[i].Open(r.in, now[i].to, part)
			if ways != nil {
				ways[i].Reach(r.G, r.Head, now[i].to)
			}
			return nil
		})
		if err != nil {
			return err
		}
		chosen = chosen[:0]
		for i := range now {
			d := &now[i]
			r.grow(d)
			r.tree, r.linked, r.moves = d.tree, 0, d.moves
			var w *shortest.Ways
			if ways != nil {
				w = &ways[i]
			}
			if use(&opened[i], d, w) {
				chosen = append(chosen, &opened[i])
			}
			if d.tree != nil {
				r.spare, d.tree = append(r.spare, d.tree), nil
			}
		}
		if err := columns.Write(ctx, r.in.Workers, r.tables, chosen); err != nil {
			return err
		}
	}
	return nil
}

// grow grows the tree of a destination, again if the first lane has changed since.
func (r *router) grow(d *destination) {
	if moves := r.lanes.First().Moves(); d.moves != moves {
		d.tree.joinAll(r.channels, d.to)
		d.moves = moves
	}
}

// spareTree returns a tree that is not in use.
func (r *router) spareTree() *tree {
	n := len(r.spare)
	if n == 0 {
		return newTree(r.G.NumSwitches)
	}
	t := r.spare[n-1]
	r.spare = r.spare[:n-1]
	return t
}
