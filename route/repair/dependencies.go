package repair

import (
	"bytes"
	"context"
	"slices"

	"weft/internal/par"
	"weft/route"
	"weft/route/internal/cdg"
)

// dependencies knows which channel may follow which, over (channel, VL) pairs: lanes.pair.
type dependencies struct {
	b     *binding
	l     *lanes
	index *cdg.Index // of a layer
	lost  []column
	// looked caches the answers of lookUp by layer and edge of the index. It is nil, and has needs
	// the orders, if the links of the old Graph are unknown. With several lanes it is also nil if
	// VLs depend on input ports or end ports have moved.
	looked []uint8
	ups    *search  // of carries
	masks  []uint16 // of carries: by switch in ups.list, SLs

	orders []*cdg.Order // by layer: of all dependencies, nil until needed
	made   []*cdg.Order // by layer: the same, even before it is needed; nil for a layer with cycles
	cyclic bool         // the old Plan has cycles: the repair admits every dependency
	added  int          // number of admitted dependencies beyond the old Plan's
	turns  []int32      // by switch: the number of these
	fresh  [][]cdg.Edge // scratch of admit, by layer
}

// mostLooked is the maximum number of edges for looking dependencies up one by one. Each lookup
// touches only its own byte.
const mostLooked = 1 << 28

// Answers kept in looked.
const (
	notAsked uint8 = iota
	present
	missing
)

func newDependencies(b *binding, l *lanes, lost []column) *dependencies {
	n := l.layers()
	d := &dependencies{
		b: b, l: l, index: cdg.NewIndex(l.layer), lost: lost, turns: make([]int32, b.g.NumSwitches),
		orders: make([]*cdg.Order, n), fresh: make([][]cdg.Edge, n),
	}
	if b.links && (l.n == 1 || !l.byInput && b.classesStay()) && n*d.index.Size <= mostLooked {
		d.looked, d.ups = make([]uint8, n*d.index.Size), newSearch(b)
	}
	return d
}

// lazy reports whether dependencies are looked up one by one, without an order.
func (d *dependencies) lazy() bool { return d.looked != nil }

// has reports whether the old Plan has the dependency of pair e on pair c, or the
// repair has added it.
func (d *dependencies) has(c, e int32) bool {
	layer, c1 := d.l.layerOf(c)
	_, e1 := d.l.layerOf(e)
	if o := d.orders[layer]; o != nil {
		return d.cyclic || o.Has(c1, d.index.Rank[e1])
	}
	if d.made != nil && d.made[layer] != nil {
		return d.made[layer].Has(c1, d.index.Rank[e1])
	}
	at := &d.looked[int(layer)*d.index.Size+d.index.Number(c1, e1)]
	if *at == notAsked {
		*at = missing
		if d.lookUp(c, e) {
			*at = present
		}
	}
	return *at == present
}

// lookUp searches for a LID of the old Plan whose packets go from pair c to e.
func (d *dependencies) lookUp(c, e int32) bool {
	g, b := d.b.g, d.b
	c, was := d.l.channelOf(c)
	e, becomes := d.l.channelOf(e)
	first, then := g.FromPort[c], g.FromPort[e]
	if b.changed[g.PortStart[g.From[c]]+int32(first)] || b.changed[g.PortStart[g.From[e]]+int32(then)] {
		return false
	}
	sls := d.l.slsOn(c, was) & d.l.slsOn(e, becomes)
	rows, on := b.rows[g.From[c]], b.rows[g.From[e]]
	for i, block := range rows {
		for k := bytes.IndexByte(block[:], first); k >= 0; {
			if lid := i*route.BlockSize + k; on[i][k] == then && lid < len(b.same) && b.same[lid] && d.carries(c, lid, sls) {
				return true
			}
			more := bytes.IndexByte(block[k+1:], first)
			if more < 0 {
				break
			}
			k += 1 + more
		}
	}
	return false
}

