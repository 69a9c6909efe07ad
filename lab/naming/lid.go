package naming

import (
	"weft/lab"
	"weft/route"
)

// The readings of paper 000.
const (
	mostLeft     = "most paths left first"
	cutLength    = "candidates cut"
	equallyShort = "equally short candidates"
	frozenDegree = "degrees at the start of a LID"
	fewestMerged = "fewest paths merged first"
	heaviestLink = "heaviest link"
	bySwitch     = "hosts by switch"
	byChance     = "links by chance"
	leftOut      = "long searches left out"
	widestNamed  = "renaming by shortest widest"
	newFirst     = "repaired paths first"
	treeFromTop  = "fat tree repaired from the top"
)

// LID returns the reproduction of paper 000.
func LID() *lab.Reproduction {
	st := &store{}
	return &lab.Reproduction{
		Name:      "lid",
		Says:      "To realise a set of paths with the fewest LIDs is NP-complete. Heuristics come close to the optimum, best of all color/L: the optimum saves less than 3 %. A routing that selects paths first and assigns LIDs afterwards carries less load on its busiest link, and needs fewer LIDs on large systems.",
		Found:     "Our engine nue, with one lane and one LID a machine, puts less than half of the load of separate on its busiest link, in every row of Table VI (2.17 against 4.64 with 128 machines on 16 switches).",
		Sentences: readSentences("lid"),
		Paper:     "Nienaber, Yuan and Duan, \"LID Assignment in InfiniBand Networks\", IEEE TPDS 20(4), 2009 (paper 000).",
		Assumptions: "Random networks have exactly 4 links per switch between uniformly drawn pairs, the average degree of 8. The paper draws them by GT-ITM and only gives the average. Machines, the root of up*/down* and the order of machines are drawn uniformly.\n" +
			"Paths are computed and get LIDs in the order of their source, then of their destination. Among equals the first link of a switch wins. If the text leaves a choice open, weft takes the one that matches the LIDs of Table I best; these choices are fitted, and readings show the others.\n" +
			"The papers of SRD and of path selection were not available. SRD joins a switch to the tree where the fewest paths pass so far; which path a full link loses is a reading.\n" +
			"A machine with k LIDs gets the next power of two. In Fig. 11 the root of up*/down* is a leaf.\n" +
			"The paper's sample is 32 networks. A seed block has 4 in Tables I, II and VI (2 with 512 machines; four times as many for SRD and renaming), 4 in Tables III to V, and 16 in the figures, whose sample the paper does not give. Tables I to IV and VI and their charts show the paper's 32 (16 with 512 machines). Verdicts use all blocks, so a cell may be on the other side than its claim.\n" +
			"A mean counts as the printed one within 10 %, a printed difference in percent within a quarter of it (or 0.1 points, if it is that small).\n" +
			"Words: close to the optimum is within 3 %, significantly worse more than 5 %, about as much 2 points, 12 to 17 % is 11.5 to 17.5. More and fewer are at least 0.01.\n" +
			"In Tables III and IV the optimum is the fewest LIDs that an exact search finds, proven or not (a remark in the table says so), and no network is replaced. In Table V the search has 4 nodes for a programme, instead of 4 h of lp_solve.\n" +
			"lab/naming/published/lid_claims.tsv lists statements that nothing judges, with the reason.",
		Plain:     plainLID,
		Decisions: decisionsLID,
		Readings:  lidReadings,
		Artefacts: []lab.Artefact{
			{Name: "table1", Title: "LIDs of five heuristics, shortest widest", Place: "Table I", Blocks: 256, Run: st.lidTable1},
			{Name: "table2", Title: "LIDs of five heuristics, path selection", Place: "Table II", Blocks: 128, Run: st.lidTable2},
			{Name: "table3", Title: "Optimum, greedy and color/L, shortest widest", Place: "Table III", Blocks: 128, Run: st.lidTable3},
			{Name: "table4", Title: "Optimum, greedy and color/L, path selection", Place: "Table IV", Blocks: 256, Run: st.lidTable4},
			{Name: "table5", Title: "Networks that a bounded search finished against all networks", Place: "Table V", Blocks: 128, Run: st.lidTable5},
			{Name: "table6", Title: "Maximum link load and LIDs of whole routings", Place: "Table VI", Blocks: 128, Run: st.lidTable6},
			{Name: "fig10", Title: "LIDs on tori with broken links", Place: "Fig. 10", Run: st.lidFig10},
			{Name: "fig11", Title: "LIDs on an 8-port 3-tree with broken links", Place: "Fig. 11", Blocks: 64, Run: st.lidFig11},
		},
	}
}

// irregularTables are the artefacts with random networks, selectionTables with paths by path
// selection, brokenFigures with broken links.
var (
	irregularTables = []string{"table1", "table2", "table3", "table4", "table5", "table6"}
	selectionTables = []string{"table2", "table4", "table5", "table6"}
	brokenFigures   = []string{"fig10", "fig11"}
)

