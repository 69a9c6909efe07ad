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

// Kinds of parts that a campaign lets fail one by one.
const (
	EachLink   = "link"   // between switches
	EachSwitch = "switch" // all
	EachSpine  = "spine"  // switches without hosts
	EachLeaf   = "leaf"   // switches with hosts
	eachServer = "server" // with all adapters
)

// Kinds lists these kinds.
var Kinds = []string{EachLink, EachSwitch, EachSpine, EachLeaf, eachServer}

// Campaign is the document of `weft whatif --each --json`.
type Campaign struct {
	Fabric   string `json:"fabric"`
	Each     string `json:"each"`     // link, switch, spine, leaf or server
	Parts    int    `json:"parts"`    // parts that could fail
	Complete bool   `json:"complete"` // false: it was interrupted
	Today    *State `json:"today"`
	Rows     []Row  `json:"rows"` // the worst first
	Pace     Pace   `json:"pace"` // the assumption behind the seconds

	Of      string `json:"-"` // the ends of pairs: "hosts", "host ports" or "end ports"
	Several bool   `json:"-"` // there are servers with several ports
}

// Row holds the effect of the failure of one part.
type Row struct {
	Part      string `json:"part"`
	CutOff    int    `json:"hosts_cut_off"`    // hosts that stay up but lose their last cable to a switch
	Servers   int    `json:"servers_cut_off"`  // servers that stay up but lose their last cable to a switch
	Degraded  int    `json:"servers_degraded"` // servers that keep some of their ports
	AtOnce    int64  `json:"lost_at_once"`     // pairs of hosts, until somebody writes other tables
	ForGood   int64  `json:"lost_for_good"`    // pairs lost after the repair, or after a fresh routing if no repair is possible
	Remaining *State `json:"remaining"`        // the state then; null if nothing can be routed
	Reason    string `json:"reason,omitempty"` // why it was not repaired

	Short string  `json:"-"` // name of the part, with a GUID only where others are described alike
	Loss  float64 `json:"-"` // share of bisection bandwidth
}

// Each lets each part of a kind fail by itself, and tries several parts in parallel. When ctx ends
// it returns the finished rows and the error.
func (t *Today) Each(ctx context.Context, kind string) (*Campaign, error) {
	parts, err := PartsOfKind(t.fabric, t.graph, kind)
	if err != nil {
		return nil, err
	}
	c := &Campaign{Fabric: t.fabric.Name, Each: kind, Parts: len(parts), Today: t.state, Rows: []Row{}, Pace: t.opt.Pace, Of: t.port + "s", Several: t.several}
	each := t.forParts()
	return c, c.Try(ctx, t.opt.Request.Workers, len(parts), func(i int) (*Row, error) { return each.row(ctx, &parts[i]) })
}

