package planner

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/judge/check"
	"weft/route"
	"weft/sim/flow"
)

const (
	// firstRuns is the number of bisections after which engines that are clearly behind drop out.
	firstRuns = 20
	// apart is the distance of two engines that are clearly different, in half widths of 95 %
	// confidence intervals. All engines see the same bisections, so that their difference is surer
	// than each mean.
	apart = 1.6
	// doubtful bounds the largest number of pairs on a channel of the leader, as a multiple of the
	// least such number. Beyond it the network does not keep the promise of its kind.
	doubtful = 1.2

	// effortProof is the effort of proof and measuring for an entry, as Candidate.Effort counts.
	effortProof = 2
	// effortFree is the total effort that all trials may have anyway: some milliseconds.
	effortFree = 500_000
	// timesLeader is the total effort of the trials, in efforts of the leader.
	timesLeader = 5
)

// trials finds the best candidate of Auto by successive halving. An engine drops out as soon as its
// bandwidth is clearly behind, others are measured more closely, and the best are relieved. The
// number of trials depends on the leader's effort: all trials together cost a few times as much,
// counted in table entries. So the choice is the same on any machine.
type trials struct {
	g     *fabric.Graph
	req   *Request
	auto  *route.Spec
	order []int // of auto.Among: candidates that route by themselves, the most promising first
	rest  []int // that are tried only if none of these may be chosen

	meter    *flow.Meter
	tried    []*Trial // by candidate; nil: not tried
	entries  int      // of all tables
	spent    int
	leader   int // the best candidate so far, -1 for none
	base     int // effort by which the number of trials is measured: that of the leader
	doubt    bool
	stopped  string  // why candidates are left out that might be better; "" if none are
	farthest float64 // the least bandwidth that is not clearly behind
}

func newTrials(g *fabric.Graph, req *Request, auto *route.Spec, kind *shape) *trials {
	t := &trials{g: g, req: req, auto: auto, meter: flow.NewMeter(g), tried: make([]*Trial, len(auto.Among)), entries: g.NumSwitches * g.NumEnds << req.LIDs.LMC, leader: -1}
	order := kind.order
	if req.NoPathRecords && kind.oneLane != nil {
		order = kind.oneLane
	}
	for _, name := range order {
		if i := slices.IndexFunc(auto.Among, func(c route.Candidate) bool { return c.Name == name }); i >= 0 {
			t.order = append(t.order, i)
		}
	}
	for i := range auto.Among {
		if of := &auto.Among[i]; of.From == "" && !slices.Contains(t.order, i) && (!of.Engine.OwnNames || req.namesFree(g)) {
			t.rest = append(t.rest, i)
		}
	}
	if IsSmall(g) {
		t.order, t.rest = append(t.order, t.rest...), nil
	}
	return t
}

// namesFree reports whether an engine may give LIDs as its paths need them: no port has one yet, no
// rule says how many, and hosts will ask for the LID of a path.
func (req *Request) namesFree(g *fabric.Graph) bool {
	return req.given == nil && !req.NoPathRecords && !req.LIDs.InUse(g).Any() && req.LIDs.LMC == 0 && len(req.Kinds) == 0 && len(req.Levels) == 0
}

// run tries candidates until no more are worth their effort.
func (t *trials) run(ctx context.Context) error {
	for _, i := range slices.Concat(t.order, t.rest) {
		if err := t.route(ctx, []int{i}); err != nil {
			return err
		}
		if t.tried[i].Reason == "" {
			t.leader, t.base, t.spent = i, t.effort(i), t.effort(i)
			break
		}
	}
	if t.req.Effort == Low {
		if t.leader >= 0 && t.hasMore() {
			t.stopped = "the effort is low"
		}
		return nil
	}
	for more := t.leader >= 0; more; {
		next := t.affordable()
		if more = len(next) > 0; more {
			if err := t.route(ctx, next); err != nil {
				return err
			}
			if err := t.compare(ctx); err != nil {
				return err
			}
		}
	}
	if t.leader < 0 {
		return nil
	}
	return t.relieve(ctx)
}

// effort returns the effort of a candidate, with proof and measuring.
func (t *trials) effort(i int) int { return (t.auto.Among[i].Effort + effortProof) * t.entries }

// affords takes the effort of a candidate from a limit, and reports whether that is possible.
func (t *trials) affords(i, limit int) bool {
	if !t.canAfford(i, limit) {
		return false
	}
	t.spent += t.effort(i)
	return true
}

