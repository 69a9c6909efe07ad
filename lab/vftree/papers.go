package vftree

import (
	_ "embed"

	"weft/lab"
)

// publishedNumbers are the improvements that the text gives, by topology, hot-spots and lanes.
//
//go:embed published/p2_text_numbers.tsv
var publishedNumbers string

// Reproduction is the paper.
func Reproduction() *lab.Reproduction {
	return &lab.Reproduction{
		Name:  "thesis-2",
		Paper: "Guay, Bogdański, Reinemo, Lysne and Skeie, \"vFtree - A Fat-tree Routing Algorithm using Virtual Lanes to Alleviate Congestion\", IPDPS 2011 (paper 004, Paper II).",
		Artefacts: []lab.Artefact{
			{Name: "fig5", Title: "A victim of a hot-spot: plain, with congestion control, on a lane of its own", Place: "section II-B, Figs. 5 and 6", Run: fig5},
			{Name: "fig8", Title: "Two victims, three contributors, 1 to 3 lanes", Place: "section VII-A1, Figs. 7 (a) and 8", Run: fig8},
			{Name: "fig10", Title: "Hot-spots on 648 ports with 1 to 8 lanes", Place: "section VII-B, Fig. 10", Run: fig10},
		},
	}
}