// Try makes the rows of all parts in parallel, and ranks the finished ones.
func (c *Campaign) Try(ctx context.Context, workers, parts int, row func(i int) (*Row, error)) error {
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

// TryOne lets one part of a kind fail, as Each does. Each tries one part on each core, so the time
// of one tells the time of all.
func (t *Today) TryOne(ctx context.Context, kind string) error {
	parts, err := PartsOfKind(t.fabric, t.graph, kind)
	if err != nil {
		return err
	}
	_, err = t.forParts().row(ctx, &parts[len(parts)/2])
	return err
}

// forParts returns a copy of t for the rows of a campaign, each on one core and without shifts.
func (t *Today) forParts() *Today {
	each := *t
	each.brief, each.opt.Request.Workers = true, 1
	return &each
}

// Part is a part of a fabric that a campaign lets fail.
type Part struct {
	Name, Short string
	Fail        func(f *fabric.Fabric)
}

// CountEach counts the parts of a kind that could fail. It fails if a fabric has none.
func CountEach(f *fabric.Fabric, kind string) (int, error) {
	parts, err := PartsOfKind(f, f.Compile(), kind)
	return len(parts), err
}

// PartsOfKind lists the parts of a fabric that fail one by one.
func PartsOfKind(f *fabric.Fabric, g *fabric.Graph, kind string) (out []Part, err error) {
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
				out = append(out, Part{
					Name:  f.EndName(f.Links[id].A) + " - " + f.EndName(f.Links[id].B),
					Short: cables.NamePorts(short, f.LinkPorts(id)),
					Fail:  func(f *fabric.Fabric) { f.SetLinkDown(id, true) },
				})
			}
		}
	case EachSwitch, EachSpine, EachLeaf:
		for i := range f.Nodes {
			id := fabric.NodeID(i)
			has, up := leaf[id]
			if up && (kind == EachSwitch || has == (kind == EachLeaf)) {
				out = append(out, Part{
					Name:  f.NodeName(id),
					Short: short[f.Nodes[id].GUID],
					Fail:  func(f *fabric.Fabric) { f.SetNodeDown(id, true) },
				})
			}
		}
	case eachServer:
		servers := f.Servers()
		for i := range servers.List {
			if s := &servers.List[i]; slices.ContainsFunc(s.Adapters, func(a int32) bool { return isCabled(f, fabric.NodeID(a)) }) {
				out = append(out, Part{Name: s.Name, Short: s.Name, Fail: func(f *fabric.Fabric) {
					for _, a := range s.Adapters {
						f.SetNodeDown(fabric.NodeID(a), true)
					}
				}})
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

// isCabled reports whether a node is up and has a cable that is up.
func isCabled(f *fabric.Fabric, id fabric.NodeID) bool {
	for range f.Cabled(id, f.LinkUp) {
		return true
	}
	return false
}

// row returns the effect of losing a part.
func (t *Today) row(ctx context.Context, p *Part) (*Row, error) {
	after := t.fabric.Clone()
	p.Fail(after)
	r := &Row{Part: p.Name, Short: p.Short}
	c, err := t.compile(after, nil)
	if errors.Is(err, errNothingLeft) {
		r.Reason, r.Loss, r.CutOff, r.Servers = err.Error(), 1, t.graph.NumHosts, len(t.servers.List)
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	r.CutOff, r.Servers, r.Degraded = len(c.lost.CutOff), len(c.lost.ServersCutOff), len(c.lost.Degraded)
	asIs, err := t.asIs(ctx, c, NoFigures)
	if err != nil {
		return nil, err
	}
	routed, err := t.route(ctx, c, true, true)
	if err != nil {
		return nil, err
	}
	r.AtOnce, r.Remaining, r.Reason, r.Loss = asIs.lost(), routed.state, routed.why, 1
	if s := routed.state; s != nil {
		r.ForGood = s.lost()
		if now, was := s.Figures, t.state.Figures; now != nil && was != nil && was.EBB.Mean > 0 {
			r.Loss = 1 - now.EBB.Mean/was.EBB.Mean
		}
	}
	return r, nil
}

// rank sorts the worst first: by servers cut off, hosts cut off, pairs lost for good, bandwidth,
// pairs lost at once.
func (c *Campaign) rank() {
	slices.SortStableFunc(c.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Servers, a.Servers), cmp.Compare(b.CutOff, a.CutOff), cmp.Compare(b.ForGood, a.ForGood), cmp.Compare(b.Loss, a.Loss), cmp.Compare(b.AtOnce, a.AtOnce))
	})
}

// harmless counts the rows without a pair of hosts lost for good.
func (c *Campaign) harmless() (n int) {
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Servers == 0 && r.Remaining != nil && r.ForGood <= c.Today.lost() {
			n++
		}
	}
	return n
}

// routedAfresh counts the rows with a fresh routing, because no repair was possible.
func (c *Campaign) routedAfresh() (n int) {
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Reason != "" && r.Remaining != nil {
			n++
		}
	}
	return n
}

// deadlocks counts the rows that can deadlock afterwards, or says that the present routing can; ""
// if none can.
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

