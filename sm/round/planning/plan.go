package planning

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/planner"
	"weft/route"
	"weft/route/joblanes"
	"weft/sm/terms"
)

// Plan runs the routing request q and returns its event Planned. req holds engines and options, and
// is the caller's copy. The Plan keeps the LIDs in use, or the LIDs of q.Kept. Options may name
// switches that were not found, which are left out: a dead root must not stop a fabric. Hosts are
// assumed to use no path records: some never ask, others keep old ones.
func Plan(ctx context.Context, req planner.Request, q *terms.RouteRequest) *terms.Event {
	g := q.Graph
	complete(&req, q)
	ev := &terms.Event{Kind: terms.Planned}
	if q.Beside {
		ev.Kind = terms.Improved
	}
	if q.Turn != nil {
		planTurn(ctx, req, q, ev)
		return ev
	}
	limitLanes(&req, g, ev)
	if q.Better != nil {
		if ev.Unfit = useBetter(ctx, req, q, ev); ev.Unfit == nil {
			tellLanes(ctx, &req, q.Graph, ev)
			return ev
		}
	}
	later := q.Later && !planner.IsSmall(g)
	chooseWork(&req, q, later, ev)
	foreign, err := holdLIDs(&req, q)
	if err != nil {
		ev.Result, ev.Err = &planner.Result{}, err
		return ev
	}
	if ev.Result, ev.Err = run(ctx, g, &req); foreign != nil && ev.Result.Repaired == nil {
		ev.Result.NotRepaired = foreign
	}
	if ev.Err == nil && ev.Result.Repaired != nil && !ev.Result.Report.OK {
		ev.Result = afreshIfProven(ctx, req, g, ev.Result)
	}
	if later && ev.Err == nil && ev.Result.Repaired == nil { // then it is from scratch already
		ev.More = ev.Result.Choice != nil && ev.Result.Choice.Unfinished
	}
	if !q.Beside {
		fitIn(ctx, &req, q, ev)
	}
	tellLanes(ctx, &req, g, ev)
	return ev
}

// complete adds the subnet's part to the request: LIDs in use, the Plan in force, trees and levels.
func complete(req *planner.Request, q *terms.RouteRequest) {
	req.Chain = planner.UnderRouters(req.Chain, q.Graph)
	req.LIDs.Held, req.PassDeadSwitch, req.NoPathRecords, req.Multicast = heldLIDs(q.Graph, q.Stored), true, true, q.Multicast
	req.Trees, req.NoGroups, req.Levels = q.Trees, q.NoGroups, q.Levels
	if q.Kept != nil {
		req.Kept, req.Afresh, req.Moves = q.Kept, q.Afresh, q.Moves
	}
	req.LIDs.Fresh = req.LIDs.Fresh && q.FreshLIDs
	req.LIDs.Fewer = true
	if req.JobLanes != nil {
		own := *req.JobLanes
		own.MaxVLs, own.InUse = req.MaxVLs, true
		req.JobLanes = &own
	}
}

// chooseWork divides the work between this request and a later one. With later, this one makes the
// quick Plan: a repair of the Plan in force, or the first proven one. Otherwise it also moves paths
// for jobs, in a routing from scratch. ev.Other says if the previous master's routes stay.
func chooseWork(req *planner.Request, q *terms.RouteRequest, later bool, ev *terms.Event) {
	if later {
		ev.More = req.Kept != nil && req.Afresh
		req.Effort, req.Afresh = planner.Low, false
	}
	if !later && (req.Kept == nil || req.Afresh) {
		req.Jobs = hostsOf(q.Graph, q.Jobs)
	}
	if req.Moves > 0 {
		req.Stay = hostsTogether(q.Graph, q.Jobs)
	}
	if q.Inherited && !q.Kept.Answers(req) {
		ev.Other = fmt.Sprintf("the routes by %s of the master before us stay, though they are not what is asked for here (engine, its options, lmc, vls, kinds of hosts): "+
			"the next routing afresh is by that, as weft sm rebalance begins one", q.Kept.Plan.Recipe.Engine())
	}
	if q.Kept != nil && !req.Afresh {
		req.Kinds = nil // the Plan has its own
	}
}

// tellLanes adds the reason to ev if the Plan has no lanes for jobs, but the settings ask for them.
func tellLanes(ctx context.Context, req *planner.Request, g *fabric.Graph, ev *terms.Event) {
	if ev.Err != nil || req.JobLanes == nil || len(ev.Result.Plan.JobLanes) > 0 {
		return
	}
	why := ev.Result.NoJobLanes
	if why == nil {
		_, _, why = joblanes.Give(ctx, g, ev.Result.Plan, req.JobLanes)
	}
	if why != nil {
		ev.NoJobLanes = why.Error()
		ev.Less = append(ev.Less, "jobs get no lanes of their own (job-lanes): "+ev.NoJobLanes)
	}
}

// limitLanes asks for no more lanes than all links between switches have.
func limitLanes(req *planner.Request, g *fabric.Graph, ev *terms.Event) {
	if has := g.LeastVLs(); has > 0 && req.MaxVLs > has {
		ev.Less = append(ev.Less, fmt.Sprintf("%d lanes were asked for (vls), and some links between switches have %d: no more are used", req.MaxVLs, has))
		req.MaxVLs = has
	}
}