// carries reports whether old entries lead packets on some SLs over channel c to a LID: it searches
// upstream for a switch that sends on one of them.
func (d *dependencies) carries(c int32, lid int, sls uint16) bool {
	if d.l.n == 1 {
		return true
	}
	g, up := d.b.g, d.ups
	up.begin()
	up.mark[g.From[c]] = up.base + isLost
	up.list, d.masks = append(up.list, g.From[c]), append(d.masks[:0], sls)
	for i := 0; i < len(up.list); i++ {
		x := up.list[i]
		if d.l.slsTo(x, lid)&d.masks[i] != 0 {
			return true
		}
		for _, out := range g.OutOf(x) {
			u := g.To[out]
			if up.mark[u] >= up.base || d.b.channel(u, lid) != out^1 {
				continue
			}
			if left := d.masks[i] &^ d.l.slsOn(out^1, noLane); left != 0 {
				up.mark[u] = up.base + isLost
				up.list, d.masks = append(up.list, u), append(d.masks, left)
			}
		}
	}
	return false
}

// admit adds dependencies, or none if they would close a cycle with the old Plan's.
func (d *dependencies) admit(ctx context.Context, workers int, edges []cdg.Edge) (bool, error) {
	for layer := range d.fresh {
		d.fresh[layer] = d.fresh[layer][:0]
	}
	n := 0
	for _, e := range edges {
		layer, c := d.l.layerOf(e.C)
		_, next := d.l.layerOf(e.D)
		if err := d.arrange(ctx, workers, layer); err != nil {
			return false, err
		}
		if !d.orders[layer].Has(c, d.index.Rank[next]) {
			d.fresh[layer] = append(d.fresh[layer], cdg.Edge{C: c, D: next})
			n++
		}
	}
	if d.cyclic || n == 0 {
		return true, nil
	}
	for layer, list := range d.fresh {
		if len(list) == 0 || d.orders[layer].Add(list) {
			continue
		}
		for before := range layer {
			d.orders[before].Remove(d.fresh[before])
		}
		return false, nil
	}
	d.added += n
	for _, e := range edges {
		c, _ := d.l.channelOf(e.C)
		d.turns[d.b.g.To[c]]++
	}
	return true, nil
}

// forwards reports whether pair c precedes e in the order of their layer.
func (d *dependencies) forwards(ctx context.Context, workers int, c, e int32) (bool, error) {
	layer, c := d.l.layerOf(c)
	_, e = d.l.layerOf(e)
	if err := d.arrange(ctx, workers, layer); err != nil {
		return false, err
	}
	labels := d.orders[layer].Labels()
	return labels[d.index.Place[c]] < labels[d.index.Place[e]], nil
}

// arrangeAll makes the orders of all layers.
func (d *dependencies) arrangeAll(ctx context.Context, workers int) error {
	for layer := range d.orders {
		if err := d.arrange(ctx, workers, int32(layer)); err != nil {
			return err
		}
	}
	return nil
}

// arrange makes the order of a layer unless it exists; the first call makes all layers' in
// parallel.
func (d *dependencies) arrange(ctx context.Context, workers int, layer int32) error {
	if d.orders[layer] != nil {
		return nil
	}
	if d.made == nil {
		if err := d.orderLayers(ctx, workers); err != nil {
			return err
		}
	}
	if d.orders[layer] = d.made[layer]; d.orders[layer] == nil {
		d.orders[layer], d.cyclic = cdg.NewOrder(d.index, nil, cdg.MoveFewer), true // never consulted
	}
	return nil
}

// orderLayers orders the channels of each layer so that all dependencies of the old Plan lead
// forwards. If all its entries close a cycle on the new Graph, it takes only paths that still
// arrive.
func (d *dependencies) orderLayers(ctx context.Context, workers int) error {
	d.made = make([]*cdg.Order, len(d.orders))
	for _, wholeOnly := range []bool{false, true} {
		if !slices.Contains(d.made, nil) {
			break
		}
		all, err := d.read(ctx, workers, wholeOnly)
		if err != nil {
			return err
		}
		err = par.For(ctx, workers, len(d.made), func(_, layer int) error {
			if d.made[layer] == nil {
				d.made[layer] = cdg.NewOrderOf(d.index, all.edges[layer], cdg.MoveFewer)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
