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
	label []int64 // of the first lane
	lanes []*order
	hops  []hop
}

// NewAcyclic starts with one lane. On every lane the channels stand in the order of
// a list until a path makes it change.
func NewAcyclic(g *fabric.Graph, list []int32) *Acyclic {
	l := &Acyclic{p: newPlaces(g), list: list}
	l.grow()
	l.label = l.lanes[0].label
	return l
}

// Lanes is the number of lanes.
func (l *Acyclic) Lanes() int { return len(l.lanes) }

func (l *Acyclic) grow() { l.lanes = append(l.lanes, newOrder(l.p, nil, l.list)) }

// Follows tells whether channel d stands after channel c on the first lane, so that
// a path may take one after the other there.
func (l *Acyclic) Follows(c, d int32) bool { return l.label[c] < l.label[d] }

// Note adds an edge for which Follows holds to the first lane.
func (l *Acyclic) Note(c, d int32) {
	o := l.lanes[0]
	if w, bit := o.bit(hop{c, d}); o.next[w]&bit == 0 {
		o.link(hop{c, d})
	}
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

// on are the lanes that have an edge, a bit each.
func (l *Acyclic) on(h hop) uint16 {
	lanes := uint16(0)
	for i, o := range l.lanes {
		if w, bit := o.bit(h); o.next[w]&bit != 0 {
			lanes |= 1 << i
		}
	}
	return lanes
}

// Layer gives each pair of classes the first lane that has all of its paths, both
// ways. Where there is none, the paths are added to the first lane that takes them.
// It gives up after most lanes.
func (l *Acyclic) Layer(ctx context.Context, p *Paths, most int) (*Lanes, error) {
	held, err := l.held(ctx, p)
	if err != nil {
		return nil, err
	}
	out, need := newLayers(p), 1
	for _, b := range p.at {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for s, lanes := range held[b] {
			if lanes&1 != 0 {
				continue
			}
			for _, a := range p.classesAt(int32(s)) {
				lane := l.both(p, a, b, lanes&held[a][p.home[b]], most)
				if lane == most {
					return &Lanes{Need: most + 1}, nil
				}
				out.set(a, b, lane)
				need = max(need, lane+1)
			}
		}
	}
	return out.result(need), nil
}

// both finds a lane for a pair, most if none takes it. The lanes known to have all
// of its paths may have become more since.
func (l *Acyclic) both(p *Paths, a, b int32, lanes uint16, most int) int {
	if lanes == 0 {
		l.hops = p.hops(a, b, l.hops[:0])
		lanes = 1<<len(l.lanes) - 1
		for _, h := range l.hops {
			lanes &= l.on(h)
		}
	}
	if lanes != 0 {
		return bits.TrailingZeros16(lanes)
	}
	lane := 0
	for lane < most && !l.add(lane, l.hops) {
		lane++
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
	need := make([]uint8, p.workers) // last lane used
	scratch := make([]*tracer, p.workers)
	err := par.For(ctx, p.workers, len(number), func(worker, lid int) error {
		if number[lid] < 0 {
			return nil
		}
		w := l.tracer(&scratch[worker], p)
		w.to(fabric.LID(lid))
		for s, lanes := range w.lanes {
			lane := uint8(bits.TrailingZeros16(lanes))
			sl.Set(int32(s), number[lid], lane)
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

// held are the lanes that have the paths from a switch to all LIDs of a class, by
// class and switch.
func (l *Acyclic) held(ctx context.Context, p *Paths) ([][]uint16, error) {
	held := make([][]uint16, len(p.home))
	scratch := make([]*tracer, p.workers)
	err := par.For(ctx, p.workers, len(p.at), func(worker, i int) error {
		w, class := l.tracer(&scratch[worker], p), p.at[i]
		held[class] = make([]uint16, p.g.NumSwitches)
		for s := range held[class] {
			held[class][s] = 1<<len(l.lanes) - 1
		}
		for _, lid := range p.lids[class] {
			w.to(lid)
			for s, lanes := range w.lanes {
				held[class][s] &= lanes
			}
		}
		return nil
	})
	return held, err
}

// tracer finds the lanes of all paths to a LID.
type tracer struct {
	l     *Acyclic
	p     *Paths
	lanes []uint16 // by switch: lanes that have its path
	next  []int32  // by switch: channel that it takes, or a negative number
	done  []bool   // by switch
	stack []int32
}

func (l *Acyclic) tracer(scratch **tracer, p *Paths) *tracer {
	if *scratch == nil {
		n := p.g.NumSwitches
		*scratch = &tracer{l: l, p: p, lanes: make([]uint16, n), next: make([]int32, n), done: make([]bool, n)}
	}
	return *scratch
}

// to fills in the lanes of the paths to a LID, whose tables have no loop.
func (w *tracer) to(lid fabric.LID) {
	g := w.p.g
	clear(w.done)
	for s := range int32(len(w.lanes)) {
		x := s
		for !w.done[x] {
			w.next[x] = w.p.next(x, lid)
			if w.next[x] < 0 {
				w.lanes[x], w.done[x] = 1<<len(w.l.lanes)-1, true
				break
			}
			w.stack = append(w.stack, x)
			x = g.To[w.next[x]]
		}
		for len(w.stack) > 0 {
			x := w.stack[len(w.stack)-1]
			w.stack = w.stack[:len(w.stack)-1]
			v := g.To[w.next[x]]
			w.lanes[x], w.done[x] = w.lanes[v], true
			if w.next[v] >= 0 {
				w.lanes[x] &= w.l.on(hop{w.next[x], w.next[v]})
			}
		}
	}
}