// holdLIDs has the Plan hold the LIDs of the Plan to be kept. If that is another manager's and does
// not fit, none is kept, and foreign says why.
func holdLIDs(req *planner.Request, q *terms.RouteRequest) (foreign, err error) {
	if req.Kept != nil {
		switch err := req.Kept.Hold(q.Graph, req); {
		case err == nil:
			addStored(req.LIDs.Held, q.Graph, q.Stored)
		case q.Kept == nil:
			return nil, err
		default:
			foreign, req.Kept = err, nil
		}
	}
	// Ports have fewer LIDs than the Plan in force was asked for because there was no room. More
	// would take their base LID from some.
	req.LIDs.Kept = req.Kept != nil && req.Kept.Plan.Recipe.Names == route.LMCName(max(req.LIDs.LMC, req.HeldLMC))
	addAbsent(req.LIDs.Held, q.Absent)
	return foreign, nil
}

// fitIn compares the Plan of an event with the tables in force: it finds the way from these to the
// Plan. If there is no Plan or no proof, it judges the tables in force.
func fitIn(ctx context.Context, req *planner.Request, q *terms.RouteRequest, ev *terms.Event) {
	from := q.Found
	if from == nil && req.Kept != nil {
		from = q.Kept
	}
	if ev.Err == nil && from != nil {
		ev.Way, ev.Err = from.Transition(ctx, q.Graph, ev.Result.Plan, req.Workers)
	}
	if ev.Err == nil {
		ev.Less = append(ev.Less, fewerLIDs(q.Graph, req, ev.Result.Plan)...)
	}
	if from != nil && (ev.Err != nil || !ev.Result.Report.OK) {
		ev.Held = judgeHeld(ctx, q.Graph, from, req.Workers)
	}
}

// run runs a routing job. If it fails for a reason that is no refusal, such as a fault in an
// engine, it tries the other way: to repair the Plan in force rather than to route afresh, or the
// reverse. A fault of our own must not leave a failed cable unrepaired.
func run(ctx context.Context, g *fabric.Graph, req *planner.Request) (*planner.Result, error) {
	r, err := guarded(ctx, g, req)
	if _, refused := errors.AsType[*route.Refusal](err); err == nil || refused || req.Kept == nil || ctx.Err() != nil {
		return r, err
	}
	other := *req
	other.Afresh = !req.Afresh
	other.Jobs = nil
	r, second := guarded(ctx, g, &other)
	if second != nil {
		return r, err
	}
	if other.Afresh {
		r.NotRepaired = err
	} else {
		r.Refused = append(r.Refused, err)
	}
	return r, nil
}

// guarded runs a routing job, and turns a panic into an error.
func guarded(ctx context.Context, g *fabric.Graph, req *planner.Request) (r *planner.Result, err error) {
	if err = caught(func() error { r, err = planner.Run(ctx, g, req); return err }); r == nil {
		r = &planner.Result{}
	}
	return r, err
}

// caught turns a panic into an error.
func caught(do func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("a fault in weft itself, please report it: %v", fault)
		}
	}()
	return do()
}

// judgeHeld judges the tables that switches hold on today's subnet; nil if they cannot be judged.
func judgeHeld(ctx context.Context, g *fabric.Graph, held *planner.Kept, workers int) *quality.Report {
	plan, err := held.AsIs(g)
	if err != nil {
		return nil
	}
	report, err := quality.Judge(ctx, g, plan, check.Options{Workers: max(1, workers)})
	if err != nil {
		return nil
	}
	return report
}

// fewerLIDs tells which hosts have fewer LIDs than 2^LMC because the forwarding tables have no
// room.
func fewerLIDs(g *fabric.Graph, req *planner.Request, p *route.Plan) []string {
	want := max(req.LIDs.LMC, req.HeldLMC)
	if p.Recipe.Names != route.LMCName(want) {
		return nil
	}
	less, first := 0, int32(0)
	for end := range int32(g.NumHosts) {
		if p.Ends.LMC[end] < want {
			if less++; less == 1 {
				first = end
			}
		}
	}
	if less == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the forwarding tables have no room for %d LIDs at each port (lmc %d): %d ports have fewer, the first is %s", 1<<want, want, less, route.EndName(g, first))}
}

// afreshIfProven routes from scratch after a repair that the judge found faulty. It returns the
// repaired Plan if the new one is not proven either.
func afreshIfProven(ctx context.Context, req planner.Request, g *fabric.Graph, repaired *planner.Result) *planner.Result {
	req.Afresh = true
	r, err := guarded(ctx, g, &req)
	if err != nil || r.Repaired != nil || !r.Report.OK {
		return repaired
	}
	r.NotRepaired = errors.New("the judge found faults in the repaired Plan")
	return r
}

// addAbsent adds ports whose LIDs are reserved, unless another port has the LID or it is reserved
// already.
func addAbsent(h *route.Held, list []route.Absent) {
	for _, a := range list {
		if !slices.Contains(h.Ends.Base, a.Base) && !slices.ContainsFunc(h.Absent, func(b route.Absent) bool { return b.Base == a.Base }) {
			h.Absent = append(h.Absent, a)
		}
	}
}
