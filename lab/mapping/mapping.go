// Package mapping reproduces the figures of Mainwaring, Chun, Schleimer and Wilkerson, "System Area
// Network Mapping", SPAA 1997 (paper 001), sections 5.1 to 5.5, and measures the conjectures of
// section 6.
//
// Of the three subclusters of the Berkeley NOW, only C is described well enough to be rebuilt; A
// and B are one choice of many. Experiments also join them to C differently, with the same numbers
// of hosts, switches and links. Times are modelled.
//
// mapping.go lists the artefacts. Their functions are in maps.go (Figs. 3 to 5), probes.go (6 and
// 10), times.go (7), growth.go (8 and 9) and beyond.go (sections 5.5 and 6).
package mapping

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"

	"weft/fabric/gen"
	"weft/lab"
	model "weft/mapping"
	"weft/mapping/algorithm"
	"weft/mapping/theory"
)

// sentences of the paper, with the claims that judge them.
//
//go:embed published/claims.tsv
var sentences string

// figures lists the artefacts that depend on the mapping host, the wiring and the collision rule.
var figures = []string{"fig6", "fig7", "fig8", "fig9", "fig10"}

// Reproduction returns the reproduction of the paper.
func Reproduction() *lab.Reproduction {
	return &lab.Reproduction{
		Name:      "mapping",
		Says:      "A host can map a network of switches without addresses by sending probes along relative turns. The paper proves the map correct in a network without traffic. The Berkeley algorithm maps 100 nodes in under a second, several times faster than Myricom's, and the map yields routes free of deadlock.",
		Sentences: sentences,
		Paper:     "Mainwaring, Chun, Schleimer and Wilkerson, \"System Area Network Mapping\", SPAA 1997 (paper 001).",
		Assumptions: "The paper describes only C well enough to rebuild it. A and B have its shape, and the printed numbers of hosts, switches and links.\n" +
			"Routing is cut-through, with 108 bytes of buffer per port (section 1.1). A probe has 200 bytes and its turns. A worm that met itself holds its wires for 55 ms.\n" +
			"Times are modelled: " + fittedTimes + " with the counts of Fig. 6. Myricom's mapper uses the same times, although it ran on another processor. It has " + fittedTries + ".\n" +
			"Every claim that holds with these constants is fitted, not only the figures that they were fitted to.\n" +
			"The depth is Q + D, except in fig9.",
		Plain:  plainWords,
		Finish: finish,
		Readings: []lab.Reading{
			{Name: otherMapper, Fitted: true, In: append(slices.Clone(figures), "random"), Text: "another host maps: a host at a switch of the first level of C, instead of the utility host on a root. The text on Fig. 4 names the utility host as the mapper. " +
				"All four counts of Fig. 6 are within 25 % with 99 of 100 hosts on C+A+B, all but the utility host, with 35 of 70 on C+A, and with 1 of 36 on C, the utility host (see hosts)."},
			{Name: rewiredReading, Chosen: true, Fitted: true, In: figures, Text: rewiredText},
			{Name: circuits, In: figures, Text: "circuit routing, the first model of section 2.3.1, instead of the cut-through routing of section 2.2. A message holds its whole path. If it meets itself it does so until a switch breaks it after 55 ms."},
			{Name: lateStarts, In: []string{"fig7"}, Text: "the mappers of an election start within 4 s, instead of 20 ms. The paper does not say how far apart they start."},
			{Name: oneOrder, In: []string{"fig9"}, Text: "one random order of hosts, instead of the mean of several. The paper shows one curve."},
			{Name: anyTurn, In: []string{"random"}, Text: "random probes take any turn, each as likely as another. Half of the turns of a switch with eight ports are illegal then. " +
				"The text says only that directions are random. Otherwise a turn is one that the switch can have by the wires known so far, and does not lead to a known host; at an unknown switch small turns are likelier, as section 3.3 says."},
		},
		Decisions: decisions,
		Artefacts: []lab.Artefact{
			{Name: "fig3", Title: "Components of the subclusters, counted in maps", Place: "Fig. 3", Seedless: true, Run: fig3},
			{Name: "fig4", Title: "Map of subcluster C", Place: "Fig. 4", Seedless: true, Run: fig4},
			{Name: "fig5", Title: "Map of the 100 nodes", Place: "Fig. 5", Seedless: true, Run: fig5},
			{Name: "fig6", Title: "Host and switch probes of the Berkeley algorithm", Place: "Fig. 6", Seedless: true, Run: fig6},
			{Name: "hosts", Title: "Probes of the Berkeley algorithm from every host", Place: "Fig. 6", Seedless: true, Run: hosts},
			{Name: "fig7", Title: "Mapping times, one master and election (modelled)", Place: "Fig. 7", Run: fig7},
			{Name: "fig8", Title: "Model graph over explorations", Place: "Fig. 8", Seedless: true, Run: fig8},
			{Name: "fig9", Title: "Time against responding hosts (modelled)", Place: "Fig. 9", Run: fig9},
			{Name: "fig10", Title: "Probes of the Myricom algorithm, and of all others", Place: "Fig. 10", Seedless: true, Run: fig10},
			{Name: "routes", Title: "Deadlock-free routes on the maps, tried, judged and distributed", Place: "section 5.5", Seedless: true, Run: routing},
			{Name: "growth", Title: "Probes on fat-trees of up to 1,280 switches", Place: "section 6", Seedless: true, Run: growth},
			{Name: "random", Title: "Probes of the algorithms that draw lots on fat-trees", Place: "section 6", Run: random},
		},
	}
}