// canAfford reports whether a limit has room for a candidate.
func (t *trials) canAfford(i, limit int) bool {
	planes := max(1, t.req.planes) // each has its share of the limits
	switch {
	case t.req.Effort == Most:
		limit = timesMost * t.auto.Effort / planes
	case IsSmall(t.g):
		limit = t.auto.Effort / planes
	default:
		limit = min(max(limit, effortFree/planes), t.auto.Effort/planes)
	}
	return t.spent+t.effort(i) <= limit
}

// hasMore reports whether Usual would try more than the leader: another candidate, or its relief.
func (t *trials) hasMore() bool {
	return slices.ContainsFunc(t.order, func(i int) bool { return t.tried[i] == nil && t.canAfford(i, timesLeader*t.base) }) ||
		slices.ContainsFunc(t.auto.Among, func(c route.Candidate) bool { return c.From == t.auto.Among[t.leader].Name })
}

// affordable lists untried candidates that are worth their effort.
func (t *trials) affordable() (next []int) {
	order := t.order
	if t.req.Effort == Most {
		order = slices.Concat(t.order, t.rest)
	}
	for _, i := range order {
		if t.tried[i] == nil && t.affords(i, timesLeader*t.base) {
			next = append(next, i)
		}
	}
	return next
}

// route routes by candidates, several at a time, and judges their Plans.
func (t *trials) route(ctx context.Context, list []int) error {
	req := *t.req
	req.Workers = max(1, t.req.Workers/len(list))
	return par.For(ctx, t.req.Workers, len(list), func(_, k int) (err error) {
		t.tried[list[k]], err = t.one(ctx, &req, &t.auto.Among[list[k]])
		return err
	})
}

// one routes by a candidate and judges the Plan.
func (t *trials) one(ctx context.Context, req *Request, of *route.Candidate) (*Trial, error) {
	out := &Trial{Engine: of.Name, small: of.Small, moved: of.From != ""}
	r, err := t.plan(ctx, req, of)
	if refusal, refused := errors.AsType[*route.Refusal](err); refused {
		out.Reason, out.refusal = refusal.Reason, refusal
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	out.result, out.VLs, out.LMC = r, r.Plan.VLs, slices.Max(r.Plan.Ends.LMC)
	if err := r.Judge(ctx, t.g, req); err != nil {
		return nil, err
	}
	out.Reason = unfit(r, req)
	return out, nil
}

// plan makes the Plan of a candidate.
func (t *trials) plan(ctx context.Context, req *Request, of *route.Candidate) (*Result, error) {
	if of.From == "" {
		return req.step(ctx, t.g, of.Step)
	}
	from := slices.IndexFunc(t.auto.Among, func(c route.Candidate) bool { return c.Name == of.From })
	return t.tried[from].result.withRelief(ctx, t.g, req)
}

// unfit says why Auto may not choose a judged Plan; "" if it may.
func unfit(r *Result, req *Request) string {
	switch {
	case !r.Report.OK:
		return "not proven"
	case req.NoPathRecords && r.Report.NoPathRecord.DeadlockFree != check.Yes:
		return "hosts could deadlock that know no path records"
	}
	return ""
}

// compare measures all candidates over few bisections, the ones that are not clearly behind over
// many, and finds the leader.
func (t *trials) compare(ctx context.Context) error {
	if err := t.measure(ctx, t.fit(func(c *Trial) bool { return c.First == nil }), true); err != nil {
		return err
	}
	t.farthest = 0
	least := int64(0)
	for _, c := range t.tried {
		if c != nil && c.First != nil {
			t.farthest = max(t.farthest, c.First.EBB.Mean-apart*c.First.EBB.CI95)
			if least == 0 || c.First.PairLoad < least {
				least = c.First.PairLoad
			}
		}
	}
	near := t.fit(t.isNear)
	if len(near) > 1 || len(t.fit(func(c *Trial) bool { return c.Figures != nil })) > 0 {
		if err := t.measure(ctx, near, false); err != nil {
			return err
		}
	}
	t.leader = t.ranked(near)[0]
	t.base = t.effort(t.leader)
	if t.doubt = float64(t.tried[t.leader].First.PairLoad) > doubtful*float64(least); t.doubt {
		for _, i := range t.fit(func(*Trial) bool { return true }) {
			t.base = max(t.base, t.effort(i))
		}
	}
	return nil
}

// isNear reports whether an engine is not clearly behind.
func (t *trials) isNear(c *Trial) bool { return c.First.EBB.Mean+apart*c.First.EBB.CI95 >= t.farthest }

// fit lists the tried candidates that may be chosen and fulfil a condition.
func (t *trials) fit(has func(*Trial) bool) (list []int) {
	for i, c := range t.tried {
		if c != nil && c.Reason == "" && has(c) {
			list = append(list, i)
		}
	}
	return list
}

// measure measures Plans: over the first bisections, or over all and over shifts. It skips figures
// that it has already.
func (t *trials) measure(ctx context.Context, list []int, first bool) error {
	return par.For(ctx, t.req.Workers, len(list), func(_, k int) (err error) {
		c := t.tried[list[k]]
		m := flow.Measure{Seed: t.req.Seed, Workers: max(1, t.req.Workers/len(list))}
		switch {
		case first:
			if c.network, err = t.meter.Network(ctx, c.result.Plan, m.Workers); err != nil {
				return err
			}
			m.Runs, m.NoShifts = firstRuns, true
			c.First, err = c.network.KeyFigures(ctx, m, nil)
		case c.Figures == nil:
			if t.req.Effort == Most {
				m.Runs = mostRuns
			}
			c.Figures, err = c.network.KeyFigures(ctx, m, c.First)
		}
		return err
	})
}

// ranked lists candidates, the best first.
func (t *trials) ranked(list []int) (out []int) {
	for rest := slices.Clone(list); len(rest) > 0; {
		best := rest[0]
		if len(rest) > 1 {
			some := make([]Trial, len(rest))
			for k, i := range rest {
				some[k] = *t.tried[i]
			}
			first, _ := Rank(some)
			best = rest[slices.IndexFunc(rest, func(i int) bool { return t.tried[i].Engine == first.Engine })]
		}
		out = append(out, best)
		rest = slices.DeleteFunc(rest, func(i int) bool { return i == best })
	}
	return out
}

// relieve moves paths of the Plans that are not clearly behind, the leader's first, and measures
// them again. Where relief usually gains, it is part of what the leader costs. Where no candidate
// comes up to the best in both figures, the leader's relief may, and is always tried.
func (t *trials) relieve(ctx context.Context) error {
	near := t.fit(func(c *Trial) bool { return c.First == nil || t.isNear(c) })
	var list []int
	torn := t.torn()
	for _, from := range t.candidatesForRelief(near) {
		i := slices.IndexFunc(t.auto.Among, func(c route.Candidate) bool { return c.From == t.auto.Among[from].Name })
		if i < 0 {
			continue
		}
		limit := timesLeader * t.base
		if t.doubt || t.gain(t.leader) > route.GainsLittle {
			limit = timesLeader * (t.base + t.effort(i))
		}
		if torn && from == t.leader {
			limit = max(limit, t.spent+t.effort(i))
		}
		if t.affords(i, limit) {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return nil
	}
	if err := t.route(ctx, list); err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(i int) bool { return t.tried[i].Reason != "" })
	if len(list) == 0 {
		return nil
	}
	if err := t.measure(ctx, t.fit(func(c *Trial) bool { return c.First == nil }), true); err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(i int) bool { return !t.isNear(t.tried[i]) })
	if len(list) > 0 {
		list = append(list, near...)
	}
	return t.measure(ctx, list, false)
}

