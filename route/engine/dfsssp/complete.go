package dfsssp

import (
	"context"
	"slices"

	"weft/internal/par"
	"weft/route/engine/internal/columns"
	"weft/route/internal/cdg"
)

// Numbers of destinations whose trees grow in parallel.
const (
	leastGrown = 8
	mostGrown  = 64
)

// completeHosts adds paths to the LIDs of hosts from switches that no path between hosts passes.
// Trees grow in parallel, for more and more destinations while the unchanged first lane leads there
// from everywhere.
func (r *router) completeHosts(ctx context.Context, part columns.Part, hosted []int32) error {
	slots := make([]*grownHosts, mostGrown)
	for size := leastGrown; len(hosted) > 0; {
		now := hosted[:min(size, len(hosted))]
		hosted = hosted[len(now):]
		whole, err := r.completeSome(ctx, slots, part, now)
		if err != nil {
			return err
		}
		if whole {
			size = min(2*size, mostGrown)
		}
	}
	return nil
}

// completeSome does so for some destinations, and reports whether the first lane was enough for
// all.
func (r *router) completeSome(ctx context.Context, slots []*grownHosts, part columns.Part, now []int32) (whole bool, err error) {
	first := r.lanes.First()
	err = par.For(ctx, r.in.Workers, len(now), func(_, i int) error {
		if slots[i] == nil {
			slots[i] = &grownHosts{hostPaths: newHostPaths(r.G), tree: newTree(r.G.NumSwitches), met: make([]uint64, first.Index.Size/64+1)}
		}
		slots[i].open(r, now[i], part)
		slots[i].ways.Reach(r.G, r.Head, now[i])
		slots[i].grow(r)
		return nil
	})
	if err != nil {
		return false, err
	}
	var chosen []*columns.Columns
	moves := first.Moves()
	whole = true
	for _, d := range slots[:len(now)] {
		if moves != first.Moves() && !(d.whole && d.fits(r)) {
			d.grow(r)
		}
		if chosen = append(chosen, &d.columns); !d.whole {
			whole = false
			r.completeRest(d)
			continue
		}
		for _, e := range d.edges {
			first.Link(e.C, first.Rank[e.D])
		}
	}
	return whole, columns.Write(ctx, r.in.Workers, r.tables, chosen)
}

// grownHosts holds the paths to the hosts of a destination while they are being completed.
type grownHosts struct {
	*hostPaths
	tree  *tree      // to one of the LIDs
	whole bool       // the columns are complete
	edges []cdg.Edge // of new paths
	met   []uint64   // scratch: a bit for each number of an edge in edges
}

// grow completes the columns if the unchanged first lane leads there from everywhere.
func (d *grownHosts) grow(r *router) {
	index, t := r.lanes.First().Index, d.tree
	for _, e := range d.edges {
		d.met[index.Number(e.C, e.D)/64] = 0
	}
	d.whole, d.edges = false, d.edges[:0]
	for column := range d.columns.LIDs {
		d.read(r.Loads, column)
		if !t.placeFirst(r.channels, d.hostPaths) {
			return
		}
		if t.left > 0 {
			t.join(r.channels, &d.ways)
		}
		if t.left > 0 {
			return
		}
		for _, s := range d.ways.Order[1:] {
			if d.flow[s] > 0 {
				continue
			}
			i := t.of[s].first
			d.columns.Set(s, column, r.Port[i])
			if next := t.of[r.Head[i]].first; next >= 0 {
				d.add(index, cdg.Edge{C: r.G.Out[i], D: r.G.Out[next]})
			}
		}
	}
	d.whole = true
}

// fits reports whether the edges of the new paths agree with the unchanged first lane.
func (d *grownHosts) fits(r *router) bool {
	return !slices.ContainsFunc(d.edges, func(e cdg.Edge) bool { return r.label[r.Place[e.C]] >= r.label[r.Place[e.D]] })
}

// add adds an edge once.
func (d *grownHosts) add(index *cdg.Index, e cdg.Edge) {
	i := index.Number(e.C, e.D)
	if d.met[i/64]>>(i%64)&1 == 0 {
		d.met[i/64] |= 1 << (i % 64)
		d.edges = append(d.edges, e)
	}
}

// completeRest completes the columns over any lanes.
func (r *router) completeRest(d *grownHosts) {
	r.enumerate(&d.ways)
	for column := range d.columns.LIDs {
		d.read(r.Loads, column)
		r.linked, r.moves = 0, r.lanes.First().Moves()
		r.tree.placeFirst(r.channels, d.hostPaths)
		if r.tree.left > 0 {
			r.linkTaken()
			r.tree.join(r.channels, &d.ways)
			r.placeRest(&d.ways)
		}
		r.enter(&d.columns, column)
	}
}

// placeFirst starts a tree with the paths of hosts, as long as the unchanged first lane allows
// them.
func (t *tree) placeFirst(x *channels, p *hostPaths) bool {
	order := p.ways.Order
	t.reset(x, order[0], len(order)-1)
	for _, s := range order[1:] {
		if p.flow[s] == 0 {
			continue
		}
		i := p.first[s]
		if x.label[i] >= t.of[x.Head[i]].label {
			return false
		}
		t.take(x, s, i, 0)
	}
	return true
}
