package dfsssp

import (
	"context"

	"weft/lab"
)

// listing is algorithm 2 as section IV describes it: every edge of a layer lists the pairs of hosts
// whose paths create it. Weft only counts these pairs, and finds their paths from the tables when
// it cuts an edge. Channels are between switches; the heuristic is the weakest edge.
type listing struct {
	t      *lab.Trial
	e      *edges
	lane   []uint8   // by pair: source times the number of hosts, plus destination
	layers []layerOf // by lane
	path   []int32
	made   int // entries of all lists
}

// layerOf holds, by place of an edge, the number of pairs that create it and all pairs that ever
// did.
type layerOf struct {
	count []int32
	pairs [][]pairOfHosts
}

type pairOfHosts struct{ from, to int32 }

// megabytes returns the size of lists with this many entries of 8 bytes.
func megabytes(entries int) float64 { return float64(entries) * 8 / 1e6 }

// listEntries counts the list entries before any path moves to another lane.
func listEntries(ctx context.Context, t *lab.Trial) (n int) {
	l := &listing{t: t, e: newEdges(t.Graph)}
	for u := range int32(t.Graph.NumHosts) {
		lab.Check(ctx.Err())
		for v := range int32(t.Graph.NumHosts) {
			if u != v {
				n += len(l.walk(pairOfHosts{u, v}))
			}
		}
	}
	return n
}

// listed layers the paths of a trial. It needs the lanes that have pairs.
func listed(ctx context.Context, t *lab.Trial) *listing {
	l := &listing{t: t, e: newEdges(t.Graph)}
	hosts := int32(t.Graph.NumHosts)
	l.lane = make([]uint8, int(hosts)*int(hosts))
	l.layers = []layerOf{l.layer()}
	for u := range hosts {
		lab.Check(ctx.Err())
		for v := range hosts {
			if u != v {
				l.put(pairOfHosts{u, v}, 0)
			}
		}
	}
	for i := 0; i < len(l.layers); i++ {
		l.breakCycles(ctx, i)
	}
	return l
}

func (l *listing) layer() layerOf {
	places := len(l.e.from)
	return layerOf{make([]int32, places), make([][]pairOfHosts, places)}
}

// walk returns the edges of a path.
func (l *listing) walk(p pairOfHosts) []int32 {
	g := l.t.Graph
	l.path = l.e.path(l.path[:0], l.t.Plan, g.EndSwitch[p.from], l.t.Plan.Ends.Base[p.to], g.EndSwitch[p.to])
	return l.path
}

// put enters a pair into a layer.
func (l *listing) put(p pairOfHosts, lane int) {
	l.lane[int(p.from)*l.t.Graph.NumHosts+int(p.to)] = uint8(lane)
	in := &l.layers[lane]
	for _, place := range l.walk(p) {
		in.count[place]++
		in.pairs[place] = append(in.pairs[place], p)
		l.made++
	}
}

// breakCycles searches a layer once, depth first. When a cycle closes, it cuts the cycle's weakest
// edge and continues from the remaining part of its current path.
func (l *listing) breakCycles(ctx context.Context, lane int) {
	const open, done = 1, 2
	g := l.t.Graph
	state := make([]uint8, g.NumChannels)
	next := make([]int32, g.NumChannels) // next edge of a channel to examine
	var way []int32                      // current path: places of the edges from the first channel on
	for c := range int32(g.NumChannels) {
		lab.Check(ctx.Err())
		if state[c] != 0 {
			continue
		}
		way = way[:0]
		for at := c; ; {
			state[at] = open
			if int(next[at]) == len(g.OutOf(g.To[at])) {
				state[at] = done
				if len(way) == 0 {
					break
				}
				at = l.e.from[way[len(way)-1]]
				way = way[:len(way)-1]
				continue
			}
			place := l.e.row[at] + next[at]
			to := l.e.to[place]
			switch {
			case l.layers[lane].count[place] == 0 || state[to] == done:
				next[at]++
			case state[to] == open:
				l.cut(l.cycle(way, place), lane)
				kept := l.kept(way, lane)
				for _, place := range way[kept:] {
					state[l.e.to[place]], next[l.e.to[place]] = 0, 0
				}
				way = way[:kept]
				at = c
				if kept > 0 {
					at = l.e.to[way[kept-1]]
				}
			default:
				way = append(way, place)
				next[at]++
				at = to
			}
		}
	}
}

// cycle returns the cycle that an edge closes: the end of the current path, and the edge.
func (l *listing) cycle(way []int32, closing int32) []int32 {
	k := len(way)
	for k > 0 && l.e.from[closing] != l.e.to[closing] && l.e.to[way[k-1]] != l.e.to[closing] {
		k--
	}
	return append(append([]int32(nil), way[k:]...), closing)
}

// kept counts the edges from the start of the current path that are still in the layer.
func (l *listing) kept(way []int32, lane int) int {
	for i, place := range way {
		if l.layers[lane].count[place] == 0 {
			return i
		}
	}
	return len(way)
}

// cut moves all pairs of the weakest edge of a cycle to the next layer.
func (l *listing) cut(cycle []int32, lane int) {
	weakest := cycle[0]
	for _, place := range cycle {
		if l.layers[lane].count[place] < l.layers[lane].count[weakest] {
			weakest = place
		}
	}
	if lane+1 == len(l.layers) {
		l.layers = append(l.layers, l.layer())
	}
	for _, p := range l.layers[lane].pairs[weakest] {
		if l.lane[int(p.from)*l.t.Graph.NumHosts+int(p.to)] != uint8(lane) {
			continue // moved before
		}
		for _, place := range l.walk(p) {
			l.layers[lane].count[place]--
		}
		l.put(p, lane+1)
	}
	l.layers[lane].pairs[weakest] = nil
}
