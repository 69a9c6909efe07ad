package whatif

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/judge/check"
	"weft/planner"
	"weft/route"
	"weft/sim/flow"
)

// Options selects the routing of a fabric, and the measurements.
type Options struct {
	Request planner.Request // of a fresh routing; Kept, Afresh and Held are set here
	Runs    int             // random bisections of the key figures
	Pace    Pace
}

// Today is a fabric with its present routing.
type Today struct {
	fabric *fabric.Fabric
	graph  *fabric.Graph
	kept   *planner.Kept
	opt    Options
	state  *State
	brief  bool // figures of changed fabrics leave out shifts

	planes  *Planes
	servers *fabric.Servers // of graph
	several bool            // there are servers with several ports
	port    string          // "host", or "host port" if there are
}

// New judges and measures the present routing. Without a Plan it routes the fabric as opt says.
func New(ctx context.Context, f *fabric.Fabric, plan *route.Plan, opt Options) (*Today, error) {
	t := &Today{fabric: f, graph: f.Compile(), opt: opt}
	t.planes = FindPlanes(f)
	t.servers = t.graph.Servers()
	all := NoLoss()
	all.Servers, all.HostPorts = len(t.servers.List), CountPorts(t.graph, t.servers)
	t.several, t.port = all.several(), all.port()
	if plan == nil {
		r, err := planner.Route(ctx, t.graph, &opt.Request)
		if err != nil {
			return nil, err
		}
		plan = r.Plan
	}
	t.kept = planner.Keep(plan, t.graph)
	var err error
	if t.state, err = Measure(ctx, t.graph, plan, t.flowMeasure(opt.Runs), t.planes); err != nil {
		return nil, err
	}
	return t, t.fits(plan)
}

// fits returns an error for tables of another fabric: most hosts have no LID, or most connected
// pairs of hosts are lost before anything changes. Parts of such tables can be valid, since fabrics
// may share switch GUIDs.
func (t *Today) fits(plan *route.Plan) error {
	hosts, named := 0, 0
	for h := range int32(t.graph.NumHosts) {
		if t.graph.IsHost(h) {
			hosts++
			if plan.Ends.Base[h] != 0 {
				named++
			}
		}
	}
	text := ""
	lost, joined := t.state.Lost-t.state.CutOff, t.state.Pairs-t.state.CutOff
	switch {
	case 2*named < hosts:
		text = fmt.Sprintf("%d of %d %ss have no LID in them", hosts-named, hosts, t.port)
	case 2*lost > joined:
		text = fmt.Sprintf("%d of %d pairs of %ss are lost under them before anything changes", lost, joined, t.port)
	default:
		return nil
	}
	return fmt.Errorf("the tables are not those of %s: %s; give the tables that it has (weft check judges them), or none, and it is routed", t.fabric.Name, text)
}

// flowMeasure sets the measurement of the key figures, with a number of random bisections.
func (t *Today) flowMeasure(runs int) flow.Measure {
	return flow.Measure{Runs: runs, Seed: t.opt.Request.Seed, Workers: t.opt.Request.Workers, NoShifts: t.brief}
}

// Answer is the document of `weft whatif --json` without --each.
type Answer struct {
	Fabric  string `json:"fabric"`
	Verdict        // may it be done
	Change  *Parts `json:"change"`

	HostsLost

	Today    *State `json:"today"`
	AsIs     *State `json:"old_tables"` // the changed fabric while nobody does anything
	Repaired *State `json:"repaired"`   // null if impossible
	Fresh    *State `json:"fresh"`      // null if impossible

	NotRepaired string `json:"not_repaired,omitempty"` // why
	NotFresh    string `json:"not_fresh,omitempty"`    // why
	// Mixture says what can happen while the manager writes the tables of the repair; null without
	// a repair.
	Mixture *check.Mixture `json:"mixture"`
	Pace    Pace           `json:"pace"` // the assumption behind the seconds
}

// Ask returns the effect of changes.
func (t *Today) Ask(ctx context.Context, changes []Change) (*Answer, error) {
	after, err := Apply(t.fabric, changes)
	if err != nil {
		return nil, err
	}
	c, err := t.compile(after, DrainedHosts(t.fabric, changes))
	if err != nil {
		return nil, err
	}
	a := &Answer{Fabric: t.fabric.Name, Change: PartsOf(t.fabric, after), HostsLost: *c.lost, Today: t.state, Pace: t.opt.Pace}
	if a.AsIs, err = t.asIs(ctx, c, t.opt.Runs); err != nil {
		return nil, err
	}
	repaired, err := t.route(ctx, c, true, false)
	if err != nil {
		return nil, err
	}
	a.Repaired, a.NotRepaired = repaired.state, repaired.why
	if a.Repaired != nil {
		if a.Mixture, err = t.kept.Mixture(ctx, c.graph, repaired.plan, t.opt.Request.Workers); err != nil {
			return nil, err
		}
	}
	fresh, err := t.route(ctx, c, false, true)
	if err != nil {
		return nil, err
	}
	a.Fresh, a.NotFresh = fresh.state, fresh.why
	a.Verdict = a.judge()
	return a, nil
}

// errNothingLeft is the error of changes that leave nothing to route.
var errNothingLeft = errors.New("nothing would be left: no switch with a host is up")

// NoFigures is the number of runs for no key figures.
const NoFigures = -1

