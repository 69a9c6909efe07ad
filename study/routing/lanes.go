package routing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"weft/fabric"
	"weft/judge/check"
	"weft/planner"
	"weft/route"
	"weft/route/lanes"
	"weft/route/lanes/offline"
	"weft/route/lanes/partition"
	"weft/study"
)

// Lanes is the document of `weft lanes --json`: the fewest lanes for the paths of each routing.
type Lanes struct {
	HostsOnly bool      `json:"hosts_only"` // paths from and to switches left out
	Routings  []LaneRow `json:"routings"`
}

// LaneRow is about the paths of one routing.
type LaneRow struct {
	Engine  string         `json:"engine"` // "the file" for tables that name none
	Refused *study.Refusal `json:"refused,omitempty"`

	// Replies is the rule for replies: with "same SL" an item is a pair with its paths both ways,
	// with "own SL" the paths from a switch to an end port.
	Replies  string `json:"replies"`
	Items    int    `json:"items"`
	OnCycles int    `json:"items_on_cycles"` // with a part of a cycle of dependencies
	Matter   int    `json:"items_that_matter"`

	// Least is a lower bound on the lanes of these paths, Enough the fewest that a search or a
	// heuristic found. Exact says that they are equal.
	Least  int    `json:"least"`
	Enough int    `json:"enough"`
	By     string `json:"enough_by"`
	Exact  bool   `json:"exact"`
	Open   string `json:"open,omitempty"` // why the search did not end
	Steps  int    `json:"steps"`

	// Uses is the number of lanes of the routing itself, Above its distance from Enough.
	Uses         int          `json:"uses"` // 0: unknown
	Above        int          `json:"above"`
	DeadlockFree check.Answer `json:"deadlock_free"`
	Layerings    []Layering   `json:"layerings"`
}

// Layering is the number of lanes that a heuristic takes for the paths, 0 for more than 16.
type Layering struct {
	Name  string `json:"name"`
	Lanes int    `json:"lanes"`
}

// LaneRequest asks for the fewest lanes.
type LaneRequest struct {
	Replies   string // "auto": the rule of the routing; "same" or "own"
	HostsOnly bool
	Limits    partition.Limits
	Workers   int
}

// Validate checks the request.
func (q *LaneRequest) Validate() error {
	if !slices.Contains([]string{"auto", "same", "own"}, q.Replies) {
		return fmt.Errorf("--replies is %q: auto, same or own", q.Replies)
	}
	if q.Limits.Steps < 0 || q.Limits.Conflicts < 0 {
		return errors.New("--steps and --conflicts are 0 or more")
	}
	return nil
}

// rule returns the rule for replies to a Plan.
func (q *LaneRequest) rule(plan *route.Plan) string {
	switch q.Replies {
	case "same":
		return study.RepliesSame
	case "own":
		return study.RepliesOwn
	}
	return study.RepliesOf(plan)
}

// mostOnline is the maximum number of pairs for the heuristics that try pair after pair.
const mostOnline = 500_000

// NewLaneRow finds the fewest lanes for the paths of a routing.
func NewLaneRow(ctx context.Context, g *fabric.Graph, r *planner.Result, q *LaneRequest) (*LaneRow, error) {
	if err := r.Judge(ctx, g, &planner.Request{Workers: q.Workers}); err != nil {
		return nil, err
	}
	row := &LaneRow{Engine: cmp.Or(r.Plan.Recipe.Engine(), "the file"), Replies: q.rule(r.Plan), Uses: r.Plan.VLs, DeadlockFree: r.Report.DeadlockFree}
	if r.Report.VLs == 0 { // unknown
		row.Uses = 0
	}
	if q.HostsOnly {
		row.DeadlockFree = r.Report.HostOnly.DeadlockFree
	}
	in := &route.Input{Graph: g, Ends: r.Plan.Ends, MaxVLs: lanes.MaxLanes, Workers: max(1, q.Workers)}
	paths := func() *lanes.Paths {
		p := lanes.ByEnd(in, r.Plan.Tables)
		if q.HostsOnly {
			p = p.WithoutSwitches()
		}
		return p
	}
	oneWay := row.Replies == study.RepliesOwn
	problem, size, err := partition.Of(ctx, paths(), oneWay)
	if _, ok := errors.AsType[*partition.OwnCycle](err); ok {
		return nil, errors.New("the paths of a pair, there and back, close a cycle on any lane: ask with --replies own")
	}
	if errors.Is(err, lanes.ErrLoop) {
		return nil, fmt.Errorf("%w: weft check names it", err)
	}
	if err != nil {
		return nil, err
	}
	row.Items, row.OnCycles, row.Matter = size.Items, size.OnCycles, size.Distinct
	found, err := problem.Minimum(ctx, q.Limits)
	if err != nil {
		return nil, err
	}
	row.Least, row.Steps = found.Lower, found.Steps
	row.take("the search", found.Upper)
	if row.DeadlockFree == check.Yes && keepsLane(r.Plan) && (oneWay || r.Plan.Service.ReplySameSL) {
		row.take("the routing itself", row.Uses)
	}
	if err := row.layer(ctx, paths, oneWay); err != nil {
		return nil, err
	}
	row.conclude(found, q)
	return row, nil
}