// Write prints the campaign for people, with the first top rows, 0 for all.
func (c *Campaign) Write(w io.Writer, top int) error {
	n := len(c.Rows)
	if n == 0 {
		_, err := fmt.Fprintln(w, "nothing was tried")
		return err
	}
	fmt.Fprintf(w, "%d of %d can fail, each by itself, and every pair of %s keeps a way\n", c.harmless(), n, c.Of)
	if !c.Complete {
		fmt.Fprintf(w, "interrupted: %d of %d were not tried\n", c.Parts-n, c.Parts)
	}
	if remark := c.deadlocks(); remark != "" {
		fmt.Fprintln(w, remark)
	}
	if k := c.routedAfresh(); k > 0 {
		fmt.Fprintf(w, "%d of %d cannot be repaired and take a fresh routing (--json has the reasons)\n", k, n)
	}
	if worst := &c.Rows[0]; c.cutOff(worst) > 0 || worst.ForGood > 0 || worst.Loss > .005 {
		study.Remark(w, "worst: ", worst.Short+": "+c.words(worst))
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
	legend := [][]string{
		{"CUT OFF", c.hosts() + " without a cable to a switch"},
		{"DEGRADED", "servers that keep some of their ports"},
		{"AT ONCE", "pairs of " + c.Of + " lost until tables are written"},
		{"FOR GOOD", "pairs of " + c.Of + " lost after a repair, or a fresh routing where there can be none"},
		{"BANDWIDTH", "effective bisection bandwidth then, and what is lost of it"},
		{"BLOCKS", "blocks of forwarding tables to write"},
	}
	if !c.Several {
		legend = slices.Delete(legend, 1, 2)
	}
	return study.Table(w, legend)
}

// hosts names the machines.
func (c *Campaign) hosts() string {
	if c.Several {
		return "servers"
	}
	return "hosts"
}

// cutOff counts the machines of a row that are cut off.
func (c *Campaign) cutOff(r *Row) int {
	if c.Several {
		return r.Servers
	}
	return r.CutOff
}

// table shows the figures of rows with the names of the parts.
func (c *Campaign) table(rows []Row) string {
	head := []string{"CUT OFF", "AT ONCE", "FOR GOOD", "BANDWIDTH", "BLOCKS"}
	if c.Several {
		head = slices.Insert(head, 1, "DEGRADED")
	}
	figures, names := [][]string{head}, []string{strings.ToUpper(c.Each)}
	for i := range rows {
		r := &rows[i]
		cells := r.figures()
		if cells[0] = fmt.Sprint(c.cutOff(r)); c.Several {
			cells = slices.Insert(cells, 1, fmt.Sprint(r.Degraded))
		}
		figures, names = append(figures, cells), append(names, r.Short)
	}
	return fold.Named(figures, names)
}

// words names the loss of a part's failure.
func (c *Campaign) words(r *Row) string {
	switch n := c.cutOff(r); {
	case n > 0 && c.Several:
		return fmt.Sprintf("%s cut off", servers(n))
	case n > 0:
		return fmt.Sprintf("%s cut off", hosts(n))
	case r.ForGood > 0:
		return fmt.Sprintf("%s of %s lost for good", study.Plural(r.ForGood, "pair"), c.Of)
	}
	return fmt.Sprintf("%.1f %% less bisection bandwidth", 100*r.Loss)
}

// figures returns the cells of a row of the table.
func (r *Row) figures() []string {
	s := r.Remaining
	if s == nil {
		return []string{fmt.Sprint(r.CutOff), fmt.Sprint(r.AtOnce), "-", "-", "-"}
	}
	bandwidth := "-"
	if s.Figures != nil {
		bandwidth = fmt.Sprintf("%.4f (%+.1f %%)", s.Figures.EBB.Mean, math.Round(-1000*r.Loss)/10+0) // + 0: no -0.0
	}
	return []string{fmt.Sprint(r.CutOff), fmt.Sprint(r.AtOnce), fmt.Sprint(r.ForGood), bandwidth, fmt.Sprint(s.Writes.Blocks)}
}