// changed is a fabric after changes.
type changed struct {
	fabric *fabric.Fabric
	graph  *fabric.Graph
	still  *fabric.Graph // with what is drained still up
	lost   *HostsLost
	planes *Planes
}

// compile makes the Graphs of a changed fabric, and finds the hosts that are lost.
func (t *Today) compile(after *fabric.Fabric, drained map[fabric.GUID]bool) (*changed, error) {
	c := &changed{fabric: after, graph: after.Compile(), still: StillUp(t.fabric, after).Compile()}
	if c.graph.NumSwitches == 0 || c.graph.NumHosts == 0 {
		return nil, errNothingLeft
	}
	c.lost, c.planes = LostHosts(t.graph, t.servers, after, c.graph, drained), t.planes
	if !samePlaces(t.fabric, after) {
		c.planes = FindPlanes(t.fabric, after)
	}
	return c, nil
}

// samePlaces reports whether a changed fabric has the same cables in the same ports.
func samePlaces(before, after *fabric.Fabric) bool {
	return slices.EqualFunc(before.Links, after.Links, func(l, k fabric.Link) bool { return l.A == k.A && l.B == k.B })
}

// asIs measures the present tables on the changed fabric.
func (t *Today) asIs(ctx context.Context, c *changed, runs int) (*State, error) {
	plan, err := t.kept.AsIs(c.still)
	if err != nil {
		return nil, err
	}
	return Measure(ctx, c.still, plan, t.flowMeasure(runs), c.planes)
}

// routed is a routing of a changed fabric, without a state if it was impossible.
type routed struct {
	plan  *route.Plan
	state *State
	why   string // it was impossible
}

// route repairs the present Plan, or routes afresh and keeps the LIDs. With both, it routes afresh
// only if no repair is possible.
func (t *Today) route(ctx context.Context, c *changed, repair, afresh bool) (*routed, error) {
	req := t.opt.Request
	if err := t.kept.Hold(c.graph, &req); err != nil {
		return nil, err
	}
	req.PassDeadSwitch = true // it may be the one that fails
	req.Kept, req.Afresh = nil, false
	if repair {
		req.Kept = t.kept
	}
	if !afresh {
		req.Chain = nil
	}
	r, err := planner.Route(ctx, c.graph, &req)
	_, refused := errors.AsType[*route.Refusal](err)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case r != nil && r.NotRepaired != nil && !afresh:
		return &routed{why: r.NotRepaired.Error()}, nil
	case refused:
		return &routed{why: strings.ReplaceAll(err.Error(), "\n", "; ")}, nil
	default:
		return nil, err
	}
	out := &routed{plan: r.Plan}
	if r.NotRepaired != nil {
		out.why = r.NotRepaired.Error()
	}
	if out.state, err = Measure(ctx, c.graph, r.Plan, t.flowMeasure(t.opt.Runs), c.planes); err != nil {
		return nil, err
	}
	out.state.Engine = r.Engine.Name
	out.state.Writes = t.writes(c.graph, r)
	return out, nil
}

// writes counts the manager's writes to the switches.
func (t *Today) writes(g *fabric.Graph, r *planner.Result) *Writes {
	w := &Writes{}
	w.Add(t.kept.Changes(g, r.Plan))
	w.Seconds, w.Lanes = t.opt.Pace.Seconds(w.Blocks), LanesChange(t.kept, r)
	return w
}

// Add adds the writes for a change of one subnet's Plan.
func (w *Writes) Add(c *route.Change) {
	w.MovedLIDs, w.NewLIDs = w.MovedLIDs+c.Ports.Moved, w.NewLIDs+c.Ports.New
	w.Blocks, w.Switches = w.Blocks+c.Blocks, w.Switches+len(c.Switches)
	w.Entries += c.Entries.Moved + c.Entries.New + c.Entries.Gone
}

// LanesChange reports whether service levels or SL2VL tables change too.
func LanesChange(kept *planner.Kept, r *planner.Result) bool {
	return r.Repaired == nil && max(r.Plan.VLs, kept.Plan.VLs) > 1 || r.Repaired != nil && r.Repaired.Relaned > 0
}

// Verdict says whether a change may be made.
type Verdict struct {
	OK     bool   `json:"ok"`
	Reason string `json:"reason"`
}

// judge returns the verdict and its reason.
func (a *Answer) judge() Verdict {
	best := a.Repaired
	if best == nil || !best.Proven && a.Fresh != nil && a.Fresh.Proven {
		best = a.Fresh
	}
	switch {
	case len(a.ServersCutOff) > 0:
		return Verdict{false, a.CutOffText()}
	case best == nil:
		return Verdict{false, "what is left cannot be routed: " + a.NotFresh}
	case best.cutOff() > a.Today.cutOff():
		return Verdict{false, fmt.Sprintf("%d of %d pairs of %ss have no way left", best.cutOff(), best.Pairs, a.port())}
	case best.lost() > a.Today.lost():
		return Verdict{false, fmt.Sprintf("%d of %d pairs of %ss stay lost", best.lost(), best.Pairs, a.port())}
	case best.DeadlockFree == check.No && a.Today.DeadlockFree != check.No:
		return Verdict{false, "what is left can deadlock, repaired or routed afresh"}
	}
	return Verdict{true, a.price(best)}
}
