package show

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"weft/fabric"
	"weft/fabric/cables"
	"weft/fabric/netfile/counters"
	"weft/fabric/shape/fattree"
	"weft/fabric/source"
	"weft/fabric/summary"
	"weft/study"
)

// Fabric is the document of `weft show --json`.
type Fabric struct {
	*summary.Summary
	Tree     *fattree.Shape `json:"tree,omitempty"`        // with --tree
	Machines []Server       `json:"server_list,omitempty"` // with --servers
	Cables   *cables.Report `json:"odd_cables"`
}

// Options select the parts of a description besides the counts.
type Options struct {
	Tree     bool            // the fabric as a fat-tree
	Servers  bool            // a list of the servers
	Counters []counters.Port // odd cables by port counters
}

// Inspected is an opened fabric. Its Graph and its odd cables are found once, when the picture or
// the description needs them. Port counters that NewFabric adds are for the description alone, so
// the picture comes first.
type Inspected struct {
	*source.Source
	inspect func() (*fabric.Graph, *cables.Report)
}

// Inspect prepares an opened fabric for a picture and a description.
func Inspect(src *source.Source) *Inspected {
	return &Inspected{src, sync.OnceValues(func() (*fabric.Graph, *cables.Report) {
		g := src.Fabric.Compile()
		return g, cables.Of(src.Fabric, g, src.Warnings)
	})}
}

// NewFabric counts the parts of a fabric and lists its odd cables.
func NewFabric(ctx context.Context, src *Inspected, o Options) (*Fabric, error) {
	g, odd := src.inspect()
	s, err := summary.Of(ctx, src.Source, g)
	if err != nil {
		return nil, err
	}
	out := &Fabric{Summary: s, Cables: odd}
	if len(o.Counters) > 0 {
		out.Cables.AddCounters(src.Fabric, o.Counters)
	}
	if o.Servers {
		out.Machines = listServers(g)
	}
	if o.Tree {
		out.Tree = fattree.Describe(g)
	}
	return out, nil
}

// Write prints the fabric for people, with the first lines of each list.
func (f *Fabric) Write(w io.Writer) error { return f.write(w, itemsShown) }

// WriteAll prints the fabric for people, with all lines of each list.
func (f *Fabric) WriteAll(w io.Writer) error { return f.write(w, math.MaxInt) }

func (f *Fabric) write(w io.Writer, shown int) error {
	rows := [][]string{
		{"fabric", f.Name},
		{"format", f.Format},
		{"switches", strconv.Itoa(f.Switches) + portsText(f.SwitchPorts)},
		{"CAs", strconv.Itoa(f.CAs)},
		{"routers", strconv.Itoa(f.Routers)},
		{"links", fmt.Sprintf("%d (%d between switches)", f.Links.Links, f.SwitchLinks)},
		{"end ports", strconv.Itoa(f.EndPorts)},
	}
	if f.Servers.Several() {
		rows = append(rows, serverRows(&f.Servers)...)
	}
	rows = append(rows, [][]string{
		{"components", strconv.Itoa(f.Components)},
		{"diameter", fmt.Sprintf("%d links between the switches farthest apart", f.Diameter)},
		{"rates", countsText(f.Rates)},
		{"LIDs seen", strconv.Itoa(f.LIDs)},
	}...)
	for _, row := range []struct {
		name string
		n    int
	}{{"links down", f.Down}, {"links drained", f.Drained}, {"warnings", len(f.Warnings)}} {
		if row.n > 0 {
			rows = append(rows, []string{row.name, strconv.Itoa(row.n)})
		}
	}
	for _, evidence := range slices.Sorted(maps.Keys(f.AggregationEvidence)) {
		rows = append(rows, []string{"aggregation", fmt.Sprintf("%d nodes inside switches, no hosts: %s", f.AggregationEvidence[evidence], evidence)})
	}
	rows = append(rows, []string{"odd cables", oddCables(f.Cables)})
	if err := study.Table(w, rows); err != nil {
		return err
	}
	if f.Tree != nil {
		fmt.Fprintln(w)
		if err := writeTree(w, f.Tree, shown); err != nil {
			return err
		}
	}
	if err := writeRails(w, f, shown); err != nil {
		return err
	}
	if err := writeCables(w, f.Cables, shown); err != nil {
		return err
	}
	return writeServers(w, f)
}

