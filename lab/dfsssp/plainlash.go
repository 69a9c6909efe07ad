package dfsssp

import (
	"context"

	"weft/fabric"
	"weft/lab"
	"weft/route"
)

// countLASH is the number of layers of LASH when each ordered pair of switches is
// layered for itself: each path goes into the first layer in which it closes no
// cycle. Weft's lash gives both directions of a pair one lane, so that answers are
// safe. The paths are those of a trial's tables.
func countLASH(ctx context.Context, t *lab.Trial) (int, error) {
	g := t.Graph
	e := newEdges(g)
	n := int32(g.NumSwitches)
	var layers []*onlineLayer
	for pair := range n * n {
		if pair%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		to := pair % n
		path := e.path(t.Plan, pair/n, t.Plan.Ends.Base[g.PortZero(to)], to)
		fits := len(path) == 0
		for i := 0; i < len(layers) && !fits; i++ {
			fits = layers[i].take(path)
		}
		if !fits {
			layer := &onlineLayer{e: e, has: make([]bool, len(e.from)), seen: make([]int32, g.NumChannels)}
			layer.take(path)
			layers = append(layers, layer)
		}
	}
	return max(len(layers), 1), nil
}

// edges numbers the pairs of channels that may follow each other.
type edges struct {
	g        *fabric.Graph
	row      []int32 // by channel: place of its edge to the first channel out of its end
	rank     []int32 // by channel: its number among those out of its switch
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

// path lists the places of the edges from a switch to a LID of switch to.
func (e *edges) path(plan *route.Plan, from int32, lid fabric.LID, to int32) []int32 {
	var places []int32
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

// onlineLayer is a layer that is never left with a cycle.
type onlineLayer struct {
	e     *edges
	has   []bool  // by edge place
	seen  []int32 // by channel: the last search that came by
	now   int32
	stack []int32
}

// take adds the edges of a path, or none of them when they would close a cycle.
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

// reaches says whether the layer leads from one channel to another.
func (o *onlineLayer) reaches(from, to int32) bool {
	o.now++
	return o.visit(from, to)
}

// visit goes through all channels that the layer leads to from one, and that were not
// visited in this search, until it comes to another.
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
