package lanes

import (
	"fmt"

	"weft/fabric"
	"weft/route"
)

// MaxLanes is the maximum number of lanes: one for each SL.
const MaxLanes = route.NumSLs

// Lanes is the result of layering.
type Lanes struct {
	SL   *route.SLs                   // lane of each pair of classes
	Need int                          // lanes needed; if the search gave up, one more than it had
	used int                          // lanes after Balance
	each func(visit func(a, b int32)) // visits the pairs that have lanes of their own
}

// Assignment gives pairs of classes their lanes.
type Assignment struct {
	p      *Paths
	sl     *route.SLs
	oneWay bool // each direction of a pair has a lane of its own
}

// NewAssignment puts all pairs on the first lane.
func NewAssignment(p *Paths, oneWay bool) *Assignment {
	n := len(p.Home)
	return &Assignment{p, route.NewSLs(p.class, p.classOf, n, n), oneWay}
}

// Lane returns the lane of a pair.
func (m *Assignment) Lane(a, b int32) int { return int(m.sl.ByClass(a, b)) }

// Set changes the lane of a pair.
func (m *Assignment) Set(a, b int32, lane int) {
	m.sl.Set(a, b, uint8(lane))
	if !m.oneWay {
		m.sl.Set(b, a, uint8(lane))
	}
}

// Result returns the lanes; need is their number.
func (m *Assignment) Result(need int) *Lanes {
	m.sl.OneWay = m.oneWay
	r := &Lanes{SL: m.sl, Need: need, each: m.p.pairs}
	if m.oneWay {
		r.each = m.p.ordered
	}
	return r
}

// Pairs counts the pairs of classes on different switches by lane: each once, or twice if its
// directions have separate lanes (SL.OneWay).
func (r *Lanes) Pairs() []int64 {
	pairs := make([]int64, max(r.Need, r.used))
	r.each(func(a, b int32) { pairs[r.SL.ByClass(a, b)]++ })
	return pairs
}

// Balance spreads the pairs over all lanes up to most without a new search: a part of an acyclic
// lane is acyclic. An empty lane takes pairs from the lane with the most pairs for each of its
// parts.
func (r *Lanes) Balance(most int) {
	if r.Need >= most {
		return
	}
	parts := make([][]uint8, r.Need) // by lane: the lanes that share its pairs
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
		over := parts[r.SL.ByClass(a, b)]
		lane := over[int(a+b)%len(over)]
		r.SL.Set(a, b, lane)
		if !r.SL.OneWay {
			r.SL.Set(b, a, lane)
		}
	})
}

// Fill writes the lanes into a Plan, SL i on VL i at every port. It refuses in the name of an
// engine if it needs more lanes than allowed. A Plan with one lane stays without SLs; recipe.Run
// fills them in.
func (r *Lanes) Fill(engine string, g *fabric.Graph, allowed int, plan *route.Plan) error {
	if r.Need > allowed {
		need := fmt.Sprint(r.Need)
		if r.SL == nil {
			need = fmt.Sprintf("more than %d", r.Need-1)
		}
		return route.Refuse(engine, "", "needs %s lanes, %d allowed", need, allowed)
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
