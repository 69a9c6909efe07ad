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
	"weft/sim/flow"
)

// usage counts the channels between levels that paths between hosts use.
type usage struct {
	channels              int // all channels up
	up, down              int // channels up, and down, without a path
	fromRoots, rootUnused int // channels down from roots, and those without a path
	links                 int // links without a path in one direction or both
	least, most           int64
	middle, roots         string // ports in use of the first middle switch and root
}

// unused counts the ports without a path. Targets are destinations on a channel.
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
		case from < to:
			u.channels++
		case from == t.top:
			u.fromRoots++
			if p.Loads[c] == 0 {
				u.rootUnused++
			}
		}
		switch {
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

// pattern prints the number of paths to destinations on each port of a switch, in order of port.
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
func anomalyEngines(s *lab.Setup) []lab.Candidate {
	return append(append([]lab.Candidate{enginesIV(s)[2]}, enginesIV(s)[:2]...), enginesOfWeft[:2]...)
}

// anomaly counts the ports that MinHop leaves unused on the whole tree, and with failed
// switches.
func anomaly(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "anomaly", Title: "Channels between levels without a path between nodes: of 1,296 up and as many down, on the whole tree",
		Columns: []string{"failed switches", "engine", "unused up", "unused down", "of them from roots", "links unused both ways", "destinations on a used channel to a root", "those on the first middle switch, by port", "on the first root, by port", "deadlock"},
	}
	intact := lab.Must(gen.Parse(degradedBase))
	got, loops := map[int]*usage{}, 0
	for _, failed := range switchesOfPaper() {
		number := fmt.Sprint(failed)
		build := func() *fabric.Graph {
			return degrade(intact, wholeSwitch, failed, rand.New(rand.NewPCG(s.SeedOf(number), 0))).Compile()
		}
		s.Each(ctx, number, build, anomalyEngines(s), func(e *lab.Candidate, trial *lab.Trial) {
			mustBeRouted(e, trial)
			u := unused(ctx, s, treeOf(intact, trial.Graph), trial)
			if e.Name == "MinHop" {
				got[failed] = u
				if trial.Deadlock() == "possible" {
					loops++
				}
			}
			middle, roots := "-", "-"
			if failed == 0 {
				middle, roots = u.middle, u.roots
			}
			t.Add(number, e.Name, fmt.Sprint(u.up), fmt.Sprint(u.down), fmt.Sprint(u.rootUnused), fmt.Sprint(u.links), extent{u.least, u.most, true}.String(), middle, roots, trial.Deadlock())
		})
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: anomalyClaims(got, loops), Notes: []string{
		"MinHop by entries counts the table entries of a port whether or not a path to them comes that way. A rack switch deals the LIDs in order over its 12 ports up, so that a middle switch gets those of 3 residues of 12; it deals all LIDs over its 18 ports up, and the common divisor 6 leaves every second group of 3 ports without a path. So the anomaly follows from counting entries and the order of LIDs; no error in sorting is needed for it.",
		"The paper says that MinHop finds minimal paths among all endpoints and usually leads to credit loops, not of which traffic. Counted are loops of paths between nodes, as in all that it measures; the thesis has the same sentence with nodes for endpoints (section 2). " +
			"On these trees minimal paths between nodes go up and then down, and close none. Where the table has \"hosts none\", paths of switches close one.",
		"The thesis counts unused ports of both kinds as links: 324 ports up have no path, and 324 down, but 108 of each are the one end of a link whose other direction carries paths.",
	}}
}

func anomalyClaims(got map[int]*usage, loops int) []lab.Claim {
	ports := lab.NewClaim("MinHop, a middle switch: three ports with 16 destinations each, three with none, and so on", "16 16 16 0 0 0 ...")
	roots := lab.NewClaim("MinHop, a root: every second port unused", "every second")
	links, ok := 0., false
	if u := got[0]; u != nil {
		links, ok = float64(u.links), true
		ports.Judge(u.least == 16 && u.most == 16 && (strings.HasPrefix(u.middle, "16 16 16 0 0 0 16") || strings.HasPrefix(u.middle, "0 0 0 16 16 16 0")), "%s", u.middle)
		roots.Judge(strings.Count(" "+u.roots+" ", " 0 ") == 18, "%s", u.roots)
	}
	none := lab.RangeClaim{Claim: lab.NewClaim("MinHop, whole tree: links without a path", "324"), Low: 324, High: 324, Format: "%.0f"}
	up := func(u *usage) float64 { return 100 * float64(u.up) / float64(u.channels) }
	return []lab.Claim{
		ports, roots, none.JudgedBy(links, ok),
		unusedShare(got, up, "whole tree and one failed switch, each: upward ports that MinHop leaves unused", "25 %", 23, 27, 0, 1),
		unusedShare(got, up, "2 and 3 failed switches, each: MinHop balances, upward ports unused", "proper path balancing", 0, 1, 2, 3),
		unusedShare(got, up, "4 and 5 failed switches, each: MinHop does not, upward ports unused", "lack of proper balancing", 10, lab.Most, 4, 5),
		unusedShare(got, up, "6 and 7 failed switches, each: MinHop balances upward, upward ports unused", "proper balancing, but only for middle-stage switches", 0, 1, 6, 7),
		unusedShare(got, func(u *usage) float64 { return 100 * float64(u.rootUnused) / float64(u.fromRoots) },
			"6 and 7 failed switches, each: downward ports of roots that MinHop leaves unused", "there are unused ports", lab.Noise, lab.Most, 6, 7),
		lab.InRange("MinHop: trees with 0 to 7 failed switches on which paths between nodes close a credit loop", "usually leads to credit loops", 50, lab.Most).JudgedBy(100*float64(loops)/8, len(got) == 8),
	}
}

// unusedShare returns a claim about the share of ports without a path, for each number of failed
// switches.
func unusedShare(got map[int]*usage, share func(*usage) float64, text, paper string, low, high float64, numbers ...int) lab.Claim {
	c := lab.InRange(text, paper, low, high).Each()
	for _, n := range numbers {
		ours, u := 0., got[n]
		if u != nil {
			ours = share(u)
		}
		c.Add(fmt.Sprintf("%d failed", n), ours, u != nil)
	}
	return c.Judged()
}