var lidReadings = []lab.Reading{
	{
		Name: mostLeft, Chosen: true, Fitted: true, In: selectionTables,
		Text: "path selection removes, of the paths on the most loaded link, the longest of the pair of machines with most paths left. By the letter any may go, and weft draws one.",
	},
	{
		Name: frozenDegree, Chosen: true, Fitted: true,
		Text: "color/L and color/S count the splits of a path from all paths without a LID at the start of the current LID. By the letter of Fig. 9 they count splits from the paths that can still have it.",
	},
	{
		Name: widestNamed, Chosen: true, Fitted: true, In: []string{"table6"},
		Text: "destination renaming uses the paths of shortest widest; Table VI repeats their LIDs within 1 %. The text says only that it uses shortest paths.",
	},
	{
		Name: cutLength, In: selectionTables,
		Text: "the 16 candidates of path selection are at most one hop longer than the shortest path. The text has no such bound.",
	},
	{
		Name: equallyShort, In: selectionTables,
		Text: "the candidates of path selection are at most 16 shortest paths of a pair, all of the same length. The text names an algorithm for the k shortest paths, and no length.",
	},
	{
		Name: fewestMerged, In: []string{"table1", "table2"},
		Text: "split-merge merges the sets with the fewest different paths first. The text does not say in which order.",
	},
	{
		Name: heaviestLink,
		Text: "in shortest widest a path weighs as much as its heaviest link, instead of the sum of its links.",
	},
	{
		Name: bySwitch, In: irregularTables,
		Text: "machines are taken in the order of their switches. The letter draws them one after another, so machines of a switch do not follow each other.",
	},
	{
		Name: byChance, In: irregularTables,
		Text: "a link joins each pair of switches with probability 8/(switches-1), so the number of links varies.",
	},
	{
		Name: leftOut, In: []string{"table3", "table4"},
		Text: "weft replaces networks that the search does not finish with 4 nodes for a programme, by one of the next 4 if there is one. The paper replaces networks that take lp_solve more than 4 h.",
	},
	{
		Name: newFirst, In: brokenFigures,
		Text: "paths that replace broken ones come first among those to a machine.",
	},
	{
		Name: treeFromTop, In: []string{"fig11"},
		Text: "paths over broken links of the fat tree keep the up*/down* rule with a switch at the top as its root. Otherwise the root is a leaf, which keeps all shortest paths.",
	},
}

// choice returns one of two values of an option, depending on a reading.
func choice(s *lab.Setup, reading, with, without string) string {
	if s.Reads(reading) {
		return with
	}
	return without
}

// pathOptions returns the options of a path computation under the active readings.
func pathOptions(s *lab.Setup, algorithm string) route.Options {
	weight, order := choice(s, heaviestLink, "heaviest", "sum"), choice(s, bySwitch, "switch", "drawn")
	repaired := choice(s, newFirst, "first", "last")
	switch algorithm {
	case "shortest-widest":
		return route.Options{"weight": weight, "order": order}
	case "path-selection":
		detour := -1
		switch {
		case s.Reads(equallyShort):
			detour = 0
		case s.Reads(cutLength):
			detour = 1
		}
		return route.Options{"detour": detour, "order": order, "remove": choice(s, mostLeft, "most", "drawn")}
	case "dor":
		return route.Options{"weight": weight, "repaired": repaired}
	case "mport":
		return route.Options{"weight": weight, "repaired": repaired, "repair": choice(s, treeFromTop, "top", "leaf")}
	}
	return nil
}

// blockNetworks returns the number of networks of a table row in a seed block; the largest rows use
// half.
func blockNetworks(s *lab.Setup) int { return lab.Pick(s, 2, 4) }

// spareNetworks is the number of extra networks that Table V tries, in case the search does not
// finish some.
const spareNetworks = 4

// shownNetworks returns the number of networks of a row in Tables I to IV and VI and their charts:
// the paper's 32; the largest rows use half. Claims use only the first ones, judged of them. If no
// table is kept, the others are not run.
func shownNetworks(s *lab.Setup, judged int) int {
	if s.ClaimsOnly {
		return judged
	}
	return max(judged, lab.Pick(s, 2, 32))
}

// brokenNetworks returns the number of networks for each number of broken links in Figs. 10 and 11:
// half of the paper's.
func brokenNetworks(s *lab.Setup) int { return lab.Pick(s, 2, 16) }

// sampleSize returns n, or half of it for the largest configurations, which take longest.
func (c conf) sampleSize(n int) int {
	if c.machines > 256 {
		return n / 2
	}
	return n
}

// inMode reports whether the mode includes a row: the quick mode leaves out 512 machines.
func (c conf) inMode(s *lab.Setup) bool { return c.machines <= lab.Pick(s, 256, 512) }

// wanted reports whether a row is selected.
func wanted(s *lab.Setup, c conf) bool { return c.inMode(s) && s.Want(c.String()) }