// system is a row of Figs. 6, 7 and 10 as printed.
type system struct {
	name, formula                        string
	host, hostHits, toSwitch, switchHits int        // Fig. 6
	master, election                     [3]float64 // Fig. 7, min, avg, max, ms
	myricom
}

// myricom holds the printed numbers of Myricom's mapper on a system.
type myricom struct {
	loop, mHost, mSwitch, compare, total int     // probes, Fig. 10
	time, more, longer                   float64 // ms in Fig. 10; probes and time as multiples of Berkeley's in section 5.4
}

var systems = []system{
	{"C", "now-c", 200, 107, 250, 157, [3]float64{248, 256, 265}, [3]float64{277, 278, 282}, myricom{134, 713, 152, 450, 1449, 1414, 3.2, 5.5}},
	{"C+A", "now-ca", 412, 216, 491, 295, [3]float64{499, 522, 555}, [3]float64{569, 577, 587}, myricom{283, 1484, 329, 1234, 3330, 2197, 3.6, 3.9}},
	{"C+A+B", "now-cab", 804, 324, 1207, 727, [3]float64{981, 1011, 1208}, [3]float64{1065, 1298, 3332}, myricom{424, 2293, 611, 5089, 8413, 4009, 5.4, 3.9}},
}

// utility is the mapping host.
const utility = "host 35"

// Fitted constants of the model, in the words of the page.
const (
	fittedTimes = "450 us of software for an answered probe and 700 us for a silent one, fitted to the averages of Fig. 7"
	fittedTries = "five tries of a host-probe that stays silent, a number taken from Fig. 10"
)

// restOn marks claims as resting on fitted constants.
func restOn(what string, claims ...*lab.Claim) {
	for _, c := range claims {
		c.RestsOn = what
	}
}

// mapper returns the mapping host under the active readings.
func mapper(s *lab.Setup) string {
	if s.Reads(otherMapper) {
		return "host 0"
	}
	return utility
}

// rule returns the collision rule under the active readings. The network of section 2.2 uses
// cut-through routing.
func rule(s *lab.Setup) model.Collision {
	if s.Reads(circuits) {
		return model.Circuit
	}
	return model.CutThrough
}

// Readings of the paper.
const (
	otherMapper = "another mapper"
	circuits    = "circuits"
	lateStarts  = "late starts"
	oneOrder    = "one order"
	anyTurn     = "any turn"
)

// network returns one of the NOW networks, wired as in fabric/gen.
func network(formula string) *model.Network {
	return lab.Must(model.FromFabric(lab.Must(gen.Parse(formula))))
}

// wired returns the network of a system under the active readings, and whether the system is
// selected.
func (sys *system) wired(s *lab.Setup) (n *model.Network, wanted bool) {
	switch {
	case !s.Want(sys.name):
		return nil, false
	case sys.name != "C" && s.Reads(rewiredReading): // the wiring of C is known
		return lab.Must(rewired(sys.name == "C+A+B")), true
	}
	return network(sys.formula), true
}

// trial is a run of an algorithm from a host.
type trial struct {
	algorithm  string
	from       string          // name of the host, "" for the utility host
	depth      int             // 0 for Q + D
	seed       uint64          // of the randomised algorithms
	anyTurn    bool            // random probes take any turn
	responding []bool          // by host: whether it responds; nil if all do
	rule       model.Collision // "" for cut-through
	step       func(algorithm.Step)
	watch      func(model.Prober) model.Prober
}

func (t trial) run(ctx context.Context, n *model.Network) *algorithm.Result {
	a := lab.Must(algorithm.Find(t.algorithm))
	p, opt := t.prober(n, a)
	return lab.Must(a.Run(ctx, p, opt))
}

// prober returns the mapper of a trial, and its options.
func (t trial) prober(n *model.Network, a *algorithm.Algorithm) (model.Prober, *algorithm.Options) {
	host := lab.Must(n.FindHost(cmp.Or(t.from, utility)))
	if t.depth == 0 {
		t.depth = theory.FactsOf(n, host).Depth()
	}
	hardware := model.Myrinet
	hardware.Early = a.EarlyReplies
	var p model.Prober = model.NewMapper(model.NewModel(n, cmp.Or(t.rule, model.CutThrough), hardware), host,
		model.Conditions{SelfIdentifying: a.SelfIdentifying, Responding: t.responding})
	if t.watch != nil {
		p = t.watch(p)
	}
	return p, &algorithm.Options{Self: n.Hosts[host], Radix: n.Radix(), Depth: t.depth, Seed: t.seed, AnyTurn: t.anyTurn, Explored: t.step}
}

func count(n int) string { return fmt.Sprint(n) }

func ms(r *algorithm.Result) float64 { return r.Elapsed.Seconds() * 1000 }

// within reports whether ours is within 25 % of the paper's.
func within(ours, paper float64) bool { return ours <= 1.25*paper && ours >= 0.75*paper }

// near reports whether all pairs (ours, the paper's) are within 25 %.
func near(pairs ...[2]int) bool {
	for _, p := range pairs {
		if !within(float64(p[0]), float64(p[1])) {
			return false
		}
	}
	return true
}

// finding is our number on a network, and whether a claim holds there.
type finding struct {
	ours  string
	holds bool
}

// judge judges claims by findings, in order.
func judge(claims []lab.Claim, found ...finding) {
	for i, f := range found {
		claims[i].Judge(f.holds, "%s", f.ours)
	}
}