// portsText counts switches by their number of ports.
func portsText(by map[int]int) string {
	text := map[string]int{}
	for n, k := range by {
		text[fmt.Sprintf("%d ports", n)] = k
	}
	if len(text) == 0 {
		return ""
	}
	return " (" + countsText(text) + ")"
}

// countsText lists counts, the largest first.
func countsText(m map[string]int) string {
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d of %s", m[name], name)
	}
	return strings.Join(names, ", ")
}

// itemsShown limits the printed items of a list; -v and JSON have all.
const itemsShown = 10

// writeTree prints the shape of a fabric as a fat-tree.
func writeTree(w io.Writer, s *fattree.Shape, shown int) error {
	tree := "yes"
	if !s.Tree {
		tree = "no: " + s.Why
	}
	rows := [][]string{{"fat-tree", tree}}
	add := func(name, format string, args ...any) {
		rows = append(rows, []string{name, fmt.Sprintf(format, args...)})
	}
	if s.Tree {
		add("formula", "%s", treeFormula(s))
		for h, l := range slices.Backward(s.Levels) {
			add(fmt.Sprintf("level %d", h), "%d switches, each with %s hosts, %s links up, %s down", l.Switches, rangeText(l.Hosts), rangeText(l.Up), rangeText(l.Down))
		}
		add("oversubscription", "%s", oversubscription(s.Levels))
		add("roots", "%d", s.Roots)
		add("leaves", "%d, %d of them without hosts", s.Leaves, s.Empty)
		add("cores", "%d that hold together without the leaves", s.Cores)
		add("rack switches", "%d leaves with a link to another leaf, %d under several cores", s.Paired, s.Shared)
		add("parallel links", "%s", parallelText(s.Groups))
		add("horizontal links", "%d", s.Horizontal)
		add("roles given", "%s", rolesText(s.Roles))
		add("irregular", "%d places, for which -O strict=true refuses", len(s.Irregular))
	}
	if err := study.Table(w, rows); err != nil || !s.Tree {
		return err
	}
	var fewer []string
	for _, gap := range s.Missing {
		if gap.Kind == fattree.GapSwitches {
			fewer = append(fewer, gap.String())
		}
	}
	study.WriteSome(w, "groups with fewer switches than most", fewer, shown)
	if shown > itemsShown {
		study.WriteSome(w, "irregular (-O strict=true refuses)", s.Irregular, shown)
	}
	return nil
}

// oversubscription returns, for each level, the number of hosts and links below a switch for each
// link up, if it is above one. If the switches of a level differ it is a range.
func oversubscription(levels []fattree.Level) string {
	var list []string
	ratio := func(below, up int) string { return strconv.FormatFloat(float64(below)/float64(up), 'g', 3, 64) }
	for h, l := range levels {
		if l.Up.Min == 0 || l.Hosts.Max+l.Down.Max <= l.Up.Min {
			continue
		}
		least, most := ratio(l.Hosts.Min+l.Down.Min, l.Up.Max), ratio(l.Hosts.Max+l.Down.Max, l.Up.Min)
		if most != least {
			most = least + " to " + most
		}
		list = append(list, fmt.Sprintf("%s:1 at level %d", most, h))
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}

// treeFormula returns the formula of a tree, or the formula that it had before parts went missing.
func treeFormula(s *fattree.Shape) string {
	switch {
	case s.RLFT != "":
		return s.RLFT + " = " + s.PGFT
	case s.PGFT != "":
		return s.PGFT
	case s.Nearly != "":
		return s.Nearly + ", with what is missing"
	}
	return "none fits"
}

// rangeText formats a range, or a single number.
func rangeText(r fattree.Range) string {
	if r.Min == r.Max {
		return strconv.Itoa(r.Min)
	}
	return fmt.Sprintf("%d to %d", r.Min, r.Max)
}

// parallelText counts pairs of switches by the number of links between them.
func parallelText(groups map[int]int) string {
	var text []string
	for _, n := range slices.Sorted(maps.Keys(groups)) {
		text = append(text, fmt.Sprintf("%d pairs of switches with %d", groups[n], n))
	}
	if len(text) == 0 {
		return "none"
	}
	return strings.Join(text, ", ")
}

// rolesText counts the given roles.
func rolesText(roles map[string]int) string {
	if len(roles) == 0 {
		return "none: they are inferred"
	}
	return countsText(roles)
}
