package planner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/shape/fattree"
	"weft/judge/check"
	"weft/route"
	"weft/sim/flow"
)

// effortProof is the effort of proof and measuring for an entry, in the same unit.
const effortProof = 2

// Choice says how Auto chose.
type Choice struct {
	Engine string  `json:"engine"`
	Why    string  `json:"why"`
	Next   string  `json:"next,omitempty"` // the second best engine, "" if there is no other
	Trials []Trial `json:"trials"`         // in the order tried
	// Planes has the choice for each plane, where planes are routed by themselves. Trials are then
	// those of the first plane, or none if the planes have different engines.
	Planes []PlaneChoice `json:"planes,omitempty"`
}

// Trial is an engine that Auto tried, or left out.
type Trial struct {
	Engine  string           `json:"engine"`
	Reason  string           `json:"reason,omitempty"` // why it may not be chosen: a refusal, no proof, the effort
	VLs     int              `json:"vls,omitempty"`
	Figures *flow.KeyFigures `json:"figures,omitempty"`
	// Loss is by how much it falls behind the best of each figure, added up; 0 is best.
	Loss float64 `json:"loss"`

	result  *Result
	refusal *route.Refusal
}

// choose routes by the best engine: it tries the candidates as far as the effort allows, and
// compares their figures. A whole fat-tree goes to ftree without trials, since nothing beats its
// closed form there (docs/results/routes).
func choose(ctx context.Context, g *fabric.Graph, req *Request, auto *route.Spec) (*Result, error) {
	if tree := candidate(auto, "ftree"); tree != nil && fattree.IsWhole(g) {
		if r, err := req.step(ctx, g, tree.Step); err == nil {
			r.Choice = &Choice{Engine: r.Engine.Name, Why: "a whole fat-tree", Trials: []Trial{{Engine: r.Engine.Name, VLs: r.Plan.VLs}}}
			return r, nil
		}
	}
	watch := stopwatch{now: req.now()}
	watch.stage("trials")
	c, err := try(ctx, g, req, auto.Among, auto.Effort/max(1, req.planes))
	if err != nil {
		return &Result{}, err
	}
	best, next := Rank(c.Trials)
	if best == nil {
		return &Result{}, c.refusal(auto)
	}
	r := best.result
	watch.stage("")
	watch.stages[0].Seconds -= r.Seconds
	r.Stages, r.Seconds = append(watch.stages, r.Stages...), watch.total()+r.Seconds
	c.explain(best, next)
	r.Choice = c
	for i := range c.Trials {
		c.Trials[i].result = nil // free the other Plans
	}
	return r, nil
}

