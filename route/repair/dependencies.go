package repair

import (
	"bytes"
	"context"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/route/cdg"
)

// dependencies says which channel may follow which, over (channel, VL) pairs: the channels of
// lanes.wide.
type dependencies struct {
	b     *binding
	l     *lanes
	index *cdg.Index
	lost  []column
	// looked keeps, by edge of the index, the answers of lookUp. It is nil where the links of the old
	// Graph are not known, and with several lanes where VLs depend on input ports or end ports have
	// moved; then has needs the order.
	looked []uint8
	ups    *search    // of carries
	masks  []uint16   // of carries: by switch in ups.list, SLs
	order  *cdg.Order // of all dependencies, nil until it is needed
	cyclic bool       // the old Plan has cycles: everything is admitted
	added  int        // number of dependencies admitted that the old Plan does not have
	turns  []int32    // by switch: the number of them at it
}

// mostLooked is the number of edges up to which dependencies are looked up one by one. Memory is
// touched only for those that are.
const mostLooked = 1 << 28

// Answers kept in looked.
const (
	notAsked uint8 = iota
	present
	missing
)

func newDependencies(b *binding, l *lanes, lost []column) *dependencies {
	d := &dependencies{b: b, l: l, index: cdg.NewIndex(l.wide), lost: lost, turns: make([]int32, b.g.NumSwitches)}
	if b.links && (l.n == 1 || !l.byInput && b.classesStay()) && d.index.Size <= mostLooked {
		d.looked, d.ups = make([]uint8, d.index.Size), newSearch(b)
	}
	return d
}

// lazy reports whether dependencies are looked up one by one, without an order.
func (d *dependencies) lazy() bool { return d.looked != nil }

// has reports whether the old Plan has the dependency of channel e on channel c, or the
// repair has added it.
func (d *dependencies) has(c, e int32) bool {
	if d.order != nil {
		return d.cyclic || d.order.Has(c, d.index.Rank[e])
	}
	at := &d.looked[d.index.Number(c, e)]
	if *at == notAsked {
		*at = missing
		if d.lookUp(c, e) {
			*at = present
		}
	}
	return *at == present
}

