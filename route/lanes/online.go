package lanes

import (
	"context"
	"slices"

	"weft/fabric"
)

// Online puts the paths of one pair of classes after the other on the first lane in
// which they close no cycle (section IV of the paper, as LASH does). Pairs are taken
// in order of their classes. It gives up after most lanes.
func Online(ctx context.Context, p *Paths, most int) (*Lanes, error) {
	if _, err := p.countAll(ctx); err != nil { // the tables may have a loop
		return nil, err
	}
	l := newLayers(p)
	l.count = [][]uint32{make([]uint32, p.size)}
	orders := []*order{newOrder(p, l.count[0])}
	for i, a := range p.at {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, b := range p.at[i+1:] {
			if p.home[a] == p.home[b] {
				continue
			}
			lane := 0
			for !orders[lane].addPair(a, b) {
				if lane++; lane == most {
					return &Lanes{Need: most + 1}, nil
				}
				if lane == len(orders) {
					l.count = append(l.count, make([]uint32, p.size))
					orders = append(orders, newOrder(p, l.count[lane]))
				}
			}
			l.set(a, b, lane)
		}
	}
	return l.result(), nil
}

// order is a lane that stays acyclic: its channels have places in an order in which
// every edge leads forwards.
type order struct {
	p     *Paths
	count []uint32 // paths by place of an edge
	pos   []int32  // by channel: its place in the order
	added []int64  // edges of the pair at hand

	seen   []bool  // by channel, false between searches
	after  []int32 // channels found, see fit
	before []int32
	places []int32
}

// newOrder starts with a lane without edges.
func newOrder(p *Paths, count []uint32) *order {
	n := p.g.NumChannels
	o := &order{p: p, count: count, pos: make([]int32, n), seen: make([]bool, n)}
	for c := range o.pos {
		o.pos[c] = int32(c)
	}
	return o
}

// addPair adds all paths of a pair, or none if they would close a cycle.
func (o *order) addPair(a, b int32) bool {
	o.added = o.added[:0]
	if o.addPaths(o.p.home[a], o.p.lids[b]) && o.addPaths(o.p.home[b], o.p.lids[a]) {
		return true
	}
	for _, e := range o.added {
		o.count[e]--
	}
	return false
}

func (o *order) addPaths(s int32, lids []fabric.LID) bool {
	p := o.p
	for _, lid := range lids {
		for c := p.next(s, lid); c >= 0; {
			d := p.next(p.g.To[c], lid)
			if d >= 0 && !o.addEdge(c, d) {
				return false
			}
			c = d
		}
	}
	return true
}

// addEdge counts a path on the edge from channel c to d, and brings the order up to
// date. It returns false if the edge would close a cycle.
func (o *order) addEdge(c, d int32) bool {
	e := o.p.edge(c, d)
	if o.count[e] == 0 && o.pos[c] >= o.pos[d] && !o.fit(c, d) {
		return false
	}
	o.count[e]++
	o.added = append(o.added, e)
	return true
}

// fit changes the order so that c comes before d: what d leads to among the channels
// up to c, and what leads to c among those from d on, share their places anew.
func (o *order) fit(c, d int32) bool {
	ok := o.findAfter(d, c)
	if ok {
		o.findBefore(c, o.pos[d])
		o.reorder()
	}
	for _, x := range o.after {
		o.seen[x] = false
	}
	return ok
}

// findAfter lists what d leads to among the channels before last; false if that is
// last itself.
func (o *order) findAfter(d, last int32) bool {
	o.after = append(o.after[:0], d)
	o.seen[d] = true
	if d == last {
		return false
	}
	for i := 0; i < len(o.after); i++ {
		x := o.after[i]
		for k, y := range o.p.g.OutOf(o.p.g.To[x]) {
			if o.count[o.p.row[x]+int64(k)] == 0 || o.seen[y] || o.pos[y] > o.pos[last] {
				continue
			}
			if y == last {
				return false
			}
			o.seen[y] = true
			o.after = append(o.after, y)
		}
	}
	return true
}

// findBefore lists what leads to c among the channels from place first on.
func (o *order) findBefore(c, first int32) {
	o.before = append(o.before[:0], c)
	o.seen[c] = true
	for i := 0; i < len(o.before); i++ {
		y := o.before[i]
		for _, back := range o.p.g.OutOf(o.p.g.From[y]) {
			x := back ^ 1
			if o.pos[x] < first || o.seen[x] || o.count[o.p.edge(x, y)] == 0 {
				continue
			}
			o.seen[x] = true
			o.before = append(o.before, x)
		}
	}
	for _, x := range o.before {
		o.seen[x] = false
	}
}

// reorder gives the places of both lists to before and then after, each in the
// order that it had.
func (o *order) reorder() {
	byPlace := func(x, y int32) int { return int(o.pos[x] - o.pos[y]) }
	slices.SortFunc(o.before, byPlace)
	slices.SortFunc(o.after, byPlace)
	o.places = o.places[:0]
	for _, x := range o.before {
		o.places = append(o.places, o.pos[x])
	}
	for _, x := range o.after {
		o.places = append(o.places, o.pos[x])
	}
	slices.Sort(o.places)
	for i, x := range o.before {
		o.pos[x] = o.places[i]
	}
	for i, x := range o.after {
		o.pos[x] = o.places[len(o.before)+i]
	}
}
