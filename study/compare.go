package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"weft/fabric"
	"weft/fabric/bill"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/planner"
	"weft/route"
	"weft/sim/flow"
)

// Comparisons is the document of `weft compare FABRIC FABRIC ... --json`.
type Comparisons struct {
	Fabrics []*Comparison `json:"fabrics"`
	Best    *Recommended  `json:"recommendation,omitempty"` // absent if nothing is proven
}

// Comparison is the document of `weft compare FABRIC --json`.
type Comparison struct {
	Fabric    string     `json:"fabric"`
	Bill      *bill.Bill `json:"bill"`               // the parts to buy
	Diameter  int        `json:"diameter"`           // channels between the two switches farthest apart
	Cost      *float64   `json:"cost,omitempty"`     // the cost, if prices are given
	Currency  string     `json:"currency,omitempty"` // of the cost
	Runs      int        `json:"runs"`               // random bisections of each ebb
	Direction string     `json:"ebb_direction"`
	Seed      uint64     `json:"seed"`
	Engines   []Compared `json:"engines"`
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

// NewComparison counts a fabric whose Graph is g, at prices that may be nil; its engines come later.
func NewComparison(ctx context.Context, f *fabric.Fabric, g *fabric.Graph, prices *bill.Prices) (*Comparison, error) {
	c := &Comparison{Fabric: g.Name, Direction: "one way", Engines: []Compared{}}
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
	c.Diameter, err = g.Diameter(ctx)
	return c, err
}

// Compared is an engine's Plan with the results of the judge and the flow simulator, or the reason
// why there is none.
type Compared struct {
	Engine  string          `json:"engine"`
	Choice  *planner.Choice `json:"auto,omitempty"` // how engine auto chose it
	Refused *Refusal        `json:"refused,omitempty"`
	LIDs    int             `json:"lids,omitempty"`
	VLs     int             `json:"vls,omitempty"`
	Replies string          `json:"replies,omitempty"` // as in Route
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
}

// Figures says what is measured of each Plan.
type Figures struct {
	Runs      int  // random bisections
	Yardstick bool // the whole yardstick too
}

// orders are the ways to sort rows, best first.
var orders = map[string]func(a, b Compared) int{
	"engine":  func(_, _ Compared) int { return 0 },
	"ebb":     func(a, b Compared) int { return cmp.Compare(b.ebb(), a.ebb()) },
	"vls":     func(a, b Compared) int { return cmp.Compare(a.VLs, b.VLs) },
	"seconds": func(a, b Compared) int { return cmp.Compare(a.Seconds, b.Seconds) },
	"memory":  func(a, b Compared) int { return cmp.Compare(a.RouteRSS, b.RouteRSS) },
}

// CheckOrder reports an unknown order of rows.
func CheckOrder(order string) error {
	if orders[order] == nil {
		return fmt.Errorf("%q: want engine, ebb, vls, seconds or memory", order)
	}
	return nil
}

// Sort puts the rows in an order that CheckOrder knows, those without a Plan last.
func (c *Comparison) Sort(order string) {
	slices.SortStableFunc(c.Engines, func(a, b Compared) int {
		switch {
		case a.Refused == nil && b.Refused != nil:
			return -1
		case a.Refused != nil && b.Refused == nil:
			return 1
		}
		return orders[order](a, b)
	})
}

func (c *Compared) ebb() float64 {
	if c.EBB == nil {
		return 0
	}
	return c.EBB.Mean
}

// UsualRuns is so many random bisections that they take about a second on a core.
func UsualRuns(hosts int) int { return min(max(5_000_000/max(hosts, 1), 100), 1000) }

// CompareEngine routes by one engine of a chain, judges and simulates. peakRSS measures the
// memory of the process.
func CompareEngine(ctx context.Context, g *fabric.Graph, step route.Step, asked *planner.Request, figures Figures, peakRSS func() float64) (*Compared, error) {
	req := *asked
	req.Chain = route.Chain{step}
	c := &Compared{Engine: step.Engine.Name}
	r, err := planner.Route(ctx, g, &req)
	if _, refused := errors.AsType[*route.Refusal](err); refused {
		refusal := refusalOf(err)
		c.Refused = &refusal
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	if c.Choice = r.Choice; c.Choice != nil {
		c.Engine = step.Engine.Name + ": " + c.Choice.Engine
	}
	c.Replies = repliesOf(r.Plan)
	c.LIDs, c.VLs, c.Seconds, c.Stages, c.RouteRSS = r.Plan.Ends.Total(), r.Plan.VLs, r.Seconds, r.Stages, peakRSS()
	if err := r.Judge(ctx, g, &req); err != nil {
		return nil, err
	}
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
	return c, err
}

// seconds measures how long work takes by a clock that may be nil.
func seconds(now func() time.Duration, work func() error) (float64, error) {
	if now == nil {
		return 0, work()
	}
	begun := now()
	err := work()
	return (now() - begun).Seconds(), err
}

// reachableCell says whether every pair that has a way is delivered.
func reachableCell(c *quality.Report) string {
	if lost := c.Unreachable + c.Discarded; lost > 0 {
		return fmt.Sprintf("%d lost", lost)
	}
	return "yes"
}

// verdict is the judge's answer in one or two words.
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

// deadlockCell says for which traffic there is no deadlock.
func deadlockCell(c *quality.Report) string {
	if c.DeadlockFree != check.Yes && c.HostOnly.DeadlockFree == check.Yes {
		return "hosts only"
	}
	return c.DeadlockFree.String()
}

// minimalCell says which pairs take a shortest way.
func minimalCell(c *quality.Report) string {
	switch {
	case c.Minimal:
		return "yes"
	case c.HostPairs.NonMinimal == 0:
		return "hosts"
	}
	return "no"
}

// lanesCell is the number of lanes, and whether each reply needs the SL of its own path for them.
func lanesCell(r *Compared) string {
	n := strconv.Itoa(r.VLs)
	if r.Replies == RepliesOwn {
		n += ", own"
	}
	return n
}
