package dfsssp

import "weft/lab"

// Reproduction returns the reproduction of the paper.
func Reproduction() *lab.Reproduction {
	p := &paper{}
	return &lab.Reproduction{
		Name:        "dfsssp",
		Says:        "DFSSSP routes any network along shortest paths that are balanced over the whole network. It avoids deadlock by dividing the paths among few virtual lanes. On real systems it raises the effective bandwidth by up to a factor of two, and applications run up to 95 % faster.",
		Paper:       "Domke, Hoefler and Nagel, \"Deadlock-Free Oblivious Routing for Arbitrary Topologies\", IPDPS 2011 (paper 003).",
		Assumptions: assumptions,
		Plain:       plainWords,
		Decisions:   decisions,
		Finish:      finish,
		Readings:    readings,
		Sentences:   sentences,
		Artefacts: []lab.Artefact{
			{Name: "fig2", Title: "A ring on which SSSP deadlocks", Place: "Fig. 2", Seedless: true, Run: p.fig2},
			{Name: "table1", Title: "Networks given by parameters", Place: "Table I", Seedless: true, Run: p.table1},
			{Name: "heuristics", Title: "Lanes by heuristic, random networks of 64 switches", Place: "section IV", Run: p.heuristics},
			{Name: "layering", Title: "Offline against online layering", Place: "section IV", Measured: true, Seedless: true, Run: p.layering},
			{Name: "fig4", Title: "Effective bisection bandwidth, six real systems", Place: "Fig. 4", Blocks: 64, Run: p.fig4},
			{Name: "fig5", Title: "Effective bisection bandwidth, XGFT", Place: "Fig. 5", Run: p.fig5},
			{Name: "fig6", Title: "Effective bisection bandwidth, Kautz", Place: "Fig. 6", Run: p.fig6},
			{Name: "fig7", Title: "Run time, k-ary n-trees", Place: "Fig. 7", Measured: true, Seedless: true, Run: p.fig7},
			{Name: "fig8", Title: "Run time, six real systems", Place: "Fig. 8", Measured: true, Seedless: true, Run: p.fig8},
			{Name: "fig9", Title: "Lanes on random networks of 128 switches", Place: "Fig. 9", Run: p.fig9},
			{Name: "fig10", Title: "Lanes on six real systems", Place: "Fig. 10", Seedless: true, Run: p.fig10},
			{Name: "fig12", Title: "Netgauge's effective bisection bandwidth on Deimos", Place: "Fig. 12", Run: p.fig12},
			{Name: "fig13", Title: "All-to-all on Deimos", Place: "Fig. 13", Run: p.fig13},
			{Name: "fig14", Title: "NAS BT and SP on Deimos: communication", Place: "Figs. 14 and 15", Blocks: 128, Run: p.fig14},
			{Name: "fig16", Title: "NAS FT on Deimos: communication", Place: "Fig. 16", Run: p.fig16},
			{Name: "table2", Title: "Six NAS benchmarks, 1,024 cores on Deimos: communication", Place: "Table II", Run: p.table2},
		},
	}
}