// lookUp looks for a LID of the old Plan whose packets go from channel c to e.
func (d *dependencies) lookUp(c, e int32) bool {
	g, b := d.b.g, d.b
	c, was := d.l.narrow(c)
	e, becomes := d.l.narrow(e)
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

// carries reports whether old entries lead packets of one of some SLs by channel c to a LID: whether a
// switch from which the way leads there sends any.
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
		if d.l.sent(x, lid)&d.masks[i] != 0 {
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

// admit adds dependencies, or none if they would close a cycle with those of the old Plan.
func (d *dependencies) admit(ctx context.Context, workers int, edges []cdg.Edge) (bool, error) {
	if err := d.arranged(ctx, workers); err != nil {
		return false, err
	}
	if d.cyclic {
		return true, nil
	}
	n := 0
	for _, e := range edges {
		if !d.order.Has(e.C, d.index.Rank[e.D]) {
			n++
		}
	}
	if n == 0 {
		return true, nil
	}
	ok := d.order.Add(edges)
	if !ok {
		return false, nil
	}
	d.added += n
	for _, e := range edges {
		d.turns[d.l.wide.To[e.C]]++
	}
	return true, nil
}

// forwards reports whether channel c stands before e in the order.
func (d *dependencies) forwards(c, e int32) bool {
	labels := d.order.Labels()
	return labels[d.index.Place[c]] < labels[d.index.Place[e]]
}

// arranged makes the order if there is none.
func (d *dependencies) arranged(ctx context.Context, workers int) error {
	if d.order != nil {
		return nil
	}
	return d.arrange(ctx, workers)
}

// arrange puts the channels in an order in which all dependencies of the old Plan lead
// forwards: of all its entries, or, if they close a cycle on the new Graph, of those
// whose paths are whole.
func (d *dependencies) arrange(ctx context.Context, workers int) error {
	for _, wholeOnly := range []bool{false, true} {
		edges, err := d.read(ctx, workers, wholeOnly)
		if err != nil {
			return err
		}
		next := d.successors(edges)
		list := cdg.Sort(d.l.wide.NumChannels, func(c int32, visit func(e int32)) {
			for _, e := range next[c] {
				visit(e)
			}
		})
		if d.cyclic = len(list) < d.l.wide.NumChannels; d.cyclic {
			continue
		}
		d.order = cdg.NewOrder(d.index, list, cdg.MoveFewer)
		for c := range next {
			for _, e := range next[c] {
				d.order.Link(int32(c), d.index.Rank[e])
			}
		}
		return nil
	}
	d.order = cdg.NewOrder(d.index, nil, cdg.MoveFewer) // of no use
	return nil
}

// successors lists, by channel, those that follow it in a set of edges.
func (d *dependencies) successors(edges []uint64) [][]int32 {
	n := 0
	for _, word := range edges {
		n += bits.OnesCount64(word)
	}
	next, all := make([][]int32, d.l.wide.NumChannels), make([]int32, 0, n)
	for c := range next {
		out, first := d.l.wide.OutOf(d.l.wide.To[c]), len(all)
		d.index.EachFrom(edges, int32(c), func(k int32) { all = append(all, out[k]) })
		next[c] = all[first:]
	}
	return next
}

// read collects the dependencies of the old Plan as a bit an edge.
func (d *dependencies) read(ctx context.Context, workers int, wholeOnly bool) ([]uint64, error) {
	lostAt := make(map[int][]int32, len(d.lost))
	if wholeOnly {
		for _, c := range d.lost {
			lostAt[c.lid] = c.switches
		}
	}
	workers = max(1, workers)
	own, lids := make([]*reader, workers), d.lidsBySwitch()
	err := par.For(ctx, workers, len(lids), func(worker, i int) error {
		if own[worker] == nil {
			own[worker] = newReader(d)
		}
		var done []int // LIDs whose packets go each another way
		for _, lid := range lids[i] {
			switch {
			case lostAt[lid] != nil:
				own[worker].column(lid, lostAt[lid])
			case !slices.ContainsFunc(done, func(other int) bool { return d.alike(lid, other) }):
				own[worker].column(lid, nil)
				done = append(done, lid)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	edges := make([]uint64, d.index.Size/64+1)
	for _, r := range own {
		if r == nil {
			continue
		}
		for i, word := range r.edges {
			edges[i] |= word
		}
	}
	return edges, nil
}

// lidsBySwitch lists, by switch, the LIDs of its end ports that name the same ones in the old Plan.
func (d *dependencies) lidsBySwitch() [][]int {
	lids := make([][]int, d.b.g.NumSwitches)
	for lid, end := range d.b.owner {
		if d.b.same[lid] {
			s := d.b.g.EndSwitch[end]
			lids[s] = append(lids[s], lid)
		}
	}
	return lids
}

// alike reports whether packets to two LIDs of one switch take the same channels and lanes.
func (d *dependencies) alike(lid, other int) bool {
	b := d.b
	owner, before := b.owner[lid], b.owner[other]
	if sl := d.l.plan.SL; d.l.n > 1 && (sl.Dst[lid] != sl.Dst[other] || sl.Src[owner] != sl.Src[before]) {
		return false
	}
	to := b.g.EndSwitch[owner]
	for s, row := range b.rows {
		block, k := row[lid/route.BlockSize], lid%route.BlockSize
		if block[k] != row[other/route.BlockSize][other%route.BlockSize] && int32(s) != to {
			return false
		}
	}
	return b.channel(to, lid) == b.channel(to, other)
}

// reader collects the dependencies of columns.
type reader struct {
	d     *dependencies
	edges []uint64
	next  []int32  // by switch: the channel of its entry
	waits []int32  // by switch: how many entries lead to it whose switches are not done
	order []int32  // switches, those first to which no entry leads
	on    []uint16 // by switch and SL: set of VLs, by index, on its channel; with several lanes
}

func newReader(d *dependencies) *reader {
	n := d.l.g.NumSwitches
	r := &reader{d: d, edges: make([]uint64, d.index.Size/64+1), next: make([]int32, n)}
	if d.l.n > 1 {
		r.waits, r.on = make([]int32, n), make([]uint16, n*route.NumSLs)
	}
	return r
}

// column adds those of the entries of a LID, without those of some switches.
func (r *reader) column(lid int, without []int32) {
	g, x := r.d.l.g, r.d.index
	for s := range r.next {
		r.next[s] = r.d.b.channel(int32(s), lid)
	}
	for _, s := range without {
		r.next[s] = fabric.Nothing
	}
	if r.d.l.n > 1 {
		r.laned(lid)
		return
	}
	for _, c := range r.next {
		if c < 0 {
			continue
		}
		if e := r.next[g.To[c]]; e >= 0 {
			i := x.Number(c, e)
			r.edges[i/64] |= 1 << (i % 64)
		}
	}
}

// laned follows the packets of all sources from switch to switch, those on a ring of
// switches apart.
func (r *reader) laned(lid int) {
	g, l := r.d.l.g, r.d.l
	clear(r.waits)
	clear(r.on)
	for _, c := range r.next {
		if c >= 0 {
			r.waits[g.To[c]]++
		}
	}
	r.order = r.order[:0]
	for s, n := range r.waits {
		if n == 0 {
			r.order = append(r.order, int32(s))
		}
	}
	for i := 0; i < len(r.order); i++ {
		s := r.order[i]
		c := r.next[s]
		if c < 0 {
			continue
		}
		on := r.on[int(s)*route.NumSLs:][:route.NumSLs]
		for sls := l.sent(s, lid); sls != 0; sls &= sls - 1 {
			sl := bits.TrailingZeros16(sls)
			on[sl] |= l.first(c, uint8(sl))
		}
		t := g.To[c]
		if e := r.next[t]; e >= 0 {
			r.step(c, e, on)
		}
		if r.waits[t]--; r.waits[t] == 0 {
			r.order = append(r.order, t)
		}
	}
}

// step carries packets on from channel c to e.
func (r *reader) step(c, e int32, on []uint16) {
	g, l, t := r.d.l.g, r.d.l, r.d.l.g.To[c]
	for _, sl := range l.sls {
		vls := on[sl]
		if vls == 0 {
			continue
		}
		then := l.vl(t, g.ToPort[c], g.FromPort[e], sl)
		if then == noLane {
			continue
		}
		for ; vls != 0; vls &= vls - 1 {
			i := r.d.index.Number(wideChannel(c, int32(bits.TrailingZeros16(vls)), l.n), wideChannel(e, int32(then), l.n))
			r.edges[i/64] |= 1 << (i % 64)
		}
		r.on[int(t)*route.NumSLs+int(sl)] |= 1 << then
	}
}
