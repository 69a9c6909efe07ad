package round

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/internal/fold"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/planner"
	"weft/route"
	"weft/sm/terms"
	"weft/wire/mad"
)

// Plan runs the routing request q and returns its event Planned. req holds engines and options, and
// is the caller's copy. The Plan keeps the LIDs in use, or the LIDs of q.Kept. An engine that names
// a switch which was not found is skipped: a dead root must not stop a fabric. Hosts are assumed to
// use no path records: some never ask, others keep old ones.
func Plan(ctx context.Context, req planner.Request, q *terms.RouteRequest) *terms.Event {
	g := q.Graph
	req.Chain = planner.UnderRouters(req.Chain, g)
	req.LIDs.Held, req.PassDeadSwitch, req.NoPathRecords, req.Multicast = heldLIDs(g, q.Stored), true, true, q.Multicast
	req.Trees, req.NoGroups, req.Levels = q.Trees, q.NoGroups, q.Levels
	if q.Kept != nil {
		req.Kept, req.Afresh, req.Moves = q.Kept, q.Afresh, q.Moves
	}
	req.LIDs.Fresh = req.LIDs.Fresh && q.FreshLIDs
	req.LIDs.Fewer = true
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
			return ev
		}
	}
	later := q.Later && !planner.IsSmall(g)
	if later {
		ev.More = req.Kept != nil && req.Afresh
		req.Effort, req.Afresh = planner.Low, false
	}
	if !later && (req.Kept == nil || req.Afresh) {
		req.Jobs = hostsOf(g, q.Jobs)
	}
	if q.Inherited && !q.Kept.Answers(&req) {
		ev.Other = fmt.Sprintf("the routes by %s of the master before us stay, though they are not what is asked for here (engine, its options, lmc, vls, kinds of hosts): "+
			"the next routing afresh is by that, as weft sm rebalance begins one", q.Kept.Plan.Recipe.Engine())
	}
	if q.Kept != nil && !req.Afresh {
		req.Kinds = nil // the Plan has its own
	}
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
	return ev
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

// notTold lists the facts that hosts learn from path records alone: the LID to use for a target,
// and the SL of a path that differs from the default SL.
func notTold(p *route.Plan, r *quality.Report) (lines []string) {
	if p.Ends.MaxLMC() > 0 && p.Choice.By != route.AnyLID && p.Choice.By != route.BaseLID {
		lines = append(lines, fmt.Sprintf("the LID to use for each target (%s): without path records hosts use base LIDs", p.Choice.By))
	}
	if len(p.Levels) > 1 {
		lines = append(lines, "levels of service: without path records, or an SL set by hand, all paths use level "+p.Levels[0].Name)
	}
	if p.SL != nil && slDiffers(p.SL, p.Service.Default) {
		free := "not known"
		if r != nil {
			free = r.NoPathRecord.DeadlockFree.String()
		}
		lines = append(lines, fmt.Sprintf("the SL of each path: without path records hosts use SL %d; deadlock-free then: %s", p.Service.Default, free))
	}
	if p.SL != nil && p.SL.OneWay {
		lines = append(lines, "the SL of the reply path, where it differs: such paths are not reversible, so hosts that ask for reversible paths, as RDMA CM does, get none")
	}
	return lines
}

// slDiffers reports whether some pair of classes has another SL than sl.
func slDiffers(m *route.SLs, sl uint8) bool {
	for dst := range int32(m.NumDst) {
		for src := range int32(m.NumSrc) {
			if m.ByClass(src, dst) != sl {
				return true
			}
		}
	}
	return false
}

