package lanes

import (
	"fmt"

	"weft/fabric"
	"weft/route"
)

// layers are the dependency graphs of all lanes.
type layers struct {
	p     *Paths
	sl    *route.SLs
	count [][]uint32 // by lane and place of an edge: paths

	oneWay bool // each direction of a pair has a lane of its own
}

func newLayers(p *Paths) *layers {
	n := len(p.home)
	return &layers{p: p, sl: route.NewSLs(p.class, p.classOf, n, n)}
}

// set notes the lane of a pair.
func (l *layers) set(a, b int32, lane int) {
	l.sl.Set(a, b, uint8(lane))
	if !l.oneWay {
		l.sl.Set(b, a, uint8(lane))
	}
}

// move takes all paths of a pair from one lane to another.
func (l *layers) move(a, b int32, from, to int) {
	l.set(a, b, to)
	for _, lid := range l.p.lids[b] {
		l.movePath(l.p.home[a], lid, from, to)
	}
	if l.oneWay {
		return
	}
	for _, lid := range l.p.lids[a] {
		l.movePath(l.p.home[b], lid, from, to)
	}
}

func (l *layers) movePath(s int32, lid fabric.LID, from, to int) {
	p, old, now := l.p, l.count[from], l.count[to]
	for c := p.next(s, lid); c >= 0; {
		d := p.next(p.g.To[c], lid)
		if d >= 0 {
			e := p.index.Number(c, d)
			old[e]--
			now[e]++
		}
		c = d
	}
}

// drop uncounts the paths of a pair on a lane.
func (l *layers) drop(a, b int32, lane int) {
	for _, lid := range l.p.lids[b] {
		l.dropPath(l.p.home[a], lid, lane)
	}
	for _, lid := range l.p.lids[a] {
		l.dropPath(l.p.home[b], lid, lane)
	}
}

func (l *layers) dropPath(s int32, lid fabric.LID, lane int) {
	p, count := l.p, l.count[lane]
	for c := p.next(s, lid); c >= 0; {
		d := p.next(p.g.To[c], lid)
		if d >= 0 {
			count[p.index.Number(c, d)]--
		}
		c = d
	}
}

// result sums up the pairs of each lane.
func (l *layers) result(need int) *Lanes {
	l.sl.OneWay = l.oneWay
	r := &Lanes{SL: l.sl, Need: need, each: l.p.pairs}
	if l.oneWay {
		r.each = l.p.ordered
	}
	return r
}

// Pairs counts the pairs of classes on different switches by lane: each once, or twice
// where its directions have lanes of their own (SL.OneWay).
func (r *Lanes) Pairs() []int64 {
	pairs := make([]int64, max(r.Need, r.used))
	r.each(func(a, b int32) { pairs[r.SL.Class(a, b)]++ })
	return pairs
}

// pairs visits all pairs of classes on different switches.
func (p *Paths) pairs(visit func(a, b int32)) {
	for i, a := range p.at {
		for _, b := range p.at[i+1:] {
			if p.home[a] != p.home[b] {
				visit(a, b)
			}
		}
	}
}

// ordered visits them in both directions.
func (p *Paths) ordered(visit func(a, b int32)) {
	p.pairs(func(a, b int32) {
		visit(a, b)
		visit(b, a)
	})
}

// Balance spreads the pairs over all lanes up to most without a new search: a part
// of an acyclic lane is acyclic. An empty lane takes from the lane that has the most
// pairs for each of its parts.
func (r *Lanes) Balance(most int) {
	if r.Need >= most {
		return
	}
	parts := make([][]uint8, r.Need) // by lane: the lanes that its pairs are dealt out to
	for lane := range parts {
		parts[lane] = []uint8{uint8(lane)}
	}
	pairs := r.Pairs()
	for lane := r.Need; lane < most; lane++ {
		best := 0
		for i := range parts {
			if pairs[i]*int64(len(parts[best])) > pairs[best]*int64(len(parts[i])) {
				best = i
			}
		}
		parts[best] = append(parts[best], uint8(lane))
	}
	r.used = most
	r.each(func(a, b int32) {
		over := parts[r.SL.Class(a, b)]
		lane := over[int(a+b)%len(over)]
		r.SL.Set(a, b, lane)
		if !r.SL.OneWay {
			r.SL.Set(b, a, lane)
		}
	})
}

// Fill enters the lanes into a Plan, SL i on VL i at every port. It refuses in the
// name of an engine when more lanes are needed than allowed. A Plan with one lane is
// left without, which is what recipe.Run takes one lane for.
func (r *Lanes) Fill(engine string, g *fabric.Graph, allowed int, plan *route.Plan) error {
	if r.Need > allowed {
		need := fmt.Sprint(r.Need)
		if r.SL == nil {
			need = fmt.Sprintf("more than %d", r.Need-1)
		}
		return route.Refuse(engine, "use updn, which needs one", "needs %s lanes, %d allowed", need, allowed)
	}
	used := max(r.Need, r.used)
	if used == 1 {
		return nil
	}
	var table route.VLTable
	for sl := range used {
		table[sl] = uint8(sl)
	}
	plan.SL, plan.SL2VL, plan.VLs = r.SL, route.UniformVL(g, table), used
	return nil
}
