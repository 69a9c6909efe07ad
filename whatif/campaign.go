package whatif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/cables"
	"weft/internal/fold"
	"weft/internal/par"
	"weft/judge/check"
	"weft/study"
)

// Parts of a fabric that a campaign lets fail one after the other.
const (
	EachLink   = "link"   // between switches
	EachSwitch = "switch" // all
	EachSpine  = "spine"  // switches without hosts
	EachLeaf   = "leaf"   // switches with hosts
)

// Kinds lists these parts.
var Kinds = []string{EachLink, EachSwitch, EachSpine, EachLeaf}

// Campaign is the document of `weft whatif --each --json`.
type Campaign struct {
	Fabric   string `json:"fabric"`
	Each     string `json:"each"`     // link, switch, spine or leaf
	Parts    int    `json:"parts"`    // parts that could fail
	Complete bool   `json:"complete"` // false: it was interrupted
	Today    *State `json:"today"`
	Rows     []Row  `json:"rows"` // the worst first
	Pace     Pace   `json:"pace"` // the assumption behind the seconds

	of string // what pairs are of
}

// Row holds the effect of the failure of one part.
type Row struct {
	Part      string `json:"part"`
	CutOff    int    `json:"hosts_cut_off"`    // hosts that stay up but lose their last cable to a switch
	AtOnce    int64  `json:"lost_at_once"`     // pairs of hosts, until somebody writes other tables
	ForGood   int64  `json:"lost_for_good"`    // pairs lost after the repair, or after a fresh routing if no repair is possible
	Remaining *State `json:"remaining"`        // the state then; null if nothing can be routed
	Reason    string `json:"reason,omitempty"` // why it was not repaired

	short string  // name of the part, with a GUID only where others are described alike
	loss  float64 // share of bisection bandwidth
}

// Each lets each part of a kind fail by itself, several of them at a time. When ctx ends it returns
// the rows that it has, and the error.
func (t *Today) Each(ctx context.Context, kind string) (*Campaign, error) {
	parts, err := partsOfKind(t.fabric, t.graph, kind)
	if err != nil {
		return nil, err
	}
	c := &Campaign{Fabric: t.fabric.Name, Each: kind, Parts: len(parts), Today: t.state, Rows: []Row{}, Pace: t.opt.Pace, of: "hosts"}
	each := t.forParts()
	return c, c.try(ctx, t.opt.Request.Workers, len(parts), func(i int) (*Row, error) { return each.row(ctx, &parts[i]) })
}

// try makes the rows of all parts, several at a time, and ranks those that it has.
func (c *Campaign) try(ctx context.Context, workers, parts int, row func(i int) (*Row, error)) error {
	rows := make([]*Row, parts)
	err := par.For(ctx, workers, parts, func(_, i int) (err error) {
		rows[i], err = row(i)
		return err
	})
	for _, r := range rows {
		if r != nil {
			c.Rows = append(c.Rows, *r)
		}
	}
	c.Complete = err == nil
	c.rank()
	return err
}

// TryOne lets one part of a kind fail, as Each does with all of them on one core each. What it takes tells how long they
// will.
func (t *Today) TryOne(ctx context.Context, kind string) error {
	parts, err := partsOfKind(t.fabric, t.graph, kind)
	if err != nil {
		return err
	}
	_, err = t.forParts().row(ctx, &parts[len(parts)/2])
	return err
}

// forParts returns t as the rows of a campaign are made: each on one core, their figures without shifts.
func (t *Today) forParts() *Today {
	each := *t
	each.brief, each.opt.Request.Workers = true, 1
	return &each
}

// part is a part of a fabric that fails.
type part struct {
	name, short string
	fail        func(f *fabric.Fabric)
}

// CountEach counts the parts of a kind that could fail. It fails where a fabric has none.
func CountEach(f *fabric.Fabric, kind string) (int, error) {
	parts, err := partsOfKind(f, f.Compile(), kind)
	return len(parts), err
}

// partsOfKind lists the parts of a fabric that fail, each by itself.
func partsOfKind(f *fabric.Fabric, g *fabric.Graph, kind string) (out []part, err error) {
	short := cables.ShortNames(f)
	leaf := map[fabric.NodeID]bool{}
	for s := range int32(g.NumSwitches) {
		id, _ := f.NodeByGUID(g.SwitchGUID[s])
		leaf[id] = slices.ContainsFunc(g.HostsOf(s), func(h int32) bool { return g.EndType[h] != fabric.Router })
	}
	switch kind {
	case EachLink:
		for i := range f.Links {
			id := fabric.LinkID(i)
			if f.IsSwitchLink(id) && f.LinkUp(id) && !f.Links[i].Drained {
				out = append(out, part{
					name:  f.EndName(f.Links[id].A) + " - " + f.EndName(f.Links[id].B),
					short: cables.NamePorts(short, f.LinkPorts(id)),
					fail:  func(f *fabric.Fabric) { f.SetLinkDown(id, true) },
				})
			}
		}
	case EachSwitch, EachSpine, EachLeaf:
		for i := range f.Nodes {
			id := fabric.NodeID(i)
			has, up := leaf[id]
			if up && (kind == EachSwitch || has == (kind == EachLeaf)) {
				out = append(out, part{
					name:  f.NodeName(id),
					short: short[f.Nodes[id].GUID],
					fail:  func(f *fabric.Fabric) { f.SetNodeDown(id, true) },
				})
			}
		}
	default:
		return nil, fmt.Errorf("%s: want one of %s", kind, strings.Join(Kinds, ", "))
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: the fabric has none that is up", kind)
	}
	return out, nil
}

