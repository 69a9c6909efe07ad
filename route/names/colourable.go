package names

import "math/bits"

// maxSearch is the largest number of colours that the search decides on.
const maxSearch = 64

// decider answers whether a graph can be coloured with k colours.
//
// Before the search it takes out, again and again, vertices that cannot matter: one
// with fewer than k neighbours finds a colour whatever the others have, and one whose
// neighbours are all neighbours of some other vertex not next to it can have that
// one's colour. What remains falls into components, and each is searched by DSATUR
// (Brélaz, "New Methods to Color the Vertices of a Graph", CACM 1979): branch on the
// vertex with the fewest colours left, from a clique on, one new colour at most.
type decider struct {
	clique  cliquer
	steps   int64
	alive   []uint64
	removed []int32
	queue   []int32
	comp    []int32

	// The component under search, its vertices numbered anew.
	sub    Graph
	start  []int32 // neighbours of v: list[start[v]:start[v+1]]
	list   []int32
	k      int
	mask   []uint64 // by vertex: colours of its neighbours
	used   []int32  // by vertex and colour: neighbours that have it
	colour []int32  // by vertex, -1 without
}

// colourable colours g with k colours if that can be done. known is false when the
// steps ran out, or k is beyond what the search takes.
func (d *decider) colourable(g *Graph, k int, colour []int32, steps int64) (yes, known bool) {
	if k > maxSearch {
		return false, false
	}
	if k == 0 {
		return g.n == 0, true
	}
	d.k, d.steps = k, steps
	d.kernel(g)
	for i := range colour {
		colour[i] = -1
	}
	d.queue = members(d.queue[:0], d.alive)
	for _, v := range d.queue {
		if colour[v] >= 0 {
			continue
		}
		d.component(g, v)
		if yes, known := d.search(g); !yes {
			return false, known
		}
		for i, u := range d.comp {
			colour[u] = d.colour[i]
			d.alive[u/64] &^= 1 << (u % 64)
		}
	}
	for i := len(d.removed) - 1; i >= 0; i-- {
		colour[d.removed[i]] = d.freeColour(g, d.removed[i], colour)
	}
	return true, true
}

// kernel fills alive with the vertices that matter, and removed with the others in
// the order in which they were taken out.
func (d *decider) kernel(g *Graph) {
	d.alive = zeros(d.alive, g.words)
	d.removed = d.removed[:0]
	for v := range g.n {
		d.alive[v/64] |= 1 << (v % 64)
	}
	for changed := true; changed; {
		changed = false
		for v := range int32(g.n) {
			if d.alive[v/64]>>(v%64)&1 != 0 && (d.degree(g, v) < d.k || d.dominated(g, v)) {
				d.alive[v/64] &^= 1 << (v % 64)
				d.removed = append(d.removed, v)
				changed = true
			}
		}
	}
}

func (d *decider) degree(g *Graph, v int32) int {
	n := 0
	for i, w := range g.row(v) {
		n += bits.OnesCount64(w & d.alive[i])
	}
	return n
}

// dominated reports whether another vertex, not next to v, has all neighbours of v.
func (d *decider) dominated(g *Graph, v int32) bool {
	row := g.row(v)
	for i, w := range d.alive {
		for w &^= row[i]; w != 0; w &= w - 1 {
			if u := int32(i*64 + bits.TrailingZeros64(w)); u != v && d.covers(g.row(u), row) {
				return true
			}
		}
	}
	return false
}

func (d *decider) covers(big, small []uint64) bool {
	for i, w := range small {
		if w&d.alive[i]&^big[i] != 0 {
			return false
		}
	}
	return true
}

// freeColour is the lowest colour that no neighbour has.
func (d *decider) freeColour(g *Graph, v int32, colour []int32) int32 {
	taken := uint64(0)
	for i, w := range g.row(v) {
		for ; w != 0; w &= w - 1 {
			if c := colour[i*64+bits.TrailingZeros64(w)]; c >= 0 {
				taken |= 1 << c
			}
		}
	}
	return int32(bits.TrailingZeros64(^taken))
}

