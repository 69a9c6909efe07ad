package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"weft/apps/machine"
	"weft/fabric"
	"weft/fabric/bill"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/planner"
	"weft/route"
	"weft/sim/flow"
	"weft/study"
	"weft/study/app"
)

// Comparisons is the document of `weft compare FABRIC FABRIC ... --json`.
type Comparisons struct {
	Fabrics []*Comparison `json:"fabrics"`
	Best    *Recommended  `json:"recommendation,omitempty"` // absent if nothing is proven
}

// Comparison is the document of `weft compare FABRIC --json`.
type Comparison struct {
	Fabric   string     `json:"fabric"`
	Bill     *bill.Bill `json:"bill"`               // the parts to buy
	Diameter int        `json:"diameter"`           // channels between the two switches farthest apart
	Cost     *float64   `json:"cost,omitempty"`     // the cost, if prices are given
	Currency string     `json:"currency,omitempty"` // of the cost
	bill.Share
	Runs      int    `json:"runs"` // random bisections of each ebb
	Direction string `json:"ebb_direction"`
	Seed      uint64 `json:"seed"`
	Engines   []Row  `json:"engines"`
	// Best is the recommended engine; absent if nothing is proven, or if several fabrics are
	// compared.
	Best *Recommended `json:"recommendation,omitempty"`
}

// Recommended holds the recommendation and its reason.
type Recommended struct {
	Fabric string `json:"fabric"`
	Engine string `json:"engine"`
	Why    string `json:"why"`
	But    string `json:"but,omitempty"` // the case for another fabric
}

// New counts the parts of a fabric with Graph g, at prices that may be nil. Its engines are added
// later.
func New(ctx context.Context, f *fabric.Fabric, g *fabric.Graph, prices *bill.Prices) (*Comparison, error) {
	c := &Comparison{Fabric: g.Name, Direction: "one way", Engines: []Row{}}
	var err error
	if c.Bill, err = bill.Of(f, 0); err != nil {
		return nil, err
	}
	if prices != nil {
		prices.Measure(c.Bill, f)
		cost, err := prices.Cost(c.Bill)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.Name, err)
		}
		c.Cost, c.Currency = &cost, prices.Currency
	}
	c.Share = c.Bill.Share(c.Cost)
	c.Diameter, err = g.Diameter(ctx)
	return c, err
}

// Row is an engine's Plan with the results of the judge and the flow simulator, or the reason
// why there is none.
type Row struct {
	Engine  string          `json:"engine"`
	Choice  *planner.Choice `json:"auto,omitempty"` // how engine auto chose it
	Refused *study.Refusal  `json:"refused,omitempty"`
	LIDs    int             `json:"lids,omitempty"`
	VLs     int             `json:"vls,omitempty"`
	Replies string          `json:"replies,omitempty"` // as in routing.Route
	EBB     *flow.Summary   `json:"ebb,omitempty"`     // effective bisection bandwidth
	// Figures are the key figures of the yardstick, the bandwidth among them.
	Figures *flow.KeyFigures `json:"figures,omitempty"`
	Seconds float64          `json:"seconds,omitempty"` // routing alone
	Stages  []planner.Stage  `json:"stages,omitempty"`
	Judged  float64          `json:"judge_seconds,omitempty"`
	Counted float64          `json:"ebb_seconds,omitempty"`
	// RouteRSS is the memory of the engine's own process, if it has one, after it read the fabric
	// and routed it; PeakRSS is the memory at the end. Both are in 10^6 bytes.
	RouteRSS float64         `json:"route_rss_mb,omitempty"`
	PeakRSS  float64         `json:"peak_rss_mb,omitempty"`
	Check    *quality.Report `json:"check,omitempty"`
	// Yardstick holds further figures, if they were asked for.
	Yardstick *flow.Yardstick `json:"yardstick,omitempty"`
	Apps      []app.Time      `json:"apps,omitempty"` // likewise
}

// Figures selects the measurements of each Plan.
type Figures struct {
	Runs      int      // random bisections
	Yardstick bool     // the whole yardstick too
	Apps      []string // programs of weft simulate app
	Sends     machine.SendOrder
}

// orders are the ways to sort rows, best first.
var orders = map[string]func(a, b Row) int{
	"engine":  func(_, _ Row) int { return 0 },
	"ebb":     func(a, b Row) int { return cmp.Compare(b.ebb(), a.ebb()) },
	"vls":     func(a, b Row) int { return cmp.Compare(a.VLs, b.VLs) },
	"seconds": func(a, b Row) int { return cmp.Compare(a.Seconds, b.Seconds) },
	"memory":  func(a, b Row) int { return cmp.Compare(a.RouteRSS, b.RouteRSS) },
}