// candidate returns the candidate of Auto with a name, nil if there is none.
func candidate(auto *route.Spec, name string) *route.Candidate {
	i := slices.IndexFunc(auto.Among, func(c route.Candidate) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &auto.Among[i]
}

// try routes by each candidate, and judges and measures the Plan. Once one routes the fabric, it
// leaves out candidates that would take the effort beyond most.
func try(ctx context.Context, g *fabric.Graph, req *Request, among []route.Candidate, most int) (*Choice, error) {
	c := &Choice{}
	entries := g.NumSwitches * g.NumEnds << req.LIDs.LMC
	spent, found := 0, false
	for _, engine := range among {
		if from := c.trial(engine.From); from != nil && from.Reason != "" {
			continue
		}
		effort := (engine.Effort + effortProof) * entries
		if found && spent+effort > most {
			c.Trials = append(c.Trials, Trial{Engine: engine.Name, Reason: "not tried: the fabric is too large to try all"})
			continue
		}
		t, err := c.tryOne(ctx, g, req, &engine)
		if err != nil {
			return nil, err
		}
		if t.result != nil {
			spent += effort
			found = found || t.Reason == ""
		}
		c.Trials = append(c.Trials, *t)
	}
	return c, c.measure(ctx, g, req)
}

// measure adds figures to the trials that may be chosen: trials without a Reason.
func (c *Choice) measure(ctx context.Context, g *fabric.Graph, req *Request) (err error) {
	for i := range c.Trials {
		if t := &c.Trials[i]; err == nil && t.Reason == "" {
			t.Figures, err = flow.NewKeyFigures(ctx, g, t.result.Plan, flow.Measure{Seed: req.Seed, Workers: req.Workers})
		}
	}
	return err
}

// tryOne routes by one candidate and judges its Plan.
func (c *Choice) tryOne(ctx context.Context, g *fabric.Graph, req *Request, of *route.Candidate) (*Trial, error) {
	t := &Trial{Engine: of.Name}
	r, err := c.route(ctx, g, req, of)
	if refusal, refused := errors.AsType[*route.Refusal](err); refused {
		t.Reason, t.refusal = refusal.Reason, refusal
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	t.result, t.VLs = r, r.Plan.VLs
	if err := r.Judge(ctx, g, req); err != nil {
		return nil, err
	}
	switch {
	case !r.Report.OK:
		t.Reason = "not proven"
		return t, nil
	case req.NoPathRecords && r.Report.NoPathRecord.DeadlockFree != check.Yes:
		t.Reason = "hosts could deadlock that know no path records"
		return t, nil
	}
	return t, nil
}

// route makes the Plan of one candidate.
func (c *Choice) route(ctx context.Context, g *fabric.Graph, req *Request, of *route.Candidate) (*Result, error) {
	if of.From == "" {
		return req.step(ctx, g, of.Step)
	}
	return c.trial(of.From).result.withRelief(ctx, g, req)
}

// Rank sets the losses of the trials with figures, and returns the best and the second best. It
// prefers trials that come up to the best in most figures (held). Of several such trials, or of
// trials whose losses exceed the least by at most asGood, the one with the fewest lanes is best,
// then the first.
func Rank(trials []Trial) (best, next *Trial) {
	var measured []*Trial
	var ideal flow.KeyFigures // the best of each figure, whichever trial has it
	for i := range trials {
		if f := trials[i].Figures; f != nil {
			if len(measured) == 0 {
				ideal = *f
			}
			measured = append(measured, &trials[i])
			ideal.EBB.Mean = max(ideal.EBB.Mean, f.EBB.Mean)
			ideal.Shift.Sum = min(ideal.Shift.Sum, f.Shift.Sum)
			ideal.PairLoad = min(ideal.PairLoad, f.PairLoad)
		}
	}
	least := math.Inf(1)
	for _, t := range measured {
		t.Loss = loss(t.Figures, &ideal)
		least = min(least, t.Loss)
	}
	better := func(t, than *Trial) bool {
		has, other := held(t.Figures, &ideal), held(than.Figures, &ideal)
		good, otherGood := has > 0 || t.Loss <= least+asGood, other > 0 || than.Loss <= least+asGood
		switch {
		case has != other:
			return has > other
		case good && otherGood:
			return t.VLs < than.VLs
		case good != otherGood:
			return good
		}
		return t.Loss < than.Loss
	}
	for _, t := range measured {
		switch {
		case best == nil || better(t, best):
			best, next = t, best
		case next == nil || better(t, next):
			next = t
		}
	}
	return best, next
}

// held grades figures by the best of each. 0: effective bisection bandwidth or all-to-all by shifts
// falls behind by more than asGood. 1: neither does. 2: also the largest number of pairs on a
// channel is at most mostPairs times the least.
func held(f, best *flow.KeyFigures) int {
	switch {
	case f.EBB.Mean < (1-asGood)*best.EBB.Mean || (1-asGood)*f.Shift.Sum > best.Shift.Sum:
		return 0
	case float64(f.PairLoad) > mostPairs*float64(best.PairLoad):
		return 1
	}
	return 2
}

const (
	asGood    = .01  // engines count as equal up to this difference of losses, or share of a figure
	mostPairs = 1.15 // times the least number of pairs on a channel: no loss up to there

	// Weights of shares behind the best, where that in shifts weighs 1.
	ebbWeight   = 10
	pairsWeight = .1
)

// loss returns how far figures fall behind the best of each, as a weighted sum. The share in
// all-to-all by shifts counts once, the share in effective bisection bandwidth ten times. The
// excess of the largest number of pairs on a channel over mostPairs times the least counts a tenth.
// These are the weights of Auto.
func loss(f, best *flow.KeyFigures) float64 {
	sum := 0.0
	if best.EBB.Mean > 0 {
		sum += ebbWeight * (1 - f.EBB.Mean/best.EBB.Mean)
	}
	if f.Shift.Sum > 0 {
		sum += 1 - best.Shift.Sum/f.Shift.Sum
	}
	if best.PairLoad > 0 {
		sum += pairsWeight * max(0, float64(f.PairLoad)/(mostPairs*float64(best.PairLoad))-1)
	}
	return sum
}

// explain says why an engine was chosen.
func (c *Choice) explain(best, next *Trial) {
	tried := 0
	for _, t := range c.Trials {
		if t.Figures != nil {
			tried++
		}
	}
	c.Engine = best.Engine
	switch {
	case next == nil:
		c.Why = "the only one that was tried and routes it"
		return
	case next.Loss < best.Loss && next.VLs > best.VLs:
		c.Why = fmt.Sprintf("as good as %s, on fewer lanes", next.Engine)
	default:
		c.Why = fmt.Sprintf("the best of %d that route it", tried)
	}
	c.Next = next.Engine
}

// String is the choice in one line: what, why, and what the next best engine would give.
func (c *Choice) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", c.Engine, c.Why)
	if len(c.Planes) > 0 && len(c.Trials) == 0 {
		for i := range c.Planes {
			p := &c.Planes[i]
			fmt.Fprintf(&b, "; plane of switch %s (%d host ports): %s", p.Switch, p.Hosts, p.Choice.String())
		}
		return b.String()
	}
	if best := c.trial(c.Engine); best != nil && best.Figures != nil {
		fmt.Fprintf(&b, " (%s)", best.figures())
		if next := c.trial(c.Next); next != nil {
			fmt.Fprintf(&b, "; next %s (%s)", c.Next, next.figures())
		}
	}
	return b.String()
}

// refusal makes the refusal where no engine may be chosen: each reason once, and the last advice.
func (c *Choice) refusal(auto *route.Spec) error {
	var reasons []string
	engines := map[string][]string{} // by reason
	advice := "name an engine"
	for _, t := range c.Trials {
		if engines[t.Reason] == nil {
			reasons = append(reasons, t.Reason)
		}
		engines[t.Reason] = append(engines[t.Reason], t.Engine)
		if t.refusal != nil && t.refusal.Advice != "" {
			advice = t.refusal.Advice
		}
	}
	if len(reasons) > 1 {
		for i, reason := range reasons {
			reasons[i] = strings.Join(engines[reason], ", ") + ": " + reason
		}
	}
	return route.Refuse(auto.Name, advice, "no engine routes this: %s", strings.Join(reasons, "; "))
}

func (c *Choice) trial(engine string) *Trial {
	for i := range c.Trials {
		if c.Trials[i].Engine == engine {
			return &c.Trials[i]
		}
	}
	return nil
}

// figures returns the key figures of a trial as text.
func (t *Trial) figures() string {
	lanes := "1 lane"
	if t.VLs != 1 {
		lanes = fmt.Sprintf("%d lanes", t.VLs)
	}
	return fmt.Sprintf("ebb %.3f, shifts %.0f, most pairs on a channel %d, %s", t.Figures.EBB.Mean, t.Figures.Shift.Sum, t.Figures.PairLoad, lanes)
}
