package names

import (
	"context"

	"weft/fabric"
	"weft/route"
	"weft/route/cdg"
)

// patcher adds the entries for which the order of a completer has no room: it knows
// the dependencies that the entries of all LIDs can make, and adds one more where that
// closes no cycle. Where there are cycles already, as in dimension order on a torus,
// no entry can do harm any more, and all are added.
type patcher struct {
	g      *fabric.Graph
	lane   *cdg.Order
	cyclic bool
}

// patchAll patches the LIDs that are not complete.
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
	p := &patcher{g: g, lane: cdg.NewOrder(cdg.NewIndex(g), nil, cdg.MoveFewer)}
	for lid, end := range ends.ByLID() {
		if end < 0 {
			continue
		}
		for s := range int32(g.NumSwitches) {
			if c := p.next(t, s, fabric.LID(lid)); c >= 0 {
				if d := p.next(t, g.To[c], fabric.LID(lid)); d >= 0 && !p.may(c, d) {
					p.cyclic = true
					return p
				}
			}
		}
	}
	return p
}

// next is the channel by which a switch sends a LID on, or a negative number.
func (p *patcher) next(t *route.Tables, s int32, lid fabric.LID) int32 {
	c, _ := p.g.At(s, t.Port(s, lid))
	return c
}

// patch gives switches without an entry for a LID one, from those that have one on,
// and returns how many stay without.
func (p *patcher) patch(t *route.Tables, lid fabric.LID, target int32) (missing int) {
	g := p.g
	var queue []int32
	for s := range int32(g.NumSwitches) {
		if t.Port(s, lid) != route.NoPort {
			queue = append(queue, s)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		if g.Drained[v] && v != target {
			continue
		}
		for _, out := range g.OutOf(v) {
			s := g.To[out]
			if t.Port(s, lid) == route.NoPort && (v == target || p.may(out^1, p.next(t, v, lid))) {
				t.Set(s, lid, g.ToPort[out])
				queue = append(queue, s)
			}
		}
	}
	for s := range int32(g.NumSwitches) {
		if t.Port(s, lid) == route.NoPort {
			missing++
		}
	}
	return missing
}

// may reports whether channel d may follow channel c, and if so lets it.
func (p *patcher) may(c, d int32) bool {
	return p.cyclic || p.lane.Add([]cdg.Edge{{C: c, D: d}})
}
