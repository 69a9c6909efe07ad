package lanes

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

const (
	refillWork   = 1 << 19 // maximum of paths, or pairs of few, that all rounds of refill together move
	refillRounds = 12      // maximum rounds of refill
	refillLeast  = 3       // least number of rounds that may save lanes; with fewer, refill does not run
	refillGain   = 2       // lanes beyond most allowed before refill, since it may save them
)

// Layer leaves on the first lane the pairs of classes whose paths are on it, both ways. It assigns
// the others again, the longest paths first, each to the first lane that accepts it, regardless of
// l's later lanes. If they are not too many, refill then saves lanes. It gives up after most lanes.
func (l *Acyclic) Layer(ctx context.Context, p *Paths, most int) (*Lanes, error) {
	return l.layer(ctx, p, most, refillRounds)
}

func (l *Acyclic) layer(ctx context.Context, p *Paths, most, rounds int) (*Lanes, error) {
	off, err := l.pairsOffFirst(ctx, p, l.lanesByEdge())
	if err != nil {
		return nil, err
	}
	f := &firstFit{p: p, Assignment: NewAssignment(p, false), most: most, lanes: l.lanes[:1:1]}
	var rest []pair
	for i, b := range p.at {
		for _, a := range off[i] {
			if a.lanes&1 == 0 && f.Lane(a.class, b) == 0 {
				f.Set(a.class, b, 1) // so that it is listed once
				rest = append(rest, pair{a.class, b})
			}
		}
	}
	work := 1
	for _, x := range rest {
		work += len(p.LIDs[x.a]) + len(p.LIDs[x.b])
	}
	rounds = min(rounds, refillWork/work)
	if rounds >= refillLeast {
		f.most = min(MaxLanes, most+refillGain)
	}
	if rounds < refillLeast {
		if err := f.putAll(ctx, rest); err != nil {
			return nil, err
		}
	} else {
		if err := f.putAndRefill(ctx, rest, 1, rounds, 2); err != nil {
			return nil, err
		}
	}
	if f.gaveUp || len(f.lanes) > most {
		f.gaveUp, f.most = true, most
	}
	return f.result(), nil
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

// classLanes is a class, and the lanes with all of its paths to another and back.
type classLanes struct {
	class int32
	lanes laneSet
}

// pairsOffFirst lists, for each of the classes at p.at, the classes with some paths to it, or back,
// that are not on the first lane.
func (l *Acyclic) pairsOffFirst(ctx context.Context, p *Paths, sets []laneSet) ([][]classLanes, error) {
	type known struct {
		t     int32 // one more than the switch
		lanes laneSet
	}
	pairs := make([][]classLanes, len(p.at))
	backs := make([][]known, p.Workers) // by class: the lanes with the paths from a switch to it
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

// LayerOneWay gives each path, from a switch to a LID, the first lane that has it. An answer is not
// safe on the lane of its request.
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
