package whatif

import (
	"context"

	"weft/fabric"
	"weft/planner"
	"weft/route"
)

// Glance is a first answer, without the figures of bandwidth: the losses, and the effect of a
// repair.
type Glance struct {
	Change *Parts `json:"change"`

	HostsLost

	Pairs       int64   `json:"pairs"`                  // of a host that is left and a LID of another one
	CutOffPairs int64   `json:"cut_off"`                // of these, without any path
	Lost        int64   `json:"lost"`                   // of these, not delivered after the repair
	Rerouted    int64   `json:"rerouted"`               // of these, with another path after the repair
	Proven      bool    `json:"proven"`                 // the judge's verdict about the repair
	Writes      *Writes `json:"writes"`                 // null without a repair
	NotRepaired string  `json:"not_repaired,omitempty"` // why there is no repair
}

// Glimpse returns a first answer: it repairs the Plan of a fabric and judges the repair, and
// measures nothing.
func Glimpse(ctx context.Context, f *fabric.Fabric, plan *route.Plan, req planner.Request, changes []Change) (*Glance, error) {
	after, err := Apply(f, changes)
	if err != nil {
		return nil, err
	}
	t := &Today{fabric: f, graph: f.Compile(), opt: Options{Request: req, Runs: NoFigures, Pace: UsualPace}, planes: FindPlanes(f)}
	t.servers, t.kept = t.graph.Servers(), planner.Keep(plan, t.graph)
	c, err := t.compile(after, DrainedHosts(f, changes))
	if err != nil {
		return nil, err
	}
	a := &Glance{Change: PartsOf(f, after), HostsLost: *c.lost}
	repaired, err := t.route(ctx, c, true, false)
	if err != nil {
		return nil, err
	}
	if a.NotRepaired = repaired.why; repaired.state == nil {
		return a, nil
	}
	s := repaired.state
	a.Pairs, a.CutOffPairs, a.Lost, a.Proven, a.Writes = s.Pairs-s.Apart, s.cutOff(), s.lost(), s.Proven, s.Writes
	old, err := t.kept.AsIs(c.graph)
	if err != nil {
		return nil, err
	}
	a.Rerouted, err = rerouted(ctx, c.graph, old, repaired.plan)
	return a, err
}

// Repaired returns a fabric after changes, and its repaired Plan with its proof.
func Repaired(ctx context.Context, f *fabric.Fabric, plan *route.Plan, req planner.Request, changes []Change) (*fabric.Fabric, *planner.Result, error) {
	after, err := Apply(f, changes)
	if err != nil {
		return nil, nil, err
	}
	r, err := Repair(ctx, f.Compile(), after.Compile(), plan, req)
	return after, r, err
}

// Repair returns the Plan of a network for the network after a change, repaired and proven. Without
// a possible repair the engines of the request route afresh and keep the LIDs.
func Repair(ctx context.Context, before, after *fabric.Graph, plan *route.Plan, req planner.Request) (*planner.Result, error) {
	kept := planner.Keep(plan, before)
	if err := kept.Hold(after, &req); err != nil {
		return nil, err
	}
	req.PassDeadSwitch, req.Kept = true, kept
	return planner.Run(ctx, after, &req)
}

// rerouted counts the pairs of a host and a LID of another host, known to both Plans, whose paths
// differ.
func rerouted(ctx context.Context, g *fabric.Graph, old, now *route.Plan) (pairs int64, err error) {
	const unknown, same, other = 0, 1, 2
	state := make([]uint8, g.NumSwitches)
	var way []int32
	for target := range int32(g.NumHosts) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if !g.IsHost(target) || old.Ends.Base[target] != now.Ends.Base[target] {
			continue
		}
		for i := range min(old.Ends.Count(target), now.Ends.Count(target)) {
			lid := now.Ends.Base[target] + fabric.LID(i)
			clear(state)
			for from := range int32(g.NumSwitches) {
				s, found := from, uint8(other)
				way = way[:0]
				for state[s] == unknown {
					state[s] = other // of rings, and until known
					way = append(way, s)
					port := now.Tables.Port(s, lid)
					c, _ := g.At(s, port)
					if old.Tables.Port(s, lid) != port {
						break
					}
					if c < 0 {
						found = same
						break
					}
					if s = g.To[c]; state[s] != unknown {
						found = state[s]
					}
				}
				for _, w := range way {
					state[w] = found
				}
			}
			for s := range int32(g.NumSwitches) {
				if state[s] != other {
					continue
				}
				if pairs += int64(g.HostCount(s)); s == g.EndSwitch[target] {
					pairs--
				}
			}
		}
	}
	return pairs, nil
}