// noteRepair reports what became of the old Plan.
func (c *Round) noteRepair(r *planner.Result) {
	if f := r.Repaired; f != nil {
		c.moved, c.repaired, c.improvable = f.Moved, true, f.Moved+f.Filled+f.Unused > 0
		c.report.Routing.Kept = fmt.Sprintf("repaired: %s moved, %d had used parts that are lost, drained or in quarantine", fold.Count(f.Moved, "entry", "entries"), f.Crossed)
		switch {
		case c.given.Better != nil && c.notUsed == nil && c.given.Better.ForJobs:
			c.report.Routing.Kept = "entries moved for jobs that have started"
		case c.given.Better != nil && c.notUsed == nil:
			c.report.Routing.Kept = fmt.Sprintf("a better Plan takes its place, with %s moved since it was made", fold.Count(f.Moved, "entry", "entries"))
		case c.more && c.given.Afresh:
			c.report.Routing.Kept += ", until a better Plan is ready"
		}
		if c.given.Limits.Moves > 0 {
			c.spread, c.report.Routing.Kept = r.Spread, spreadText(r)
		}
		if len(r.Refused) > 0 {
			c.note(terms.PlanKept, terms.Place{}, "every engine refused: the repaired old Plan is distributed")
		}
	}
	if r.NotRepaired != nil {
		c.report.Routing.Kept = "routed from scratch: " + r.NotRepaired.Error()
		c.note(terms.NotRepaired, terms.Place{}, "%v", r.NotRepaired)
	}
}

// spreadText says how many entries a round has moved to less loaded links.
func spreadText(r *planner.Result) string {
	switch {
	case r.NotSpread != nil:
		return fmt.Sprintf("no entries can move: %v", r.NotSpread)
	case r.Spread == nil:
		return "no entry gains by a move"
	case r.Spread.Left:
		return fmt.Sprintf("%s moved to less loaded links, more can follow", fold.Count(r.Spread.Moved, "entry", "entries"))
	}
	return fold.Count(r.Spread.Moved, "entry", "entries") + " moved to less loaded links"
}

// noteWay notes what can go wrong while switches hold entries of the old Plan, of the new one and
// of the steps between them.
func (c *Round) noteWay() {
	if c.Way == nil {
		return
	}
	m := c.Way.Mixture
	switch {
	case c.Way.Strangers > 0:
		c.note(terms.EntriesDropped, terms.Place{}, "%d switches hold tables that are not of the Plan in force: entries of theirs that change are dropped first, and written %v later, when the packets under way have left",
			c.Way.Strangers, c.given.Limits.Pause)
	case c.Way.Pauses():
		c.note(terms.EntriesDropped, terms.Place{}, "old and new entries for %d LIDs together could let packets wait for each other in a ring: those that change are dropped first, and written %v later, when the packets under way have left",
			m.LIDs, c.given.Limits.Pause)
	}
	if !m.OK {
		c.note(terms.MixedTables, terms.Place{}, "while old tables stand beside new ones, %s", mayHappen(m))
	}
	if m = c.Way.Asked; m != nil && !m.OK {
		c.note(terms.OldLevels, terms.Place{}, "until hosts ask again which service levels to use, %s: %s", mayHappen(m), staleText(m))
	}
}

// mayHappen describes what can happen to packets.
func mayHappen(m *check.Mixture) string {
	var list []string
	if m.LoopLIDs > 0 {
		list = append(list, fmt.Sprintf("packets to %d of the %d LIDs that change can go in circles", m.LoopLIDs, m.LIDs))
	}
	if m.Deadlock.DeadlockFree != check.Yes {
		list = append(list, "packets can wait for each other in a ring")
	}
	return strings.Join(list, ", and ")
}

// staleText names the first packets that cause it.
func staleText(m *check.Mixture) string {
	var list []string
	for _, s := range m.Stale {
		list = append(list, fmt.Sprintf("from %s to LID %d on SL %d", s.Switch, s.LID, s.SL))
	}
	if more := m.StalePairs - len(m.Stale); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
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

// noteWithoutGroups notes the switches that hold no multicast table.
func (c *Round) noteWithoutGroups(without []bool) {
	for s, is := range without {
		if is {
			id := c.ByGUID[c.Graph.SwitchGUID[s]]
			c.note(terms.NoRoom, c.NodePlace(id), "%s carries no multicast groups, and hosts at it receive none: its multicast table has %d entries",
				c.NodeName(id), mad.SwitchInfoMulticastFDBCap.Get(c.Nodes[id].Sw[:]))
		}
	}
}

// noteTrees notes that a Plan has no trees for multicast groups.
func (c *Round) noteTrees(err error) {
	if err != nil {
		c.note(terms.NotSpread, terms.Place{}, "multicast groups get no trees: %v", err)
	}
}
