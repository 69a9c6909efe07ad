package ftree

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/route"
)

// worse is how much more than the most loaded link of balance=load that of the closed
// form may carry, in per cent, before balance=auto takes the former.
const worse = 125

// loader routes one LID after the other along shortest legal ways, each switch where
// the paths chosen so far put the least load on the whole way: algorithm 1 of paper
// 003 on the ways of a tree. It has no pattern for shifts as the closed form has, but
// evens out what no formula fits: several cores, odd numbers of links, failures.
type loader struct {
	t      *tree
	tables *route.Tables
	load   []int64 // by link: paths
	dist   []int64 // by switch: load of its way to the LID at hand
	flow   []int64 // by switch: paths through it
	pick   []int32 // by switch: the link it takes
	next   []int32 // by switch: where that leads
	closed []int64 // by link: paths of the closed form
}

func newLoader(in *route.Input, t *tree) *loader {
	n := in.Graph.NumSwitches
	return &loader{
		t: t, tables: route.NewTables(n, in.Ends.Top()), load: make([]int64, len(t.port)), closed: make([]int64, len(t.port)),
		dist: make([]int64, n), flow: make([]int64, n), pick: make([]int32, n), next: make([]int32, n),
	}
}

// byLoad routes all LIDs by load. With closed tables it returns the better ones.
func byLoad(ctx context.Context, in *route.Input, r *reach, l *list, closed *route.Tables) (*route.Tables, error) {
	w := newLoader(in, r.t)
	g := in.Graph
	y := &ways{place: make([]int32, g.NumSwitches)}
	for _, s := range l.at {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		y.search(r, s)
		for _, h := range append(slices.Clip(g.HostsOf(s)), g.PortZero(s)) {
			for k := range in.Ends.Count(h) {
				lid := in.Ends.Base[h] + fabric.LID(k)
				w.tables.Set(s, lid, g.EndPort[h])
				w.route(y, lid)
				if g.IsPortZero(h) {
					continue
				}
				w.count(y, w.load)
				if closed != nil {
					w.follow(y, closed, lid)
					w.count(y, w.closed)
				}
			}
		}
	}
	if closed != nil && 100*most(w.closed) <= worse*most(w.load) {
		return closed, nil
	}
	return w.tables, nil
}

func most(load []int64) int64 {
	m := int64(0)
	for _, n := range load {
		m = max(m, n)
	}
	return m
}

// route chooses the ways to a LID, the nearest switches first.
func (w *loader) route(y *ways, lid fabric.LID) {
	w.dist[y.target] = 0
	for k, s := range y.order {
		best, least := int32(-1), int64(0)
		for _, i := range y.groups[y.start[k]:y.start[k+1]] {
			for p := w.t.link[i]; p < w.t.link[i+1]; p++ {
				if d := w.load[p] + w.dist[w.t.to[i]]; best < 0 || d < least {
					best, least = p, d
					w.next[s] = w.t.to[i]
				}
			}
		}
		w.pick[s], w.dist[s] = best, least
		w.tables.Set(s, lid, w.t.port[best])
	}
}

// follow reads the ways to a LID from tables.
func (w *loader) follow(y *ways, tables *route.Tables, lid fabric.LID) {
	for k, s := range y.order {
		port := tables.Port(s, lid)
		for _, i := range y.groups[y.start[k]:y.start[k+1]] {
			for p := w.t.link[i]; p < w.t.link[i+1]; p++ {
				if w.t.port[p] == port {
					w.pick[s], w.next[s] = p, w.t.to[i]
				}
			}
		}
	}
}

// count adds the paths of all hosts to the links they take, the farthest first.
func (w *loader) count(y *ways, load []int64) {
	g := w.t.g
	for _, s := range y.order {
		w.flow[s] = int64(g.HostStart[s+1] - g.HostStart[s])
	}
	w.flow[y.target] = 0
	for k := len(y.order) - 1; k >= 0; k-- {
		s := y.order[k]
		load[w.pick[s]] += w.flow[s]
		w.flow[w.next[s]] += w.flow[s]
	}
}
