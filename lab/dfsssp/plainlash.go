package dfsssp

import (
	"context"

	"weft/fabric"
	"weft/lab"
	"weft/route"
)

// countLASH returns the number of layers of LASH on the paths of a trial's tables. It puts each
// pair of switches, both directions together, into the first layer that stays without a cycle.
// Weft's lash takes the farthest pairs first.
func countLASH(ctx context.Context, t *lab.Trial) int {
	g := t.Graph
	e := newEdges(g)
	base := t.Plan.Ends.Base
	var layers []*onlineLayer
	var path []int32
	for a := range int32(g.NumSwitches) {
		lab.Check(ctx.Err())
		for b := range a {
			path = e.path(path[:0], t.Plan, a, base[g.PortZero(b)], b)
			path = e.path(path, t.Plan, b, base[g.PortZero(a)], a)
			fits := len(path) == 0
			for i := 0; i < len(layers) && !fits; i++ {
				fits = layers[i].take(path)
			}
			if !fits {
				layer := newOnlineLayer(e)
				layer.take(path)
				layers = append(layers, layer)
			}
		}
	}
	return max(len(layers), 1)
}

// edges numbers the pairs of channels that can follow each other.
type edges struct {
	g        *fabric.Graph
	row      []int32 // by channel: place of its edge to the first channel out of its far switch
	rank     []int32 // by channel: its number among the channels out of its switch
	from, to []int32 // by place: the channels
}

func newEdges(g *fabric.Graph) *edges {
	e := &edges{g: g, row: make([]int32, g.NumChannels), rank: make([]int32, g.NumChannels)}
	for s := range int32(g.NumSwitches) {
		for i, c := range g.OutOf(s) {
			e.rank[c] = int32(i)
		}
		for _, out := range g.OutOf(s) {
			e.row[out^1] = int32(len(e.from))
			for _, next := range g.OutOf(s) {
				e.from, e.to = append(e.from, out^1), append(e.to, next)
			}
		}
	}
	return e
}

// path appends the places of the edges from a switch to a LID of switch to.
func (e *edges) path(places []int32, plan *route.Plan, from int32, lid fabric.LID, to int32) []int32 {
	last := fabric.Nothing
	for at := from; at != to; {
		c, _ := e.g.At(at, plan.Tables.Port(at, lid))
		if last != fabric.Nothing {
			places = append(places, e.row[last]+e.rank[c])
		}
		last, at = c, e.g.To[c]
	}
	return places
}

// onlineLayer is a layer that never keeps a cycle.
type onlineLayer struct {
	e     *edges
	has   []bool  // by edge place
	seen  []int32 // by channel: the last search that visited it
	now   int32
	stack []int32
}

func newOnlineLayer(e *edges) *onlineLayer {
	return &onlineLayer{e: e, has: make([]bool, len(e.from)), seen: make([]int32, e.g.NumChannels)}
}

// take adds the edges of a path, or none of them if they would close a cycle.
func (o *onlineLayer) take(path []int32) bool {
	var added []int32
	for _, e := range path {
		if o.has[e] {
			continue
		}
		if o.reaches(o.e.to[e], o.e.from[e]) {
			for _, e := range added {
				o.has[e] = false
			}
			return false
		}
		o.has[e] = true
		added = append(added, e)
	}
	return true
}

// reaches reports whether the layer leads from one channel to another.
func (o *onlineLayer) reaches(from, to int32) bool {
	o.now++
	return o.visit(from, to)
}

// visit walks the layer from one channel over channels not yet visited in this search, until it
// finds the other.
func (o *onlineLayer) visit(from, to int32) bool {
	o.stack = append(o.stack[:0], from)
	o.seen[from] = o.now
	for len(o.stack) > 0 {
		c := o.stack[len(o.stack)-1]
		o.stack = o.stack[:len(o.stack)-1]
		if c == to {
			return true
		}
		row := o.e.row[c]
		for i := range o.e.g.OutOf(o.e.g.To[c]) {
			place := row + int32(i)
			if next := o.e.to[place]; o.has[place] && o.seen[next] != o.now {
				o.seen[next] = o.now
				o.stack = append(o.stack, next)
			}
		}
	}
	return false
}
