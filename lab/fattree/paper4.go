package fattree

import (
	"fmt"

	"weft/lab"
)

const assumptionsIV = "Nodes send without pause. All packets carry 2 kB; the paper has messages of 2 kB in packets of 84 B to 2 kB.\n" +
	"Measurements last half a millisecond after a warm-up of the same length.\n" +
	"The same parts fail for all engines, drawn anew for each number of failures. Four random rings stand for the paper's thirty, one draw of the traffic for its sixteen, and seven numbers for its 0 to 85 failed links.\n" +
	"A share counts as larger than another from half a point on.\n" +
	"MinHop is OpenSM's, by table entries in order of leaves; LASH takes the first port.\n" +
	"" + lab.HowNear

// reproductionIV returns Paper IV.
func reproductionIV() *lab.Reproduction {
	m := &paperIV{}
	figures := []string{"fig2", "fig3", "fig4", "fig5"}
	return &lab.Reproduction{
		Name:        "thesis-4",
		Says:        "OpenSM's fat-tree routing gives up or loses balance on trees with failures. With better discovery of the tree it degrades predictably, and it remains the best choice even for severely degraded trees.",
		Paper:       "Bogdański, Johnsen, Reinemo and Sem-Jacobsen, \"Discovery and Routing of Degraded Fat-Trees\", PDCAT 2012 (paper 004, Paper IV).",
		Assumptions: fmt.Sprintf(hardware+assumptionsIV, "4x DDR, 16 Gbit/s of data"),
		Sentences:   sentencesIV,
		Plain:       plainIV,
		Finish:      finishIV,
		Decisions:   decisionsIV,
		Cover:       "fig2",
		Found:       "Fat-tree routing survives every failure. But one failed link halves its uniform throughput here, because one cable then carries packets for two hosts, and DFSSSP is ahead from there on.",
		Readings: []lab.Reading{
			{
				Name: earlyIV, Chosen: true, Fitted: true, In: []string{"fig2", "fig3"},
				Text: "uniform traffic is measured in the first half millisecond, from empty buffers on, not in the second. The paper does not say when it measures; the same reading as in thesis-1.",
			},
			{
				Name: firstWay, In: figures,
				Text: "under fat-tree routing a rack switch takes the first of several ways to the root of a destination, and counts nothing, as Paper I says of OpenSM 3.3.5.",
			},
			{Name: inTurn, In: append([]string{"anomaly"}, figures...), Text: "one host of every switch gets a LID, then the next of each. The text does not say; by the letter weft goes by leaf."},
			{Name: atRandom, In: append([]string{"anomaly"}, figures...), Text: "hosts get LIDs at random."},
		},
		Artefacts: []lab.Artefact{
			{Name: "anomaly", Title: "Ports that MinHop leaves unused", Place: "sections IV-D, VII-A and VII-B", Blocks: 64, Run: anomaly},
			{Name: "fig2", Title: "Uniform traffic, failing links", Place: "Fig. 2", Blocks: 32, Run: m.fig2},
			{Name: "fig3", Title: "Uniform traffic, failing switches", Place: "Fig. 3", Blocks: 64, Run: m.fig3},
			{Name: "fig4", Title: "Random rings, failing links", Place: "Fig. 4", Blocks: 32, Run: m.fig4},
			{Name: "fig5", Title: "Random rings, failing switches", Place: "Fig. 5", Blocks: 64, Run: m.fig5},
			{Name: "beyond", Title: "Ours beside the paper's engines", Place: "beyond the paper", Seedless: true, Run: m.beyond},
			{Name: "default", Title: "Ours without options beside the paper's", Place: "beyond the paper", Seedless: true, Run: ofDefault},
		},
	}
}