// keepsLane reports whether every packet keeps its lane on its way.
func keepsLane(plan *route.Plan) bool { return plan.SL2VL != nil && len(plan.SL2VL.Pool) == 1 }

// take notes a number of lanes that is enough; 0 is none.
func (o *LaneRow) take(by string, n int) {
	if n > 0 && (o.Enough == 0 || n < o.Enough) {
		o.Enough, o.By = n, by
	}
}

// layer adds the numbers of lanes of the heuristics, for the same paths.
func (o *LaneRow) layer(ctx context.Context, paths func() *lanes.Paths, oneWay bool) error {
	type heuristic struct {
		name string
		run  func(p *lanes.Paths) (*lanes.Lanes, error)
	}
	cut := func(refill bool) func(p *lanes.Paths) (*lanes.Lanes, error) {
		return func(p *lanes.Paths) (*lanes.Lanes, error) {
			return offline.Layer(ctx, p, offline.Options{Heuristic: offline.Weakest, Refill: refill, OneWay: oneWay, Most: lanes.MaxLanes})
		}
	}
	all := []heuristic{{"weakest edge (DFSSSP)", cut(false)}}
	if !oneWay {
		all = append(all, heuristic{"weakest edge, refilled", cut(true)})
		if o.Items <= mostOnline {
			all = append(all, heuristic{"pair by pair (LASH)", func(p *lanes.Paths) (*lanes.Lanes, error) { return lanes.Online(ctx, p, lanes.MaxLanes) }},
				heuristic{"longest pairs first", func(p *lanes.Paths) (*lanes.Lanes, error) { return lanes.LongestFirst(ctx, p, lanes.MaxLanes) }})
		}
	}
	for _, h := range all {
		found, err := h.run(paths())
		if err != nil {
			return err
		}
		n := found.Need
		if n > lanes.MaxLanes {
			n = 0
		}
		o.Layerings = append(o.Layerings, Layering{h.name, n})
		o.take(h.name, n)
	}
	return nil
}

// conclude compares the bounds and the lanes of the routing.
func (o *LaneRow) conclude(found *partition.Result, q *LaneRequest) {
	o.Exact = o.Enough == o.Least
	if o.Uses > 0 {
		o.Above = o.Uses - o.Enough
	}
	switch {
	case o.Exact:
	case found.Tested < o.Matter:
		o.Open = fmt.Sprintf("%d items matter, more than --conflicts %d compares; the bound is of the %d longest", o.Matter, q.Limits.Conflicts, found.Tested)
	default:
		o.Open = fmt.Sprintf("the search ended after --steps %d", q.Limits.Steps)
	}
}

// least prints the bounds.
func (o *LaneRow) least() string {
	switch {
	case o.Exact:
		return fmt.Sprint(o.Least)
	case o.Enough == 0:
		return fmt.Sprintf("%d or more", o.Least)
	}
	return fmt.Sprintf("%d to %d", o.Least, o.Enough)
}

// distance prints how far the routing is from the fewest lanes.
func (o *LaneRow) distance() string {
	switch {
	case o.Uses == 0:
		return "-"
	case o.Uses < o.Least:
		return fmt.Sprintf("%d too few", o.Least-o.Uses)
	case o.Exact:
		return fmt.Sprintf("+%d", o.Above)
	}
	return fmt.Sprintf("+%d to +%d", max(0, o.Above), o.Uses-o.Least)
}

// Write prints the document for people.
func (o *Lanes) Write(w io.Writer) error {
	rows := [][]string{{"ENGINE", "USES", "FEWEST", "DISTANCE", "NO DEADLOCK", "REPLIES", "PATHS", "MATTER"}}
	for i := range o.Routings {
		r := &o.Routings[i]
		if r.Refused != nil {
			rows = append(rows, []string{r.Engine, "-", "-", "-", "-", "-", "-", "refused"})
			continue
		}
		uses := "?"
		if r.Uses > 0 {
			uses = fmt.Sprint(r.Uses)
		}
		rows = append(rows, []string{r.Engine, uses, r.least(), r.distance(), fmt.Sprint(r.DeadlockFree), r.Replies, fmt.Sprint(r.Items), fmt.Sprint(r.Matter)})
	}
	if err := study.Table(w, rows); err != nil {
		return err
	}
	for i := range o.Routings {
		if r := &o.Routings[i]; r.Refused != nil {
			study.Remark(w, "\nrefused: ", r.Refused.String())
		} else if r.Open != "" {
			study.Remark(w, "\n"+r.Engine+": ", r.Open)
		}
	}
	return nil
}

// WriteAll prints the whole document for people.
func (o *Lanes) WriteAll(w io.Writer) error {
	if err := o.Write(w); err != nil {
		return err
	}
	rows := [][]string{{"\nLANES FOR THE SAME PATHS"}}
	for i := range o.Routings {
		r := &o.Routings[i]
		if r.Refused != nil {
			continue
		}
		rows = append(rows, []string{r.Engine, "fewest found by " + r.By, fmt.Sprint(r.Enough)})
		for _, l := range r.Layerings {
			n := fmt.Sprint(l.Lanes)
			if l.Lanes == 0 {
				n = fmt.Sprintf("more than %d", lanes.MaxLanes)
			}
			rows = append(rows, []string{"", l.Name, n})
		}
	}
	return study.Table(w, rows)
}
