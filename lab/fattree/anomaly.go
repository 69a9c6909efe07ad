package fattree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/lab"
	"weft/lab/plain"
	"weft/sim/flow"
)

// usage counts the channels between levels that paths between hosts use.
type usage struct {
	up, down      int // channels without a path
	links         int // links without one either way
	least, most   int64
	middle, roots string // ports in use of the first middle switch and root
}

// unused counts the ports that no path uses. Targets are destinations on a channel.
func unused(ctx context.Context, s *lab.Setup, t *tree, trial *lab.Trial) *usage {
	p := allPairs(ctx, s, trial)
	g := t.graph
	u := &usage{}
	var used extent
	for c := range int32(g.NumChannels) {
		from, to := t.level[g.From[c]], t.level[g.To[c]]
		switch {
		case from == to:
			continue
		case p.Loads[c] > 0:
			if from == 1 && to == 2 {
				used.add(p.Targets[c])
			}
			continue
		case from < to:
			u.up++
			if p.Loads[c^1] == 0 {
				u.links++
			}
		default:
			u.down++
		}
	}
	u.least, u.most = used.least, used.most
	first := func(level int32) int32 { return int32(max(0, slices.Index(t.level, level))) }
	u.middle = pattern(g, p, first(1), func(c int32) bool { return t.level[g.To[c]] == 2 })
	u.roots = pattern(g, p, first(2), func(int32) bool { return true })
	return u
}

// pattern writes the paths to destinations on each port of a switch, in order of port.
func pattern(g *fabric.Graph, p *flow.Pairs, s int32, want func(int32) bool) string {
	var cells []string
	for _, c := range g.OutOf(s) {
		if want(c) {
			cells = append(cells, fmt.Sprint(p.Targets[c]))
		}
	}
	return strings.Join(cells, " ")
}

// anomalyEngines lists the engines whose unused ports are counted.
func anomalyEngines(seed uint64) []lab.Candidate {
	return append([]lab.Candidate{
		{Name: "EFT", How: lab.Routing{Engine: "ftree,balance=zahavi"}},
		{Name: "ours", How: lab.Routing{Engine: "ftree"}},
		{Name: "minhop of weft", How: lab.Routing{Engine: "minhop"}},
		{Name: "DFSSSP", How: lab.Routing{Engine: "dfsssp", MaxVLs: 15}},
	}, openSMMinHops(seed)...)
}

// anomaly counts the ports that MinHop leaves unused on the whole tree, and with failed
// switches.
func anomaly(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "anomaly", Title: "Channels between levels without a path between nodes: of 1,296 up and as many down, on the whole tree",
		Columns: []string{"failed switches", "engine", "unused up", "unused down", "links unused both ways", "destinations on a used channel to a root", "those on the first middle switch, by port", "on the first root, by port"},
	}
	intact := lab.Must(gen.Parse(degradedBase))
	got := map[string]*usage{}
	for _, failed := range switchesOfPaper() {
		number := fmt.Sprint(failed)
		build := func() *fabric.Graph {
			return degrade(intact, wholeSwitch, failed, rand.New(rand.NewPCG(s.SeedOf(number), 0))).Compile()
		}
		s.Each(ctx, number, build, anomalyEngines(s.Seed), func(e *lab.Candidate, trial *lab.Trial) {
			isRouted(e, trial)
			u := unused(ctx, s, treeOf(intact, trial.Graph), trial)
			got[number+" "+e.Name] = u
			middle, roots := "-", "-"
			if failed == 0 {
				middle, roots = u.middle, u.roots
			}
			t.Add(number, e.Name, fmt.Sprint(u.up), fmt.Sprint(u.down), fmt.Sprint(u.links), extent{u.least, u.most, true}.String(), middle, roots)
		})
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: anomalyClaims(got), Notes: []string{
		"MinHop by entries counts the table entries of a port whether or not a path to them comes that way. A rack switch deals the LIDs in order over its 12 ports up, so that a middle switch gets those of 3 residues of 12; it deals all LIDs over its 18 ports up, and the common divisor 6 leaves every second group of 3 ports without a path. So the anomaly follows from counting entries and the order of LIDs; no error in sorting is needed for it.",
	}}
}

func anomalyClaims(got map[string]*usage) []lab.Claim {
	name := plain.MinHop(plain.ByLeaf).Name
	links := lab.NewClaim("MinHop, whole tree: links without a path in one direction at least", "324 (25 %)")
	ports := lab.NewClaim("a middle switch: three ports with 16 destinations each, three with none, and so on", "16 16 16 0 0 0 ...")
	roots := lab.NewClaim("a root: every second port unused", "every second")
	both := lab.NewClaim("a failed link is harmless with 25 % probability (unused both ways)", "25 %")
	ours := lab.NewClaim("ours, beyond the paper: no port is unused", "-")
	if u := got["0 "+name]; u != nil {
		links.Judge(u.up == 324, "%d up, %d down of 1,296", u.up, u.down)
		ports.Judge(u.least == 16 && u.most == 16 && (strings.HasPrefix(u.middle, "16 16 16 0 0 0 16") || strings.HasPrefix(u.middle, "0 0 0 16 16 16 0")), "%s", u.middle)
		zeros := strings.Count(" "+u.roots+" ", " 0 ")
		roots.Judge(zeros == 18, "%s", u.roots)
		both.Judge(u.links == 324, "%d of 1,296 (%s)", u.links, percent(float64(u.links)/1296))
		var other []string
		for _, o := range []plain.Order{plain.InTurn, plain.AtRandom} {
			if v := got["0 "+plain.MinHop(o).Name]; v != nil {
				other = append(other, fmt.Sprintf("%s: %d up, %d down, %d both", o, v.up, v.down, v.links))
			}
		}
		why := "Experiment, other orders of LIDs: %s. The thesis counts unused ports of both kinds as links; one that is unused in one direction carries paths in the other."
		both.Explain(u.up == 324, why, strings.Join(other, "; "))
		for _, c := range []*lab.Claim{&links, &ports, &roots} {
			c.Explain(false, why, strings.Join(other, "; "))
		}
	}
	if u := got["0 ours"]; u != nil {
		ours.Judge(u.up == 0 && u.down == 0, "%d up, %d down", u.up, u.down)
	}
	return []lab.Claim{links, ports, roots, both, ours}
}
