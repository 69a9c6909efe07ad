// Package planner runs routing jobs. Route repairs an old Plan if there is one (kept.go,
// repair.go). Otherwise it tries the engines of a chain in order until one does not refuse. Engine
// auto takes the best engine if the kind of network decides it (known.go). If not, it tries
// several, measures them and takes the best (trials.go): as many as Request.Effort says, and until
// Request.Enough is closed. With Request.Afresh the repair is the last resort. Run does the same,
// and the judge proves the Plan.
//
// Commands, the subnet manager, the lab and tests all route through it, so that one syntax of
// engines and one rule for options, LMC, LIDs in use and refusals holds everywhere. transition.go
// finds the way from the kept Plan to a new one.
package planner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/fabric"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/route"
	"weft/route/joblanes"
	"weft/route/levels"
	"weft/route/lids"
	"weft/route/multicast"
	"weft/route/recipe"
	"weft/route/relief"
	"weft/route/repair"
)

// Request is a routing job: what to try, and the limits to keep.
type Request struct {
	Chain   route.Chain
	LIDs    lids.Options      // LMC, LIDs in use; the LMC is left out for engines that give LIDs themselves
	HeldLMC uint8             // LMC that ports have in use: tree engines keep it where LIDs.LMC asks for less
	MaxVLs  int               // data VLs that may be used; 0: as many as the hardware is known to have, 8 if unknown
	Workers int               // goroutines that may be used; less than 1 is 1
	Seed    uint64            // of engines that draw at random
	Kinds   []fabric.KindRule // of hosts, balanced by themselves
	Levels  levels.Levels     // of service; none where all traffic is alike
	Kept    *Kept             // to be repaired; where that is not possible, or it is nil, the chain routes
	Afresh  bool              // the chain routes first, and Kept is repaired where all of it refuses
	Moves   int               // entries that may move to less loaded links once Kept is repaired
	Stay    []int32           // hosts: Moves moves no entries towards them
	Jobs    [][]int32         // host ports by job; paths move so that pairs of one job meet fewer others
	// JobLanes asks for lanes for jobs; nil: they share the lanes of the paths.
	JobLanes *joblanes.Request
	Effort   Effort // of Auto

	// PassDeadSwitch has engines do without missing switches that options name (Result.Missing): a
	// dead root must not stop a subnet manager.
	PassDeadSwitch bool
	// NoPathRecords makes Auto choose only engines that cannot deadlock while hosts know no path
	// records: their packets then keep the SL of Plan.Service.
	NoPathRecords bool
	// Multicast gives the Plan a pool of trees for multicast groups: the pool of Kept as far as it
	// can stay.
	Multicast bool
	NoGroups  []bool                // by switch: it holds no multicast table, and no tree covers it; nil: none
	Trees     []multicast.TreeByLID // that a manager before had; they are kept where the Plan kept has none
	// Enough is closed when Route is to end soon: with the best proven Plan of Auto so far, or with
	// context.Canceled if there is none. nil: never.
	Enough <-chan struct{}
	// Now is the clock for measured times; nil leaves them 0.
	Now func() time.Duration

	given  *route.Ends // LIDs of a plane that is routed by itself
	planes int         // planes that are; 0: the Graph is routed as a whole
}

// Result holds the Plan of a Request, the refusals before it, and the times.
type Result struct {
	Plan    *route.Plan
	Engine  *route.Spec     // that made the Plan
	Refused []error         // of the engines tried before, in order
	Missing []error         // switches that options name, of Request.PassDeadSwitch
	Choice  *Choice         // how Auto chose it; nil where the engine was named
	Stages  []Stage         // of the engine that made the Plan
	Seconds float64         // of all its stages
	Report  *quality.Report // nil until it was judged
	Judged  float64         // seconds that the judge took

	Repaired    *repair.Figures   // of the Plan kept; nil where an engine routed
	Spread      *repair.Spreading // of Request.Moves; nil if nothing was repaired, or nothing could move
	NotSpread   error             // why nothing could move
	NotRepaired error             // why the Plan kept was not repaired; nil where it was or none was
	ForJobs     *relief.Moves     // of Request.Jobs; nil if there are none, or nothing could move
	NotForJobs  error             // why nothing could move for jobs
	JobLanes    *joblanes.Lanes   // of Request.JobLanes; nil if jobs share the lanes of the paths
	NoJobLanes  error             // why they share them against the Request
	NoMulticast error             // why the Plan has no trees for groups; nil where it has, or none were asked for
}

