package naming

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/lab"
	"weft/route/names"
	"weft/route/paths"
)

// exampleRoutes are the routes of section 2.1 of paper 002. The one from n5 comes first, as in
// Table 3: the other path to n8 is renamed.
var exampleRoutes = [][3]string{{"n5", "n8", "c5 c6"}, {"n4", "n8", "c9 c12 c11 c10"}, {"n4", "n2", "c4 c1 c2"}}

// network is the example with the paper's names.
type network struct {
	*fabric.Graph
	channel map[string]int32 // channel from end a to end b
	name    []string         // by channel
}

// newNetwork builds Fig. 1.
func newNetwork() *network {
	g := lab.Must(lab.Graph("renaming-fig1"))
	n := &network{g, map[string]int32{}, make([]string, g.NumChannels)}
	for _, p := range readTable("ren_fig1_network") {
		for c := range int32(g.NumChannels) {
			if g.SwitchDesc[g.From[c]] == p["end_a"] && g.SwitchDesc[g.To[c]] == p["end_b"] {
				n.channel[p["channel"]] = c
				n.name[c], n.name[c^1] = p["channel"], p["channel"]
			}
		}
	}
	return n
}

// machine returns the host of a switch.
func (n *network) machine(name string) int32 {
	return n.HostsOf(int32(slices.Index(n.SwitchDesc, name)))[0]
}

// set returns the example's routes.
func (n *network) set() *paths.Set {
	b := paths.NewBuilder(n.Graph)
	for _, r := range exampleRoutes {
		src := n.machine(r[0])
		at := n.EndSwitch[src]
		var way []int32
		for name := range strings.FieldsSeq(r[2]) {
			c := n.channel[name]
			if n.From[c] != at {
				c ^= 1
			}
			way, at = append(way, c), n.To[c]
		}
		b.Add(src, n.machine(r[1]), way)
	}
	set := lab.Must(b.Build())
	lab.Check(set.Validate())
	return set
}

// entry is a row of Tables 1 and 3.
type entry struct{ at, in, before, after, out string }

// entries lists the table entries of the paths in the paper's order: by switch, input channel and
// destination.
func (n *network) entries(a *names.Assignment) []entry {
	var list []entry
	for dst := range int32(n.NumHosts) {
		first, last := a.Set.To(dst)
		for p := first; p < last; p++ {
			before := n.SwitchDesc[n.EndSwitch[dst]]
			after := before
			if a.Offset[p] > 0 {
				after = fmt.Sprintf("%s.%d", before, a.Offset[p])
			}
			at, in := n.EndSwitch[a.Set.Source(p)], "local"
			for _, c := range a.Set.AppendChannels(nil, p) {
				list = append(list, entry{n.SwitchDesc[at], in, before, after, n.name[c]})
				at, in = n.To[c], n.name[c]
			}
			list = append(list, entry{n.SwitchDesc[at], in, before, after, "local"})
		}
	}
	slices.SortStableFunc(list, func(x, y entry) int {
		return strings.Compare(x.at+" "+x.in+" "+x.before, y.at+" "+y.in+" "+y.before)
	})
	return slices.Compact(list)
}

// example runs the worked example.
func example(ctx context.Context, _ *lab.Setup) *lab.Result {
	n := newNetwork()
	set := n.set()
	a := assign(ctx, set, "renaming", names.Options{Workers: 1})
	var paper []entry
	for _, p := range readTable("ren_table1_table3_forwarding") {
		paper = append(paper, entry{p["switch"], p["input_channel"], p["destination_before"], p["destination_after"], p["output_channel"]})
	}
	ours := n.entries(a)
	t := lab.Table{
		Name: "example", Title: "Tables 1 and 3: forwarding tables of Fig. 1 by input channel, before and after renaming",
		Columns: []string{"switch", "input channel", "destination, Table 1", "destination, Table 3", "output channel", "as printed"},
	}
	same := 0
	for _, e := range ours {
		printed := "no"
		if slices.Contains(paper, e) {
			printed, same = "yes", same+1
		}
		t.Add(e.at, e.in, e.before, e.after, e.out, printed)
	}
	exact := lab.Claim{
		Text: "Tables 1 and 3, entry by entry", Paper: fmt.Sprintf("%d entries", len(paper)), Ours: fmt.Sprintf("%d entries, %d as printed", len(ours), same),
		Verdict: lab.VerdictOf(same == len(paper) && same == len(ours)),
	}
	function := lab.NewClaim("after renaming the input channel is not needed", "no switch has two outputs for one destination")
	outs := map[string]string{}
	clashes := 0
	for _, e := range ours {
		key := e.at + " " + e.after
		if o, met := outs[key]; met && o != e.out {
			clashes++
		}
		outs[key] = e.out
	}
	function.Judge(clashes == 0, "%d of %d", clashes, len(outs))
	first, more := tableEntries(a)
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{exact, function}, Notes: []string{
		fmt.Sprintf("%d entry with a conflict, at n5: %d original entries and %d new ones; n8 has two identifiers, all others one.", countConflicts(set).contested, first, more),
	}}
}
