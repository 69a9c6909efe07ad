package planner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/route"
	"weft/sim/flow"
)

// Choice says how Auto chose.
type Choice struct {
	Engine string `json:"engine"`
	Why    string `json:"why"`
	Next   string `json:"next,omitempty"` // the second best engine, "" if there is no other
	// Unfinished says that other engines were left out which may be better: the effort is low, or
	// the trials were interrupted.
	Unfinished  bool    `json:"unfinished,omitempty"`
	Interrupted bool    `json:"interrupted,omitempty"`
	Trials      []Trial `json:"trials"` // in the order of the candidates
	// Planes has the choice for each plane, where planes are routed by themselves. Trials then
	// holds the trials of the first plane, or none if the planes have different engines.
	Planes []PlaneChoice `json:"planes,omitempty"`
}

// Trial is an engine that Auto tried, or left out.
type Trial struct {
	Engine string `json:"engine"`
	Reason string `json:"reason,omitempty"` // why it may not be chosen: a refusal, no proof, or not tried
	VLs    int    `json:"vls,omitempty"`
	LMC    uint8  `json:"lmc,omitempty"` // of the port with the most LIDs
	// First are its figures over the first bisections, without shifts. An engine that is clearly
	// behind has no Figures.
	First   *flow.KeyFigures `json:"first,omitempty"`
	Figures *flow.KeyFigures `json:"figures,omitempty"`
	// Loss is by how much it falls behind the best of each figure, added up; 0 is best.
	Loss float64 `json:"loss"`

	small   bool // see route.Candidate
	moved   bool // by relief
	result  *Result
	network *flow.Network // of its Plan, compiled by the first measurement
	refusal *route.Refusal
}

// choose routes by the best engine. Where the kind of the network says which engine that is, no
// other is tried. Elsewhere it tries the candidates (trials.go).
func choose(ctx context.Context, g *fabric.Graph, req *Request, auto *route.Spec) (*Result, error) {
	kind := shapeOf(g)
	if r, err := decide(ctx, g, req, auto, kind); r != nil || err != nil {
		return r, err
	}
	watch := stopwatch{now: req.now()}
	watch.stage("trials")
	t := newTrials(g, req, auto, kind)
	err := t.run(ctx)
	interrupted := errors.Is(err, context.Canceled) && req.hasEnough() && t.leader >= 0
	if err != nil && !interrupted {
		return &Result{}, err
	}
	if interrupted {
		t.stopped = "the trials were interrupted"
	}
	c := t.choice()
	var best, next *Trial
	if interrupted { // not all that are left are measured alike
		best = c.trial(auto.Among[t.leader].Name)
	} else {
		best, next = c.bestTwo()
	}
	if best == nil {
		return &Result{}, c.refusal(auto)
	}
	r := best.result
	watch.stage("")
	watch.stages[0].Seconds -= r.Seconds
	r.Stages, r.Seconds = append(watch.stages, r.Stages...), watch.total()+r.Seconds
	c.Interrupted, c.Unfinished = interrupted, t.stopped != ""
	c.explain(best, next)
	r.Choice = c
	for i := range c.Trials {
		c.Trials[i].result, c.Trials[i].network = nil, nil // free the other Plans
	}
	return r, nil
}

// decide routes by the engine that is known to deliver the most on such a network. It returns nil
// if none is known, the Plan may not be chosen, or all engines are to be tried.
func decide(ctx context.Context, g *fabric.Graph, req *Request, auto *route.Spec, kind *shape) (*Result, error) {
	if req.Effort == Most {
		return nil, nil
	}
	for _, known := range kind.decided(g, req.NoPathRecords) {
		of := candidate(auto, known.engine)
		if of == nil {
			continue
		}
		r, err := req.step(ctx, g, of.Step)
		if isRefusal(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if r.Plan.VLs > 1 { // on one lane the closed form of a tree needs no proof to be chosen
			if err := r.Judge(ctx, g, req); err != nil {
				return nil, err
			}
			if unfit(r, req) != "" {
				continue
			}
		}
		r.Choice = &Choice{Engine: of.Name, Why: known.why, Trials: []Trial{{Engine: of.Name, VLs: r.Plan.VLs}}}
		return r, nil
	}
	return nil, nil
}

// candidate returns the candidate of Auto with a name, nil if there is none.
func candidate(auto *route.Spec, name string) *route.Candidate {
	i := slices.IndexFunc(auto.Among, func(c route.Candidate) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &auto.Among[i]
}

// explain says why an engine was chosen.
func (c *Choice) explain(best, next *Trial) {
	tried := 0
	for _, t := range c.Trials {
		if t.First != nil {
			tried++
		}
	}
	c.Engine = best.Engine
	switch {
	case c.Interrupted:
		c.Why = "the best proven one so far when it was interrupted"
	case c.Unfinished:
		c.Why = "the first one that is proven"
	case next == nil:
		c.Why = "the only one that was tried and routes it"
	case best.Figures == nil:
		c.Why = fmt.Sprintf("the best of %d that route it, clear after %d bisections", tried, firstRuns)
	case next.Loss < best.Loss && next.LMC > best.LMC:
		c.Why = fmt.Sprintf("as good as %s, on fewer LIDs", next.Engine)
	case next.Loss < best.Loss && next.VLs > best.VLs:
		c.Why = fmt.Sprintf("as good as %s, on fewer lanes", next.Engine)
	default:
		c.Why = fmt.Sprintf("the best of %d that route it", tried)
	}
	if next != nil {
		c.Next = next.Engine
	}
}

// String describes the choice in one line: the engine, the reason, and the figures of the next best
// engine.
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
	if best := c.trial(c.Engine); best != nil && best.First != nil {
		fmt.Fprintf(&b, " (%s)", best.figures())
		if next := c.trial(c.Next); next != nil && next.First != nil {
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
	if t.LMC > 0 {
		lanes += fmt.Sprintf(", LMC %d", t.LMC)
	}
	if t.Figures == nil {
		return fmt.Sprintf("ebb %.3f in %d bisections, most pairs on a channel %d, %s", t.First.EBB.Mean, firstRuns, t.First.PairLoad, lanes)
	}
	return fmt.Sprintf("ebb %.3f, shifts %.0f, most pairs on a channel %d, %s", t.Figures.EBB.Mean, t.Figures.Shift.Sum, t.Figures.PairLoad, lanes)
}