// Stage is a stage of an engine with its time.
type Stage struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// Run routes a Graph and judges the Plan. The Result is never nil: after an error it
// holds the refusals that led there.
func Run(ctx context.Context, g *fabric.Graph, req *Request) (*Result, error) {
	r, err := Route(ctx, g, req)
	if err != nil {
		return r, err
	}
	if r.Repaired != nil && req.Moves > 0 {
		if done, err := r.spread(ctx, g, req); done || err != nil {
			return r, err
		}
	}
	if req.Multicast {
		return r, r.judgeWithTrees(ctx, g, req)
	}
	return r, r.Judge(ctx, g, req)
}

// judgeWithTrees gives the Plan trees for multicast groups and judges it, again if it was judged
// without them. A repaired Plan keeps its intact trees, if they are proven beside its paths: new
// trees would delay the repair.
func (r *Result) judgeWithTrees(ctx context.Context, g *fabric.Graph, req *Request) error {
	opt := req.trees()
	whole := false
	if len(req.Trees) > 0 && (req.Kept == nil || req.Kept.Plan.Multicast == nil) {
		opt.Keep = &multicast.Kept{Graph: g}
		if opt.Keep.Pool, whole = multicast.FromLIDs(g, r.Plan, req.Trees, &opt); whole {
			opt.Trees = len(opt.Keep.Pool.Trees) // fewer than usual, after repairs: groups keep theirs until all is routed afresh
		}
	}
	if (r.Repaired != nil || whole && r.Plan.VLs <= 1) && multicast.Keep(g, r.Plan, &opt) {
		if err := r.judgeWithLanes(ctx, g, req); err != nil || r.Report.OK {
			return err
		}
	}
	r.NoMulticast = multicast.Complete(g, r.Plan, opt)
	return r.judgeWithLanes(ctx, g, req)
}

// judgeWithLanes gives jobs lanes and judges the Plan again.
func (r *Result) judgeWithLanes(ctx context.Context, g *fabric.Graph, req *Request) error {
	if req.JobLanes != nil {
		if err := r.giveJobLanes(ctx, g, req); err != nil {
			return err
		}
	}
	r.Report = nil
	return r.Judge(ctx, g, req)
}

// trees returns the options of trees for multicast groups: the trees of Kept stay if they can.
func (req *Request) trees() multicast.Options {
	opt := multicast.Options{MaxVLs: req.MaxVLs, Without: req.NoGroups}
	if req.Kept != nil {
		opt.Keep = &multicast.Kept{Graph: req.Kept.old, Pool: req.Kept.Plan.Multicast}
	}
	return opt
}

// Route tries the engines in order until one does not refuse. When all refuse, the error joins
// their refusals; any other error ends the job. Then paths move for Request.Jobs, except in a Plan
// that was repaired as the last resort, and jobs get lanes. With Request.Multicast, Run gives jobs
// their lanes after the trees of multicast groups.
func Route(ctx context.Context, g *fabric.Graph, req *Request) (*Result, error) {
	r, err := routeOrRepair(ctx, g, req)
	if err == nil && len(req.Jobs) > 0 && (r.Repaired == nil || !req.Afresh) {
		err = r.moveForJobs(ctx, g, req)
	}
	if err == nil && req.JobLanes != nil && !req.Multicast {
		err = r.giveJobLanes(ctx, g, req)
	}
	return r, err
}

// routeOrRepair is Route without jobs.
func routeOrRepair(ctx context.Context, g *fabric.Graph, req *Request) (*Result, error) {
	ctx, end := req.hurried(ctx)
	defer end()
	r := &Result{}
	if req.Kept != nil && !req.Afresh {
		if done, err := req.repair(ctx, g, r); done || err != nil {
			return r, err
		}
	}
	chain := req.Chain
	if req.PassDeadSwitch {
		chain, r.Missing = chain.Present(g)
	} else if err := chain.CheckSwitches(g); err != nil { // also of engines that come last
		return r, err
	}
	made, done, err := req.routePlanes(ctx, g)
	if done || err != nil {
		if made != nil {
			made.NotRepaired, made.Missing = r.NotRepaired, r.Missing
			return made, nil
		}
		return r, err
	}
	for i, step := range chain {
		made, err := req.step(ctx, g, step)
		if err == nil {
			made.Refused, made.NotRepaired, made.Missing = r.Refused, r.NotRepaired, r.Missing
			made.Plan.Recipe.Asked = req.asked()
			if made.Choice == nil && len(r.Missing) > 0 { // the Plan is what was asked for
				made.Plan.Recipe.Options = req.Chain[i].Options
			}
			if made.Choice == nil && hasChoice(g) {
				if note := shapeOf(g).note(made.Engine.Name); note != "" {
					made.Plan.Notes = append(made.Plan.Notes, note)
				}
			}
			return made, nil
		}
		if !isRefusal(err) {
			return r, err
		}
		r.Refused = append(r.Refused, shapeOf(g).advise(err))
	}
	if len(r.Refused) == 0 {
		return r, errors.New("job: no engine was named")
	}
	if req.Kept != nil && req.Afresh {
		if done, err := req.repair(ctx, g, r); done || err != nil {
			return r, err
		}
	}
	return r, errors.Join(r.Refused...)
}

