package paths

import (
	"context"

	"weft/route/names/ilp"
)

// Yen gives the k shortest ways between two switches under a rule.
func Yen(r *Rule, s, t int32, k int) [][]int32 {
	y := newYen(r)
	y.setTarget(t)
	return y.find(s, k)
}

// YenLoopless gives only ways that meet no switch twice.
func YenLoopless(r *Rule, s, t int32, k int) [][]int32 {
	y := newYen(r)
	y.setTarget(t)
	return y.findLoopless(s, k)
}

// Rules are the rules of the algorithms that choose among the paths of one.
func Rules(in *Input) map[string]*Rule {
	sm, err := newSmart(context.Background(), in)
	if err != nil {
		panic(err)
	}
	demand, err := newByDemand(context.Background(), in)
	if err != nil {
		panic(err)
	}
	root := rootOf(in)
	return map[string]*Rule{
		"updn": UpDown(in.Graph, root), "l-turn": newLTurn(in.Graph, root), "smart": sm, byNue: demand,
	}
}

// Acyclic reports whether the turns of a rule have no cycle.
func (r *Rule) Acyclic() bool {
	w := cycleFinder{next: newTurns(r).next, state: make([]uint8, r.g.NumChannels)}
	return w.find() == nil
}

// Balance gives the bound too.
func Balance(in *Input) (*Set, float64, error) {
	r, err := newSmart(context.Background(), in)
	if err != nil {
		return nil, 0, err
	}
	return balance(context.Background(), in, r)
}

// RootOf is the root that an algorithm takes.
func RootOf(in *Input) int32 { return rootOf(in) }

// HostOrder is the order in which pairs are taken.
func HostOrder(in *Input) []int32 { return hostOrder(in) }

// Spread gives the linear programme of smart for whole paths of a set that are shortest under its
// rule, the values by which the paths are a solution, and what the values are rounded to.
func Spread(in *Input, set *Set) (p *ilp.Linear, values []float64, rounded func([]float64) (*Set, error)) {
	sp := newFlowProgramme(in, set.Rule())
	values = make([]float64, sp.programme.Variables)
	for dst := range int32(in.Graph.NumHosts) {
		first, last := set.To(dst)
		for path := first; path < last; path++ {
			x := set.Rule().source(in.Graph.EndSwitch[set.Source(path)])
			for _, c := range set.AppendChannels(nil, path) {
				values[sp.flow[in.Graph.EndSwitch[dst]][[2]int32{x, c}]]++
				x = c
			}
		}
	}
	values[0] = set.MaxLoad() * float64(in.Graph.NumHosts-1)
	return &sp.programme, values, sp.pathSet
}
