package dfsssp

import "weft/lab"

// Reproduction is the paper.
func Reproduction() *lab.Reproduction {
	return &lab.Reproduction{
		Name:  "dfsssp",
		Paper: "Domke, Hoefler and Nagel, \"Deadlock-Free Oblivious Routing for Arbitrary Topologies\", IPDPS 2011 (paper 003).",
		Artefacts: []lab.Artefact{
			{Name: "table1", Title: "Networks given by parameters", Place: "Table I", Run: table1},
			{Name: "heuristics", Title: "Lanes by heuristic, random networks of 64 switches", Place: "section IV", Run: heuristics},
			{Name: "layering", Title: "Offline against online layering", Place: "section IV", Measured: true, Run: layering},
			{Name: "fig4", Title: "Effective bisection bandwidth, six real systems", Place: "Fig. 4", Run: fig4},
			{Name: "fig5", Title: "Effective bisection bandwidth, XGFT", Place: "Fig. 5", Run: fig5},
			{Name: "fig6", Title: "Effective bisection bandwidth, Kautz", Place: "Fig. 6", Run: fig6},
			{Name: "fig7", Title: "Run time, k-ary n-trees", Place: "Fig. 7", Measured: true, Run: fig7},
			{Name: "fig8", Title: "Run time, six real systems", Place: "Fig. 8", Measured: true, Run: fig8},
			{Name: "fig9", Title: "Lanes on random networks of 128 switches", Place: "Fig. 9", Run: fig9},
			{Name: "fig10", Title: "Lanes on six real systems", Place: "Fig. 10", Run: fig10},
			{Name: "fig12", Title: "Netgauge's effective bisection bandwidth on Deimos (estimate)", Place: "Fig. 12", Run: fig12},
			{Name: "fig13", Title: "All-to-all time on Deimos (estimate)", Place: "Fig. 13", Run: fig13},
			{Name: "fig14", Title: "NAS BT on Deimos (estimate of its communication)", Place: "Fig. 14", Run: fig14},
			{Name: "fig15", Title: "NAS SP on Deimos (estimate of its communication)", Place: "Fig. 15", Run: fig15},
			{Name: "fig16", Title: "NAS FT on Deimos (estimate of its communication)", Place: "Fig. 16", Run: fig16},
			{Name: "table2", Title: "Six NAS benchmarks, 1,024 cores on Deimos (estimate of their communication)", Place: "Table II", Run: table2},
		},
	}
}