// step routes by one engine of a chain.
func (req *Request) step(ctx context.Context, g *fabric.Graph, step route.Step) (*Result, error) {
	if step.Engine.Among != nil {
		return choose(ctx, g, req, step.Engine)
	}
	watch := stopwatch{now: req.now()}
	plan, err := recipe.Run(ctx, g, req.recipe(step), watch.stage)
	watch.stage("")
	r := &Result{Plan: plan, Engine: step.Engine, Stages: watch.stages, Seconds: watch.total()}
	if err == nil && wantsRelief(step) {
		err = r.relieve(ctx, g, req)
	}
	return r, err
}

// Judge proves the Plan and measures it, unless that was done already.
func (r *Result) Judge(ctx context.Context, g *fabric.Graph, req *Request) (err error) {
	if r.Report != nil {
		return nil
	}
	now := req.now()
	begun := now()
	r.Report, err = quality.Judge(ctx, g, r.Plan, check.Options{Workers: max(1, req.Workers)})
	r.Judged = (now() - begun).Seconds()
	return err
}

// recipe makes the request of one engine.
func (req *Request) recipe(step route.Step) *recipe.Request {
	out := &recipe.Request{
		Engine: step.Engine, Options: step.Options, Names: req.LIDs,
		MaxVLs: req.MaxVLs, Workers: max(1, req.Workers), Seed: req.Seed, Kinds: req.Kinds, Levels: req.Levels,
		Ends: req.given,
	}
	if !step.Engine.OwnNames {
		out.Names.LMC = max(req.LIDs.LMC, req.HeldLMC)
	}
	return out
}

// asked returns the chain for the Plan to remember; nil if it names only the engine of the Plan.
func (req *Request) asked() (chain []route.Asked) {
	if len(req.Chain) == 1 && req.Chain[0].Engine.Among == nil {
		return nil
	}
	for _, step := range req.Chain {
		chain = append(chain, route.Asked{Engine: step.Engine.Name, Options: step.Options})
	}
	return chain
}

// isRefusal reports whether an engine has refused, so that the next one is tried.
func isRefusal(err error) bool {
	_, refused := errors.AsType[*route.Refusal](err)
	return refused
}

func (req *Request) now() func() time.Duration {
	if req.Now != nil {
		return req.Now
	}
	return func() time.Duration { return 0 }
}

// Validate reports limits out of range, by the names that options have.
func (req *Request) Validate() error {
	if req.LIDs.LMC > fabric.MaxLMC {
		return fmt.Errorf("lmc %d is out of range (0 to %d)", req.LIDs.LMC, fabric.MaxLMC)
	}
	if req.MaxVLs < 0 || req.MaxVLs > int(route.DropVL) {
		return fmt.Errorf("vls %d is out of range (1 to %d)", req.MaxVLs, route.DropVL)
	}
	return nil
}

// stopwatch measures stages.
type stopwatch struct {
	now    func() time.Duration
	begun  time.Duration // of the stage that runs
	stages []Stage
}

// stage ends the stage that runs, and begins the next one if it has a name.
func (w *stopwatch) stage(next string) {
	now := w.now()
	if n := len(w.stages); n > 0 {
		w.stages[n-1].Seconds = (now - w.begun).Seconds()
	}
	if next != "" {
		w.stages = append(w.stages, Stage{Name: next})
	}
	w.begun = now
}

// total is the sum of all stages in seconds.
func (w *stopwatch) total() float64 {
	sum := 0.0
	for _, s := range w.stages {
		sum += s.Seconds
	}
	return sum
}
