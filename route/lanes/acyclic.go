package lanes

import (
	"context"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// Acyclic are lanes for paths that are still being chosen. They only grow, and none
// ever has a cycle: whoever chooses asks before each turn what it costs.
type Acyclic struct {
	p     *Paths // places of edges, without paths
	list  []int32
	lanes []*order
	hops  []hop
	later [][]int32 // by LID: switches whose paths to it were not on the first lane when chosen
}

// NewAcyclic starts with one lane. On every lane the channels stand in the order of
// a list until a path makes it change.
func NewAcyclic(g *fabric.Graph, list []int32) *Acyclic {
	l := &Acyclic{p: newPlaces(g), list: list}
	l.grow()
	return l
}

// Lanes is the number of lanes.
func (l *Acyclic) Lanes() int { return len(l.lanes) }

func (l *Acyclic) grow() { l.lanes = append(l.lanes, newOrder(l.p, nil, l.list)) }

// Labels are those of all channels on the first lane, by place in Graph.Out: there a
// path may take a channel and then any of a greater label. None is negative. They
// change when a channel moves.
func (l *Acyclic) Labels() []int64 { return l.lanes[0].label }

// Moves counts the moves on the first lane.
func (l *Acyclic) Moves() int { return l.lanes[0].moves }

// Note has the first lane have an edge that Labels allows: from channel c to the one
// with a number among those out of its end.
func (l *Acyclic) Note(c, number int32) {
	o := l.lanes[0]
	if o.next[int(c)*o.words+int(number>>6)]>>(number&63)&1 == 0 {
		o.linkNumber(c, number)
	}
}

// Never tells that no path of a lane will ever take channel c and then the one with a
// number among those out of its end. Where it does not, Add may still find that.
func (l *Acyclic) Never(lane int, c, number int32) bool {
	if lane == len(l.lanes) {
		return false
	}
	o := l.lanes[lane]
	return o.never[int(c)*o.words+int(number>>6)]>>(number&63)&1 == 1
}

// Add adds a path, given by its channels, to a lane, unless that closed a cycle. A
// lane beyond the last is opened.
func (l *Acyclic) Add(lane int, path []int32) bool {
	l.hops = l.hops[:0]
	for i := 1; i < len(path); i++ {
		l.hops = append(l.hops, hop{path[i-1], path[i]})
	}
	return l.add(lane, l.hops)
}

func (l *Acyclic) add(lane int, hops []hop) bool {
	if lane == len(l.lanes) {
		l.grow()
	}
	return l.lanes[lane].add(hops)
}

// Elsewhere notes that the path chosen from a switch to a LID is not on the first lane,
// until the LID is forgotten. Layer and LayerOneWay take all others to be on it.
func (l *Acyclic) Elsewhere(s int32, lid fabric.LID) {
	for len(l.later) <= int(lid) {
		l.later = append(l.later, nil)
	}
	l.later[lid] = append(l.later[lid], s)
}

// Forget takes back what Elsewhere noted of a LID, whose paths are chosen anew.
func (l *Acyclic) Forget(lid fabric.LID) {
	if int(lid) < len(l.later) {
		l.later[lid] = l.later[lid][:0]
	}
}

// elsewhere are the switches whose paths to a class are not all on the first lane.
func (l *Acyclic) elsewhere(lids []fabric.LID) []int32 {
	var list []int32
	for _, lid := range lids {
		if int(lid) < len(l.later) {
			list = append(list, l.later[lid]...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// all are the lanes there are, a bit each.
func (l *Acyclic) all() uint16 { return 1<<len(l.lanes) - 1 }

// held are the lanes that have an edge, by place of edges.
func (l *Acyclic) held() []uint16 {
	held, g := make([]uint16, l.p.size), l.p.g
	for i, o := range l.lanes {
		for c := range int32(g.NumChannels) {
			row := held[l.p.row[c]:]
			for w, set := range o.next[int(c)*o.words : int(c+1)*o.words] {
				for ; set != 0; set &= set - 1 {
					row[w*64+bits.TrailingZeros64(set)] |= 1 << i
				}
			}
		}
	}
	return held
}

// have are the lanes that have the paths from a switch to LIDs.
func (l *Acyclic) have(held []uint16, p *Paths, s int32, lids []fabric.LID) uint16 {
	lanes := l.all()
	for _, lid := range lids {
		for c := p.next(s, lid); c >= 0; {
			d := p.next(p.g.To[c], lid)
			if d >= 0 {
				lanes &= held[p.edge(c, d)]
			}
			c = d
		}
	}
	return lanes
}

// late is a class some of whose paths to another, or back, are not on the first lane.
type late struct {
	class int32
	lanes uint16 // that have all of them
}

// Layer gives each pair of classes the first lane that has all of its paths, both
// ways. Where there is none, the paths are added to the first lane that takes them.
// It gives up after most lanes.
func (l *Acyclic) Layer(ctx context.Context, p *Paths, most int) (*Lanes, error) {
	held := l.held()
	pairs, err := l.latePairs(ctx, p, held)
	if err != nil {
		return nil, err
	}
	out, need := newLayers(p), 1
	there, back := newTrails(p), newTrails(p)
	for i, b := range p.at {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, a := range pairs[i] {
			if out.sl.Class(a.class, b) > 0 {
				continue // found from the other side
			}
			lane := bits.TrailingZeros16(a.lanes)
			if a.lanes == 0 {
				lane = l.both(held, there.hops(p.home[a.class], b), back.hops(p.home[b], a.class), most)
			}
			if lane == most {
				return &Lanes{Need: most + 1}, nil
			}
			out.set(a.class, b, lane)
			need = max(need, lane+1)
		}
	}
	return out.result(need), nil
}

// latePairs lists, for each of the classes at p.at, those some of whose paths to it, or
// back, are not on the first lane.
func (l *Acyclic) latePairs(ctx context.Context, p *Paths, held []uint16) ([][]late, error) {
	type known struct {
		t     int32 // switch
		lanes uint16
	}
	pairs := make([][]late, len(p.at))
	backs := make([][]known, p.workers) // by class: the lanes that have the paths from a switch t
	err := par.For(ctx, p.workers, p.g.NumSwitches, func(worker, t int) error {
		if backs[worker] == nil {
			backs[worker] = make([]known, len(p.home))
		}
		back, s := backs[worker], int32(t)
		for i := p.atStart[t]; i < p.atStart[t+1]; i++ {
			b := p.at[i]
			for _, from := range l.elsewhere(p.lids[b]) {
				there := l.have(held, p, from, p.lids[b])
				for _, a := range p.classesAt(from) {
					if back[a].t != s+1 {
						back[a] = known{s + 1, l.have(held, p, s, p.lids[a])}
					}
					pairs[i] = append(pairs[i], late{a, there & back[a].lanes})
				}
			}
		}
		return nil
	})
	return pairs, err
}

// trails lists the edges of paths from a switch, each path once as long as it is asked
// for the same switch.
type trails struct {
	p     *Paths
	from  int32
	round int32 // switches so far
	list  []hop
	of    []trail // by class
}

// trail is a part of trails.list, listed in a round.
type trail struct{ round, start, end int32 }

func newTrails(p *Paths) *trails {
	return &trails{p: p, from: fabric.Nothing, of: make([]trail, len(p.home))}
}

// hops lists the edges of all paths from a switch to a class.
func (t *trails) hops(from, class int32) []hop {
	if from != t.from {
		t.from, t.list = from, t.list[:0]
		t.round++
	}
	e := &t.of[class]
	if e.round != t.round {
		start := len(t.list)
		for _, lid := range t.p.lids[class] {
			t.list = t.p.hopsTo(from, lid, t.list)
		}
		*e = trail{t.round, int32(start), int32(len(t.list))}
	}
	return t.list[e.start:e.end]
}

// both finds a lane for a pair with such paths, most if none takes it, and keeps held true.
// The lanes known to have all of its paths may have become more since they were listed
// as late.
func (l *Acyclic) both(held []uint16, there, back []hop, most int) int {
	lanes := l.all()
	for _, h := range there {
		lanes &= held[l.p.edge(h.c, h.d)]
	}
	for _, h := range back {
		lanes &= held[l.p.edge(h.c, h.d)]
	}
	if lanes != 0 {
		return bits.TrailingZeros16(lanes)
	}
	l.hops = append(append(l.hops[:0], there...), back...)
	lane := 0
	for lane < most && !l.add(lane, l.hops) {
		lane++
	}
	for _, h := range l.hops {
		held[l.p.edge(h.c, h.d)] |= 1 << lane
	}
	return lane
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
	held, need := l.held(), make([]uint8, p.workers) // last lane used
	err := par.For(ctx, p.workers, min(len(number), len(l.later)), func(worker, lid int) error {
		if number[lid] < 0 {
			return nil
		}
		for _, s := range l.later[lid] {
			lane := uint8(bits.TrailingZeros16(l.have(held, p, s, []fabric.LID{fabric.LID(lid)})))
			sl.Set(s, number[lid], lane)
			need[worker] = max(need[worker], lane)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &Lanes{SL: sl, Need: int(slices.Max(need)) + 1, each: func(visit func(a, b int32)) {
		for lid, c := range p.classOf {
			for s := range int32(g.NumSwitches) {
				if c >= 0 && s != p.home[c] {
					visit(s, number[lid])
				}
			}
		}
	}}, nil
}
