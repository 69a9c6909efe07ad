package fattree

import (
	"fmt"

	"weft/lab"
)

const assumptionsI = "At full load nodes send without pause, below it at random times. Measurements last a millisecond after a warm-up of one, and half of both on fabrics of more than 1,000 nodes. Longer measurements change shares on 648 ports by less than a point.\n" +
	"Of Figs. 8 and 9 weft runs some distributions.\n" +
	"EFT counts the paths down each link, with dummy end ports on each leaf. A rack switch has several ways to the root of a destination. It takes \"the path that first reaches the rack switches\" (section II-A) and counts nothing. This is the EFT of the text. OpenSM's code also counts there (reading \"" + asInOpenSM + "\").\n" +
	"" + lab.HowNear

// reproductionI returns Paper I.
func reproductionI() *lab.Reproduction {
	m := &paperI{}
	racks := []string{"fig2", "fig5", "fig7", "ranger", "table2"}
	return &lab.Reproduction{
		Name:        "thesis-1",
		Says:        "The fat-tree routing of OpenSM in 2010 (EFT) loses throughput when nodes are missing or unevenly distributed. BEFT balances such trees: each node gets a predictable, high throughput, whatever the number and distribution of nodes. It gains up to 30 %.",
		Paper:       "Bogdański, Sem-Jacobsen, Reinemo, Skeie, Holen and Huse, \"Achieving Predictable High Performance in Imbalanced Fat Trees\", ICPADS 2010 (paper 004, Paper I).",
		Assumptions: fmt.Sprintf(hardware+assumptionsI, "4x SDR, 8 Gbit/s of data"),
		Sentences:   sentencesI,
		Plain:       plainI,
		Finish:      finishI,
		Decisions:   decisionsI,
		Cover:       "fig4",
		Found:       "BEFT balances trees without racks as the paper says. On 648 ports with racks it gains 43 to 65 % over EFT as the text has it, and nothing over EFT as OpenSM 3.3.5 has it, where at most 6 % is printed; on the Ranger-like fabric 39 to 52 % and 1 to 14 %, where at most 2 % is printed.",
		Readings: []lab.Reading{
			{
				Name: early, Chosen: true, Fitted: true, In: []string{"fig4", "fig5", "fig6", "fig7", "ranger", "fig8", "fig9"},
				Text: "uniform traffic is measured in the first millisecond (half of one above 1,000 nodes), from empty buffers on, not in the second. The paper does not say when it measures. Packets for busy links fill the buffers, and then all nodes wait for them: a short run does not see that.",
			},
			{
				Name: oneSequence, In: []string{"fig1", "fig2", "fig4", "fig5", "fig6", "fig7", "ranger", "table2", "fig8", "fig9"},
				Text: "EFT counts missing end ports in one sequence over all leaves (d-mod-k), not on each leaf by itself; rack switches choose among several ways by the same numbers. The paper does not say where OpenSM 3.3.5 put its dummy nodes.",
			},
			{
				Name: asInOpenSM, Chosen: true, ChosenIn: []string{"fig5", "fig7", "ranger", "table2"}, In: racks,
				Text: "EFT as in the code of OpenSM 3.3.5, which made the paper's tables. A missing end port counts only on the first link of its path, not on the links above. Of several ways to the root of a destination, a rack switch takes the link with the fewest paths. Then rack switches favour no leaf switch, against Fig. 2. This form does not give the gain that the paper prints either: on the fabric of Fig. 5 EFT gets as much as BEFT or up to 4 % more, on the Ranger-like one up to 17 % less. On trees without racks it gets the same.",
			},
			{
				Name: withoutZ, In: racks,
				Text: "BEFT without its two steps for rack switches (section II-B): option -Z is off by default (section IV-D).",
			},
		},
		Artefacts: []lab.Artefact{
			{Name: "fig1", Title: "Roots that few nodes are sent through", Place: "section II-A, Fig. 1", Seedless: true, Run: fig1of1},
			{Name: "fig2", Title: "Leaf switches that rack switches prefer", Place: "section II-A, Fig. 2", Seedless: true, Run: fig2of1},
			{Name: "fig4", Title: "Distributions of nodes, 648 ports", Place: "Table I (a), Fig. 4", Run: m.fig4},
			{Name: "fig5", Title: "Distributions of nodes, 648 ports with rack switches", Place: "Table I (c), Fig. 5", Run: m.fig5},
			{Name: "loads", Title: "Throughput against load, with ours", Place: "Figs. 4 and 5", Seedless: true, Run: m.loads},
			{Name: "fig6", Title: "Distributions of nodes, 3456 ports", Place: "Table I (b), Fig. 6", Run: m.fig6},
			{Name: "fig7", Title: "Distributions of nodes, JuRoPA-like", Place: "Table I (d), Fig. 7", Run: m.fig7},
			{Name: "ranger", Title: "Distributions of nodes, Ranger-like", Place: "section IV-A5", Run: m.ranger},
			{Name: "table2", Title: "Ring bandwidths of HPC Challenge", Place: "Table II", Blocks: 64, Run: ringTable},
			{Name: "fig8", Title: "Throughput against number of nodes, 648 ports", Place: "Fig. 8", Run: m.fig8},
			{Name: "fig9", Title: "Throughput against number of nodes, 3456 ports", Place: "Fig. 9", Run: m.fig9},
			{Name: "table3", Title: "Execution time", Place: "Table III", Measured: true, Seedless: true, Run: timesOfPaper1},
		},
	}
}
