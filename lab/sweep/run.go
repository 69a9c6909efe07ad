package sweep

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"weft/fabric"
	"weft/internal/par"
	"weft/lab/measure"
	"weft/lab/measure/appload"
	"weft/lab/measure/flowload"
	"weft/lab/measure/packetload"
	"weft/planner"
	"weft/route"
)

// opened is a Graph that several jobs share: the first job opens it, and the last one drops it.
type opened struct {
	open   func() (*fabric.Graph, error)
	digest string // of the Graph that the cases are about

	mu   sync.Mutex
	jobs int // not yet done
	g    *fabric.Graph
}

func (o *opened) get() (*fabric.Graph, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.g != nil {
		return o.g, nil
	}
	g, err := o.open()
	if err != nil {
		return nil, err
	}
	if measure.GraphDigest(g) != o.digest {
		return nil, errors.New("the file has changed since the sweep began")
	}
	o.g = g
	return g, nil
}

func (o *opened) done() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.jobs--; o.jobs <= 0 {
		o.g = nil
	}
}

// Keeper takes the rows of a sweep. It is safe for concurrent use.
type Keeper interface {
	Put(row *Row) error
	Flush() error
}

// Shard is the part of a sweep that one of several workers computes: number I, from 1, of N.
type Shard struct{ I, N int }

// Run computes the cases of a sweep.
type Run struct {
	*Description
	*Setup
	Shard Shard // the zero value is all of it
	Keep  Keeper
	Limit time.Duration // of a routing and of a measurement; 0: none
	// Rows holds the known rows by case. Do adds the new ones.
	Rows map[string]*Row
	From map[string]*Row // rows of another store, by case; Do puts those that it needs into Keep
	// Begin receives the expanded sweep and the number of cases to be computed, once for each round
	// of draws. Step receives the next Plan's fabric and engine, Done each finished row.
	Begin func(p *Plan, missing int)
	Step  func(what string)
	Done  func(row *Row)
	Attempts

	mu    sync.Mutex
	least string // digest of the cases with the least draws
}

// mine reports whether a job belongs to this shard.
func (r *Run) mine(p *Plan, j *Job) bool { return r.has(p, r.dealtBy(j)) }

// has reports whether a key of Plan.dealt belongs to this shard.
func (r *Run) has(p *Plan, key string) bool {
	return r.Shard.N < 2 || p.dealt[key]%r.Shard.N == r.Shard.I-1
}

// Do computes the missing cases, in several rounds if draws go on until intervals are narrow. It
// returns the expanded sweep of the last round. It keeps the finished rows even if it fails or is
// interrupted.
func (r *Run) Do(ctx context.Context) (p *Plan, err error) {
	var draws map[string]int
	for {
		if p, err = r.Expand(ctx, r.Setup, draws); err != nil {
			return p, err
		}
		if r.least == "" {
			r.least = p.digest()
		}
		if err := r.round(ctx, p); err != nil {
			return p, errors.Join(err, r.Keep.Flush())
		}
		if draws = r.moreDraws(p, draws); draws == nil {
			return p, r.Keep.Flush()
		}
	}
}

// round computes the missing cases of an expanded sweep.
func (r *Run) round(ctx context.Context, p *Plan) error {
	jobs, missing, err := r.missing(p)
	if err != nil {
		return err
	}
	r.Begin(p, missing)
	if jobs, err = r.suspects(ctx, jobs); err != nil {
		return err
	}
	workers := max(1, min(r.Workers, len(jobs)))
	threads := max(1, r.Workers/workers)
	order(jobs, workers)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	err = par.For(ctx, workers, len(jobs), func(_, i int) error {
		err := r.job(ctx, jobs[i], threads)
		if err != nil {
			stop(err) // interrupts the jobs under way
		}
		return err
	})
	if err != nil { // perhaps that of an interrupted job
		return context.Cause(ctx)
	}
	return nil
}