// torn reports whether none of the measured candidates comes up to the best of them in both
// figures.
func (t *trials) torn() bool {
	var some []Trial
	for _, c := range t.tried {
		if c != nil && c.Figures != nil {
			some = append(some, *c)
		}
	}
	plain := plainIdeal(some)
	return plain != nil && !slices.ContainsFunc(some, func(c Trial) bool { return held(c.Figures, plain) > 0 })
}

// candidatesForRelief lists the candidates that are not clearly behind, the leader first, and those
// that relief lifts from far behind.
func (t *trials) candidatesForRelief(near []int) []int {
	list := t.ranked(near)
	for _, i := range t.fit(func(*Trial) bool { return true }) {
		if t.gain(i) == route.GainsMuch && !slices.Contains(list, i) {
			list = append(list, i)
		}
	}
	return list
}

// gain returns the usual effect of relief on a candidate's Plans.
func (t *trials) gain(from int) route.Gain {
	for _, c := range t.auto.Among {
		if c.From == t.auto.Among[from].Name {
			return c.Gain
		}
	}
	return route.GainsLittle
}

// choice lists the trials. Candidates whose base was refused are left out.
func (t *trials) choice() *Choice {
	c, why := &Choice{}, "not tried: "+cmp.Or(t.stopped, "not worth its effort on such a network")
	for i, tried := range t.tried {
		of := &t.auto.Among[i]
		switch {
		case tried != nil:
			c.Trials = append(c.Trials, *tried)
		case of.From == "" || c.trial(of.From) != nil && c.trial(of.From).Reason == "":
			c.Trials = append(c.Trials, Trial{Engine: of.Name, Reason: why})
		}
	}
	return c
}