// CheckOrder returns an error for an unknown order of rows.
func CheckOrder(order string) error {
	if orders[order] == nil {
		return fmt.Errorf("%q: want engine, ebb, vls, seconds or memory", order)
	}
	return nil
}

// Sort sorts the rows by an order that CheckOrder knows, with refused engines last.
func (c *Comparison) Sort(order string) {
	slices.SortStableFunc(c.Engines, func(a, b Row) int {
		switch {
		case a.Refused == nil && b.Refused != nil:
			return -1
		case a.Refused != nil && b.Refused == nil:
			return 1
		}
		return orders[order](a, b)
	})
}

func (c *Row) ebb() float64 {
	if c.EBB == nil {
		return 0
	}
	return c.EBB.Mean
}

// NewRow routes by one engine of a chain, judges the Plan and simulates flows. peakRSS returns the
// memory of the process.
func NewRow(ctx context.Context, g *fabric.Graph, step route.Step, asked *planner.Request, figures Figures, peakRSS func() float64) (*Row, error) {
	req := *asked
	req.Chain = route.Chain{step}
	c := &Row{Engine: step.Engine.Name}
	r, err := planner.Route(ctx, g, &req)
	if _, refused := errors.AsType[*route.Refusal](err); refused {
		refusal := study.RefusalOf(err)
		c.Refused = &refusal
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	if c.Choice = r.Choice; c.Choice != nil {
		c.Engine = step.Engine.Name + ": " + c.Choice.Engine
	}
	c.Replies = study.RepliesOf(r.Plan)
	c.LIDs, c.VLs, c.Seconds, c.Stages, c.RouteRSS = r.Plan.Ends.Total(), r.Plan.VLs, r.Seconds, r.Stages, peakRSS()
	if err := r.Judge(ctx, g, &req); err != nil {
		return nil, err
	}
	r.Report.CountServers(g)
	c.Check, c.Judged = r.Report, r.Judged
	c.Counted, err = seconds(req.Now, func() (err error) {
		c.Figures, err = flow.NewKeyFigures(ctx, g, r.Plan, flow.Measure{Runs: figures.Runs, Seed: req.Seed, Workers: req.Workers})
		return err
	})
	if err == nil {
		c.EBB = &c.Figures.EBB
	}
	if err == nil && figures.Yardstick {
		c.Yardstick, err = flow.NewYardstick(ctx, g, r.Plan, flow.Measure{Runs: figures.Runs, Seed: req.Seed, Workers: req.Workers})
	}
	if err == nil {
		c.Apps, err = runApps(ctx, g, r, &figures, req.Workers)
	}
	return c, err
}

// seconds measures the time of work by a clock, 0 without a clock.
func seconds(now func() time.Duration, work func() error) (float64, error) {
	if now == nil {
		return 0, work()
	}
	begun := now()
	err := work()
	return (now() - begun).Seconds(), err
}

// reachableCell reports whether every connected pair is delivered.
func reachableCell(c *quality.Report) string {
	if lost := c.Unreachable + c.Discarded; lost > 0 {
		return fmt.Sprintf("%d lost", lost)
	}
	return "yes"
}

// verdict returns the judge's answer in one or two words.
func verdict(c *quality.Report) string {
	switch {
	case c.OK:
		return "proven"
	case c.Unreachable > 0:
		return "unreachable pairs"
	case len(c.Faults) > 0:
		return "faulty"
	case c.DeadlockFree == check.No:
		return "can deadlock"
	}
	return "not proven"
}

// deadlockCell names the traffic that cannot deadlock.
func deadlockCell(c *quality.Report) string {
	if c.DeadlockFree != check.Yes && c.HostOnly.DeadlockFree == check.Yes {
		return "hosts only"
	}
	return c.DeadlockFree.String()
}

// minimalCell names the pairs that take a shortest path.
func minimalCell(c *quality.Report) string {
	switch {
	case c.Minimal:
		return "yes"
	case c.HostPairs.NonMinimal == 0:
		return "hosts"
	}
	return "no"
}

// lanesCell returns the number of lanes, with "own" if each reply needs the SL of its own path.
func lanesCell(r *Row) string {
	n := strconv.Itoa(r.VLs)
	if r.Replies == study.RepliesOwn {
		n += ", own"
	}
	return n
}