// component fills comp with the vertices alive that v is connected to.
func (d *decider) component(g *Graph, v int32) {
	d.comp = append(d.comp[:0], v)
	seen := make([]uint64, g.words)
	seen[v/64] |= 1 << (v % 64)
	for i := 0; i < len(d.comp); i++ {
		for k, w := range g.row(d.comp[i]) {
			w &= d.alive[k] &^ seen[k]
			seen[k] |= w
			for ; w != 0; w &= w - 1 {
				d.comp = append(d.comp, int32(k*64+bits.TrailingZeros64(w)))
			}
		}
	}
}

// search colours the component with k colours.
func (d *decider) search(g *Graph) (yes, known bool) {
	d.load(g)
	clique := d.clique.find(&d.sub, min(d.steps, cliqueSteps))
	if len(clique) > d.k {
		return false, true
	}
	for i, v := range clique {
		d.give(v, int32(i))
	}
	yes = d.branch(d.sub.n-len(clique), len(clique))
	return yes, yes || d.steps > 0
}

// load makes the component the graph under search.
func (d *decider) load(g *Graph) {
	n := len(d.comp)
	d.sub.reset(n)
	local := make([]int32, g.n)
	for i, v := range d.comp {
		local[v] = int32(i)
	}
	d.start, d.list = d.start[:0], d.list[:0]
	for i, v := range d.comp {
		d.start = append(d.start, int32(len(d.list)))
		for k, w := range g.row(v) {
			for w &= d.alive[k]; w != 0; w &= w - 1 {
				u := local[k*64+bits.TrailingZeros64(w)]
				d.list = append(d.list, u)
				d.sub.AddEdge(i, int(u))
			}
		}
	}
	d.start = append(d.start, int32(len(d.list)))
	d.mask = zeros(d.mask, n)
	d.used = zeros(d.used, n*d.k)
	d.colour = resize(d.colour, n)
	for i := range d.colour {
		d.colour[i] = -1
	}
}

// branch colours the vertices left, with colours 0 to open-1 in use so far.
func (d *decider) branch(left, open int) bool {
	if left == 0 {
		return true
	}
	if d.steps <= 0 {
		return false
	}
	d.steps--
	v := d.fewest()
	for c := range int32(min(open+1, d.k)) {
		if d.mask[v]>>c&1 != 0 {
			continue
		}
		if d.give(v, c) && d.branch(left-1, max(open, int(c)+1)) {
			return true
		}
		d.take(v)
	}
	return false
}

// fewest is the vertex without a colour that has the fewest left to choose from,
// among those the one with most neighbours.
func (d *decider) fewest() int32 {
	best, bestKey := int32(-1), -1
	for v, c := range d.colour {
		if c < 0 {
			key := bits.OnesCount64(d.mask[v])<<32 | int(d.start[v+1]-d.start[v])
			if key > bestKey {
				best, bestKey = int32(v), key
			}
		}
	}
	return best
}

// give colours a vertex; false if that leaves a neighbour without a choice.
func (d *decider) give(v, c int32) bool {
	full := ^uint64(0) >> (64 - d.k)
	ok := true
	d.colour[v] = c
	for _, u := range d.list[d.start[v]:d.start[v+1]] {
		if d.used[int(u)*d.k+int(c)]++; d.used[int(u)*d.k+int(c)] == 1 {
			d.mask[u] |= 1 << c
			ok = ok && (d.mask[u] != full || d.colour[u] >= 0)
		}
	}
	return ok
}

// take undoes give.
func (d *decider) take(v int32) {
	c := d.colour[v]
	d.colour[v] = -1
	for _, u := range d.list[d.start[v]:d.start[v+1]] {
		if d.used[int(u)*d.k+int(c)]--; d.used[int(u)*d.k+int(c)] == 0 {
			d.mask[u] &^= 1 << c
		}
	}
}