// row finds what the fabric delivers once it has lost a part.
func (t *Today) row(ctx context.Context, p *part) (*Row, error) {
	after := t.fabric.Clone()
	p.fail(after)
	r := &Row{Part: p.name, short: p.short}
	c, err := t.compile(after)
	if errors.Is(err, errNothingLeft) {
		r.Reason, r.loss, r.CutOff = err.Error(), 1, t.graph.NumHosts
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	r.CutOff = len(c.cutOff)
	asIs, err := t.asIs(ctx, c, noFigures)
	if err != nil {
		return nil, err
	}
	routed, err := t.route(ctx, c, true, true)
	if err != nil {
		return nil, err
	}
	r.AtOnce, r.Remaining, r.Reason, r.loss = asIs.Lost, routed.state, routed.why, 1
	if s := routed.state; s != nil {
		r.ForGood = s.Lost
		if now, was := s.Figures, t.state.Figures; now != nil && was != nil && was.EBB.Mean > 0 {
			r.loss = 1 - now.EBB.Mean/was.EBB.Mean
		}
	}
	return r, nil
}

// rank puts first what hurts most: hosts cut off, pairs lost for good, bandwidth, pairs lost at once.
func (c *Campaign) rank() {
	slices.SortStableFunc(c.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.CutOff, a.CutOff), cmp.Compare(b.ForGood, a.ForGood), cmp.Compare(b.loss, a.loss), cmp.Compare(b.AtOnce, a.AtOnce))
	})
}

// harmless counts the rows that cost no pair of hosts for good.
func (c *Campaign) harmless() (n int) {
	for i := range c.Rows {
		if r := &c.Rows[i]; r.CutOff == 0 && r.Remaining != nil && r.ForGood <= c.Today.Lost {
			n++
		}
	}
	return n
}

// routedAfresh counts the rows where there can be no repair, but a fresh routing.
func (c *Campaign) routedAfresh() (n int) {
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Reason != "" && r.Remaining != nil {
			n++
		}
	}
	return n
}

// deadlocks says whether the routing of today, or what is left after a failure, can deadlock; ""
// where neither can.
func (c *Campaign) deadlocks() string {
	if c.Today.DeadlockFree == check.No {
		return "the routing of today can deadlock already"
	}
	n := 0
	for i := range c.Rows {
		if s := c.Rows[i].Remaining; s != nil && s.DeadlockFree == check.No {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d leave a routing that can deadlock", n, len(c.Rows))
}

// Write prints the campaign for people: top rows, 0 for all.
func (c *Campaign) Write(w io.Writer, top int) error {
	n := len(c.Rows)
	if n == 0 {
		_, err := fmt.Fprintln(w, "nothing was tried")
		return err
	}
	fmt.Fprintf(w, "%d of %d can fail, each by itself, and every pair of %s keeps a way\n", c.harmless(), n, c.of)
	if !c.Complete {
		fmt.Fprintf(w, "interrupted: %d of %d were not tried\n", c.Parts-n, c.Parts)
	}
	if remark := c.deadlocks(); remark != "" {
		fmt.Fprintln(w, remark)
	}
	if k := c.routedAfresh(); k > 0 {
		fmt.Fprintf(w, "%d of %d cannot be repaired and take a fresh routing (--json has the reasons)\n", k, n)
	}
	if worst := &c.Rows[0]; worst.CutOff > 0 || worst.ForGood > 0 || worst.loss > .005 {
		remark(w, "worst: ", worst.short+": "+worst.words(c.of))
	}
	fmt.Fprintln(w)
	if top == 0 {
		top = n
	}
	fmt.Fprint(w, c.table(c.Rows[:min(n, top)]))
	if n > top {
		fmt.Fprintf(w, "and %d more (--top 0 lists all)\n", n-top)
	}
	fmt.Fprintln(w)
	return study.Table(w, [][]string{
		{"CUT OFF", "hosts without a cable to a switch"},
		{"AT ONCE", "pairs of " + c.of + " lost until tables are written"},
		{"FOR GOOD", "pairs of " + c.of + " lost after a repair, or a fresh routing where there can be none"},
		{"BANDWIDTH", "effective bisection bandwidth then, and what is lost of it"},
		{"BLOCKS", "blocks of forwarding tables to write"},
	})
}

// table shows the figures of rows with the names of the parts.
func (c *Campaign) table(rows []Row) string {
	figures, names := [][]string{{"CUT OFF", "AT ONCE", "FOR GOOD", "BANDWIDTH", "BLOCKS"}}, []string{strings.ToUpper(c.Each)}
	for i := range rows {
		figures, names = append(figures, rows[i].figures()), append(names, rows[i].short)
	}
	return fold.Named(figures, names)
}

// words says what a part costs.
func (r *Row) words(of string) string {
	switch {
	case r.CutOff > 0:
		return fmt.Sprintf("%s cut off", hosts(r.CutOff))
	case r.ForGood > 0:
		return fmt.Sprintf("%s of %s lost for good", study.Plural(r.ForGood, "pair"), of)
	}
	return fmt.Sprintf("%.1f %% less bisection bandwidth", 100*r.loss)
}

// figures are the cells of a row of the table.
func (r *Row) figures() []string {
	s := r.Remaining
	if s == nil {
		return []string{fmt.Sprint(r.CutOff), fmt.Sprint(r.AtOnce), "-", "-", "-"}
	}
	bandwidth := "-"
	if s.Figures != nil {
		bandwidth = fmt.Sprintf("%.4f (%+.1f %%)", s.Figures.EBB.Mean, math.Round(-1000*r.loss)/10+0) // + 0: no -0.0
	}
	return []string{fmt.Sprint(r.CutOff), fmt.Sprint(r.AtOnce), fmt.Sprint(r.ForGood), bandwidth, fmt.Sprint(s.Writes.Blocks)}
}
