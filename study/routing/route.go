package routing

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"weft/fabric"
	"weft/internal/fold"
	"weft/judge/quality"
	"weft/planner"
	"weft/route"
	"weft/route/levels"
	"weft/sim/flow"
	"weft/study"
)

// Route is the document of `weft route --json`.
type Route struct {
	Engine  string           `json:"engine"`
	Refused []study.Refusal  `json:"refused,omitempty"` // engines of the chain that refused before it
	Choice  *planner.Choice  `json:"auto,omitempty"`    // how engine auto chose it
	Recipe  route.Recipe     `json:"recipe"`
	LIDs    int              `json:"lids"`
	Least   int              `json:"least_lids,omitempty"` // proven: no assignment of these paths has fewer
	Used    *route.UsedLIDs  `json:"used_lids,omitempty"`  // LIDs that explicit paths use, before rounding to a power of 2 per port
	MaxLMC  uint8            `json:"max_lmc"`
	VLs     int              `json:"vls"`     // data lanes that the paths need
	Replies string           `json:"replies"` // which replies are safe: RepliesSame or RepliesOwn
	Seconds float64          `json:"seconds"`
	Stages  []planner.Stage  `json:"stages"`
	PeakRSS float64          `json:"peak_rss_mb"`      // memory of the process so far, 10^6 bytes
	Levels  []levels.Summary `json:"levels,omitempty"` // of service
	Notes   []string         `json:"notes,omitempty"`  // the engine's notes on its result
	Ports   *Ports           `json:"ports,omitempty"`
	Check   *quality.Report  `json:"check,omitempty"`  // as weft check --json prints it; absent with --no-check
	Solver  *Solver          `json:"solver,omitempty"` // of --names ilp
	Change  *Change          `json:"change,omitempty"` // with --keep
	Jobs    *Jobs            `json:"jobs,omitempty"`   // with --jobs FILE
	// Yardstick holds the bandwidth figures of the routes, with --yardstick.
	Yardstick *flow.Yardstick `json:"yardstick,omitempty"`
}

// New makes the document of a routing job on a Graph. peakRSS is the memory of the process.
func New(g *fabric.Graph, r *planner.Result, peakRSS float64) *Route {
	var used *route.UsedLIDs
	if r.Plan.Used.All > 0 {
		used = &r.Plan.Used
	}
	if r.Report != nil {
		r.Report.CountServers(g)
	}
	return &Route{
		Used: used, Engine: r.Engine.Name, Refused: study.RefusalsOf(r.Refused), Choice: r.Choice, Recipe: r.Plan.Recipe, LIDs: r.Plan.Ends.Total(), MaxLMC: r.Plan.Ends.MaxLMC(),
		Least: r.Plan.LeastLIDs, VLs: r.Plan.VLs, Replies: study.RepliesOf(r.Plan), Seconds: r.Seconds, Stages: r.Stages, PeakRSS: peakRSS,
		Levels: levels.Summarise(g, r.Plan), Notes: r.Plan.Notes, Ports: portsOf(r.Plan), Check: r.Report,
	}
}

// Measure adds the bandwidth of the routes.
func (o *Route) Measure(ctx context.Context, g *fabric.Graph, r *planner.Result, req *planner.Request) (err error) {
	o.Yardstick, err = flow.NewYardstick(ctx, g, r.Plan, flow.Measure{Seed: req.Seed, Workers: req.Workers})
	return err
}

// Write prints the short form for people: the engine, its needs, and the verdict.
func (o *Route) Write(w io.Writer) error {
	rows := [][]string{{"engine", o.Engine}, {"LIDs", o.lidsText()}}
	if o.Solver != nil {
		rows = append(rows, []string{"solver", o.Solver.String()})
	}
	rows = append(rows, []string{"VLs", fmt.Sprintf("%d (replies: %s)", o.VLs, o.Replies)})
	rows = append(rows, o.levelRows()...)
	if err := o.writeFigures(w, rows, false); err != nil || o.Check == nil {
		return err
	}
	return o.Check.Write(w)
}

// WriteAll prints the whole document for people.
func (o *Route) WriteAll(w io.Writer) error {
	rows := [][]string{{"engine", o.Engine}, {"LIDs", o.lidsText()}}
	if o.Solver != nil {
		rows = append(rows, []string{"solver", o.Solver.String()})
	}
	if o.Used != nil {
		rows = append(rows, []string{"LIDs in use", usedText(o.Used)})
	}
	rows = append(rows, []string{"VLs", strconv.Itoa(o.VLs)}, []string{"replies", o.Replies})
	rows = append(rows, o.levelRows()...)
	rows = append(rows, o.Ports.rows()...)
	rows = append(rows,
		[]string{"seconds", fmt.Sprintf("%.3f", o.Seconds)},
		[]string{"peak memory", fmt.Sprintf("%.0f MB", o.PeakRSS)},
	)
	if err := o.writeFigures(w, rows, true); err != nil || o.Check == nil {
		return err
	}
	return o.Check.WriteAll(w)
}

// levelRows returns a row for each level of service.
func (o *Route) levelRows() (rows [][]string) {
	for i := range o.Levels {
		rows = append(rows, []string{"level " + o.Levels[i].Name, o.Levels[i].String()})
	}
	return rows
}

// writeFigures prints rows, then notes, changes, jobs and the yardstick if there are any, then an
// empty line, or that nothing was judged.
func (o *Route) writeFigures(w io.Writer, rows [][]string, all bool) error {
	if err := study.Table(w, rows); err != nil {
		return err
	}
	for _, note := range o.Notes {
		fmt.Fprintln(w, "note:", fold.Text(6, note))
	}
	if o.Change != nil {
		fmt.Fprintln(w)
		if err := o.Change.write(w); err != nil {
			return err
		}
	}
	if o.Jobs != nil {
		fmt.Fprintln(w)
		if err := o.Jobs.write(w, all); err != nil {
			return err
		}
	}
	if o.Yardstick != nil {
		if err := study.WriteYardsticks(w, []string{o.Engine}, []*flow.Yardstick{o.Yardstick}); err != nil {
			return err
		}
	}
	if o.Check == nil {
		_, err := fmt.Fprintln(w, "not judged (--no-check)")
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// usedText returns the number of LIDs in use by paths, and its lower bound.
func usedText(u *route.UsedLIDs) string {
	text := fmt.Sprintf("%d of hosts, at most %d of one", u.All, u.Most)
	switch {
	case u.LeastAll == 0:
		return text
	case u.LeastAll == u.All && u.LeastMost == u.Most:
		return text + ", proven: no fewer hold these paths"
	}
	return text + fmt.Sprintf(", at least %d and %d", u.LeastAll, u.LeastMost)
}

// lidsText returns the number of LIDs, and its lower bound.
func (o *Route) lidsText() string {
	text := fmt.Sprintf("%d (LMC %d)", o.LIDs, o.MaxLMC)
	switch o.Least {
	case 0:
	case o.LIDs:
		text += ", proven: no fewer hold these paths"
	default:
		text += fmt.Sprintf(", of which these paths need at least %d", o.Least)
	}
	return text
}
