package lanes

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/route/cdg"
)

// Layer gives each pair of classes the first lane that has all of its paths, both
// ways. Where there is none, the paths are added to the first lane that takes them.
// It gives up after most lanes.
func (l *Acyclic) Layer(ctx context.Context, p *Paths, most int) (*Lanes, error) {
	sets := l.lanesByEdge()
	pairs, err := l.pairsOffFirst(ctx, p, sets)
	if err != nil {
		return nil, err
	}
	out, need := NewAssignment(p, false), 1
	there, back := newEdgeLists(p), newEdgeLists(p)
	for i, b := range p.at {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, a := range pairs[i] {
			if out.Lane(a.class, b) > 0 {
				continue // found from the other side
			}
			lane := a.lanes.first()
			if a.lanes == 0 {
				lane = l.addPair(sets, there.to(p.Home[a.class], b), back.to(p.Home[b], a.class), most)
			}
			if lane == most {
				return &Lanes{Need: most + 1}, nil
			}
			out.Set(a.class, b, lane)
			need = max(need, lane+1)
		}
	}
	return out.Result(need), nil
}

// addPair returns the first lane that has the paths of a pair there and back, by their
// edges; they may have come to a lane since Layer looked. Otherwise it adds them to the
// first lane that takes them, and to the sets of lanes; it returns most if none does.
func (l *Acyclic) addPair(sets []laneSet, there, back []cdg.Edge, most int) int {
	l.edges = append(append(l.edges[:0], there...), back...)
	have := l.all()
	for _, e := range l.edges {
		have &= sets[l.index.Number(e.C, e.D)]
	}
	if have != 0 {
		return have.first()
	}
	lane := 0
	for lane < most && !l.add(lane, l.edges) {
		lane++
	}
	for _, e := range l.edges {
		sets[l.index.Number(e.C, e.D)] |= 1 << lane
	}
	return lane
}

// lanesOf returns the lanes that have the paths from a switch to some LIDs.
func (l *Acyclic) lanesOf(sets []laneSet, p *Paths, s int32, lids []fabric.LID) laneSet {
	have := l.all()
	for _, lid := range lids {
		for c := p.Next(s, lid); c >= 0; {
			d := p.Next(p.Graph.To[c], lid)
			if d >= 0 {
				have &= sets[l.index.Number(c, d)]
			}
			c = d
		}
	}
	return have
}

// classLanes is a class, and the lanes that have all of its paths to another and back.
type classLanes struct {
	class int32
	lanes laneSet
}

// pairsOffFirst lists, for each of the classes at p.at, those some of whose paths to it,
// or back, are not on the first lane.
func (l *Acyclic) pairsOffFirst(ctx context.Context, p *Paths, sets []laneSet) ([][]classLanes, error) {
	type known struct {
		t     int32 // one more than the switch
		lanes laneSet
	}
	pairs := make([][]classLanes, len(p.at))
	backs := make([][]known, p.Workers) // by class: the lanes that have the paths from a switch to it
	err := par.For(ctx, p.Workers, p.Graph.NumSwitches, func(worker, t int) error {
		if backs[worker] == nil {
			backs[worker] = make([]known, len(p.Home))
		}
		back, s := backs[worker], int32(t)
		for i := p.atStart[t]; i < p.atStart[t+1]; i++ {
			b := p.at[i]
			for _, from := range l.switchesOffFirst(p.LIDs[b]) {
				there := l.lanesOf(sets, p, from, p.LIDs[b])
				for _, a := range p.ClassesAt(from) {
					if back[a].t != s+1 {
						back[a] = known{s + 1, l.lanesOf(sets, p, s, p.LIDs[a])}
					}
					pairs[i] = append(pairs[i], classLanes{a, there & back[a].lanes})
				}
			}
		}
		return nil
	})
	return pairs, err
}

// edgeLists lists the edges of the paths from a switch to classes. The list to a class
// is made once, as long as all are asked for the same switch.
type edgeLists struct {
	p     *Paths
	from  int32
	round int32 // switches so far
	edges []cdg.Edge
	of    []edgeList // by class
}

// edgeList is a part of edgeLists.edges, made in a round.
type edgeList struct{ round, start, end int32 }

func newEdgeLists(p *Paths) *edgeLists {
	return &edgeLists{p: p, from: fabric.Nothing, of: make([]edgeList, len(p.Home))}
}

// to lists the edges of all paths from a switch to a class.
func (t *edgeLists) to(from, class int32) []cdg.Edge {
	if from != t.from {
		t.from, t.edges = from, t.edges[:0]
		t.round++
	}
	e := &t.of[class]
	if e.round != t.round {
		start := len(t.edges)
		for _, lid := range t.p.LIDs[class] {
			t.edges = t.p.EdgesTo(from, lid, t.edges)
		}
		*e = edgeList{t.round, int32(start), int32(len(t.edges))}
	}
	return t.edges[e.start:e.end]
}

// LayerOneWay gives each path, from a switch to a LID, the first lane that has it.
// An answer is not safe on the lane of its request.
func (l *Acyclic) LayerOneWay(ctx context.Context, in *route.Input, p *Paths) (*Lanes, error) {
	number := make([]int32, len(p.classOf))
	n := int32(0)
	for lid, c := range p.classOf {
		number[lid] = fabric.Nothing
		if c >= 0 {
			number[lid] = n
			n++
		}
	}
	g := in.Graph
	sl := route.NewSLs(g.EndSwitch, number, g.NumSwitches, int(n))
	sl.OneWay = true
	sets, last := l.lanesByEdge(), make([]uint8, p.Workers) // by worker: the last lane used
	err := par.For(ctx, p.Workers, min(len(number), len(l.offFirst)), func(worker, lid int) error {
		if number[lid] < 0 {
			return nil
		}
		for _, s := range l.offFirst[lid] {
			lane := uint8(l.lanesOf(sets, p, s, []fabric.LID{fabric.LID(lid)}).first())
			sl.Set(s, number[lid], lane)
			last[worker] = max(last[worker], lane)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &Lanes{SL: sl, Need: int(slices.Max(last)) + 1, each: func(visit func(a, b int32)) {
		for lid, c := range p.classOf {
			for s := range int32(g.NumSwitches) {
				if c >= 0 && s != p.Home[c] {
					visit(s, number[lid])
				}
			}
		}
	}}, nil
}