// job makes a Plan, and measures its cases.
func (r *Run) job(ctx context.Context, j *Job, threads int) (err error) {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if r.Mark != nil {
		if err := r.Mark(j.name(), true); err != nil {
			return err
		}
		defer func() {
			if err == nil {
				err = r.Mark(j.name(), false)
			}
		}()
	}
	defer j.variant.opened.done()
	r.Step(j.variant.Fabric + " " + j.engine)
	g, err := j.variant.opened.get()
	if err != nil {
		return fmt.Errorf("%s: %w", j.variant.Fabric, err)
	}
	begun := r.now()
	var routed *planner.Result
	failure := r.try(ctx, func(ctx context.Context) (err error) {
		routed, err = j.routing.Route(ctx, g, threads)
		return err
	})
	seconds := (r.now() - begun).Seconds()
	for _, c := range j.Cases {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		row := c.Row
		row.Routed = seconds
		if failure == nil {
			begun = r.now()
			err := r.try(ctx, func(ctx context.Context) error { return c.measure(ctx, g, routed, &row, threads) })
			row.Measured = (r.now() - begun).Seconds()
			if err != nil {
				row = c.Row
				row.Routed = seconds
				row.fail(err)
			}
		} else {
			row.fail(failure)
		}
		if ctx.Err() != nil { // the figures, or the failure, may be those of an interrupted case
			return ctx.Err()
		}
		if err := r.put(&row); err != nil {
			return err
		}
	}
	return nil
}

func (r *Run) put(row *Row) error {
	r.mu.Lock()
	r.Rows[row.Case] = row
	r.mu.Unlock()
	if err := r.Keep.Put(row); err != nil {
		return err
	}
	r.Done(row)
	return nil
}

func (r *Run) now() time.Duration {
	if r.Now == nil {
		return 0
	}
	return r.Now()
}

// try runs a step of a case within the time limit. It returns a panic as an error: a fault in one
// case of thousands does not end the others.
func (r *Run) try(ctx context.Context, step func(context.Context) error) (err error) {
	if r.Limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, r.Limit, fmt.Errorf("time limit of %v", r.Limit))
		defer stop()
	}
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("a fault of weft: %v", what)
		}
		if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(cause, context.Canceled) {
			err = cause
		}
	}()
	return step(ctx)
}

// fail gives a row the reason why it has no figures.
func (row *Row) fail(err error) {
	row.Status, row.Reason = NotRun, oneLine(err.Error())
	if refusal, is := errors.AsType[*route.Refusal](err); is {
		row.Status, row.Reason = Refused, oneLine(refusal.Reason)
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// measure fills in the outcome and the figures of a case.
func (c *Case) measure(ctx context.Context, g *fabric.Graph, routed *planner.Result, row *Row, workers int) error {
	vls, lids := int64(routed.Plan.VLs), int64(routed.Plan.Ends.Total())
	row.Outcome = Outcome{Status: Proven, Chosen: routed.Engine.Name, VLs: &vls, LIDs: &lids, Replies: "own"}
	if routed.Choice != nil {
		row.Chosen = routed.Choice.Engine
	}
	if routed.Plan.Service.ReplySameSL {
		row.Replies = "same"
	}
	if !routed.Report.OK {
		row.Status, row.Reason = NotProven, unproven(routed)
	}
	return row.measure(ctx, g, routed, &c.identity.Workload, c.identity.TrafficSeed, workers)
}

// measure takes the figures of a workload.
func (row *Row) measure(ctx context.Context, g *fabric.Graph, routed *planner.Result, w *Workload, seed uint64, workers int) error {
	switch {
	case w.Packets != nil:
		f, err := packetload.Measure(ctx, g, routed, w.Packets, seed, workers)
		if err == nil {
			row.packetFigures = *f
		}
		return err
	case w.App != nil:
		f, err := appload.Measure(ctx, g, routed, w.App, seed, workers)
		if err == nil {
			row.appFigures = *f
		}
		return err
	}
	f, err := flowload.Measure(ctx, g, routed, w.Flow, seed, workers)
	if err == nil {
		row.flowFigures = *f
	}
	return err
}

// unproven says why the judge did not prove a Plan.
func unproven(r *planner.Result) string {
	switch report := r.Report; {
	case report.Unreachable > 0:
		return fmt.Sprintf("%d pairs are not reachable", report.Unreachable)
	case len(report.Faults) > 0:
		return fmt.Sprintf("%d faults of the tables", len(report.Faults))
	default:
		return "deadlock-free: " + report.DeadlockFree.String()
	}
}
