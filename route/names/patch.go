package names

import (
	"context"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/cdg"
)

// patcher adds entries where a completer could not. It holds the dependencies that the entries of
// all LIDs can make, and adds an entry whose dependency closes no cycle. If there are cycles
// already, as in dimension order on a torus, no entry can do further harm, and it adds all.
type patcher struct {
	g      *fabric.Graph
	order  *cdg.Order
	cyclic bool
}

// patchAll patches LIDs without some entries, and counts the entries still missing.
func patchAll(ctx context.Context, g *fabric.Graph, plan *route.Plan, partial []fabric.LID) (missing int, err error) {
	p := newPatcher(g, plan.Tables, &plan.Ends)
	owner := plan.Ends.ByLID()
	for _, lid := range partial {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		missing += p.patch(plan.Tables, lid, g.EndSwitch[owner[lid]])
	}
	return missing, nil
}

func newPatcher(g *fabric.Graph, t *route.Tables, ends *route.Ends) *patcher {
	p := &patcher{g: g, order: cdg.NewOrder(cdg.NewIndex(g), nil, cdg.MoveFewer)}
	for lid, end := range ends.ByLID() {
		if end < 0 {
			continue
		}
		for s := range int32(g.NumSwitches) {
			if c := p.next(t, s, fabric.LID(lid)); c >= 0 {
				if d := p.next(t, g.To[c], fabric.LID(lid)); d >= 0 && !p.allow(c, d) {
					p.cyclic = true
					return p
				}
			}
		}
	}
	return p
}

// next returns the output channel of a switch for a LID, or a negative number.
func (p *patcher) next(t *route.Tables, s int32, lid fabric.LID) int32 {
	c, _ := p.g.At(s, t.Port(s, lid))
	return c
}

// patch gives entries to switches without one for a LID, starting from switches with one, and
// returns how many stay without.
func (p *patcher) patch(t *route.Tables, lid fabric.LID, target int32) (missing int) {
	g := p.g
	var queue []int32
	for s := range int32(g.NumSwitches) {
		if t.Port(s, lid) != route.NoPort {
			queue = append(queue, s)
		}
	}
	for reached := 0; reached < len(queue); reached++ {
		v := queue[reached]
		if g.Drained[v] && v != target {
			continue
		}
		for _, out := range g.OutOf(v) {
			s := g.To[out]
			if t.Port(s, lid) == route.NoPort && (v == target || p.allow(out^1, p.next(t, v, lid))) {
				t.Set(s, lid, g.ToPort[out])
				queue = append(queue, s)
			}
		}
	}
	return g.NumSwitches - len(queue)
}

// allow adds the dependency of channel d on channel c, and returns false if it would close a cycle.
func (p *patcher) allow(c, d int32) bool {
	return p.cyclic || p.order.Add([]cdg.Edge{{C: c, D: d}})
}
