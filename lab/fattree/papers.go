package fattree

import "weft/lab"

// Reproductions are the papers of the thesis that static analysis and the flow level
// can answer.
func Reproductions() []*lab.Reproduction {
	return []*lab.Reproduction{
		{
			Name:  "thesis-1",
			Paper: "Bogdański, Sem-Jacobsen, Reinemo, Skeie, Holen and Huse, \"Achieving Predictable High Performance in Imbalanced Fat Trees\", ICPADS 2010 (paper 004, Paper I).",
			Artefacts: []lab.Artefact{
				{Name: "fig1", Title: "Roots that few nodes are sent through", Place: "section II-A, Fig. 1", Run: fig1of1},
				{Name: "fig2", Title: "Leaf switches that rack switches prefer", Place: "section II-A, Fig. 2", Run: fig2of1},
				{Name: "fig4", Title: "Distributions of nodes, 648 ports", Place: "Table I (a), Fig. 4", Run: fig4of1},
				{Name: "fig5", Title: "Distributions of nodes, 648 ports with rack switches", Place: "Table I (c), Fig. 5", Run: fig5of1},
				{Name: "fig6", Title: "Distributions of nodes, 3456 ports", Place: "Table I (b), Fig. 6", Run: fig6of1},
				{Name: "fig7", Title: "Distributions of nodes, JuRoPA-like", Place: "Table I (d), Fig. 7", Run: fig7of1},
				{Name: "ranger", Title: "Distributions of nodes, Ranger-like", Place: "section IV-A5", Run: rangerOf1},
				{Name: "table2", Title: "Ring bandwidths of HPC Challenge", Place: "Table II", Run: rings},
				{Name: "fig8", Title: "Throughput against number of nodes, 648 ports", Place: "Fig. 8", Run: fig8},
				{Name: "fig9", Title: "Throughput against number of nodes, 3456 ports", Place: "Fig. 9", Run: fig9},
				{Name: "table3", Title: "Execution time", Place: "Table III", Measured: true, Run: timesOfPaper1},
			},
		},
		{
			Name:  "thesis-3",
			Paper: "Bogdański, Reinemo, Sem-Jacobsen and Gran, \"sFtree: A Fully Connected and Deadlock-Free Switch-to-Switch Routing Algorithm for Fat-Trees\", ACM TACO 8(4), 2012 (paper 004, Paper III).",
			Artefacts: []lab.Artefact{
				{Name: "switches", Title: "Switches that reach each other", Place: "sections 1, 4 and 5", Run: switchToSwitch},
				{Name: "table3", Title: "Throughput under five engines, nodes and switches sending", Place: "Table III", Run: fiveEngines},
				{Name: "lanes", Title: "Lanes that LASH needs", Place: "section 7.2.3", Run: lashLanes},
				{Name: "table4", Title: "Execution time", Place: "Table IV", Measured: true, Run: timesOfPaper3},
			},
		},
		{
			Name:  "thesis-4",
			Paper: "Bogdański, Johnsen, Reinemo and Sem-Jacobsen, \"Discovery and Routing of Degraded Fat-Trees\", PDCAT 2012 (paper 004, Paper IV).",
			Artefacts: []lab.Artefact{
				{Name: "anomaly", Title: "Ports that MinHop leaves unused", Place: "section VII-A", Run: anomaly},
				{Name: "fig2", Title: "Uniform traffic, failing links", Place: "Fig. 2", Run: fig2},
				{Name: "fig3", Title: "Uniform traffic, failing switches", Place: "Fig. 3", Run: fig3},
				{Name: "fig4", Title: "Random rings, failing links", Place: "Fig. 4", Run: fig4},
				{Name: "fig5", Title: "Random rings, failing switches", Place: "Fig. 5", Run: fig5},
			},
		},
		{
			Name:  "thesis-6",
			Paper: "Bogdański, Johnsen and Reinemo, \"Multi-homed Fat-Tree Routing with InfiniBand\", Euromicro PDP 2014 (paper 004, Paper VI).",
			Artefacts: []lab.Artefact{
				{Name: "topologies", Title: "The topologies", Place: "section V-C", Run: topologies},
				{Name: "redundancy", Title: "Every single switch failed, nodes with two ports", Place: "sections IV-A and VI-A", Run: redundancy},
				{Name: "fig4", Title: "Uniform traffic", Place: "Fig. 4", Run: uniformOfTwoPorts},
				{Name: "fig5", Title: "Shift traffic", Place: "Fig. 5", Run: shiftOfTwoPorts},
				{Name: "fig6", Title: "Recursive doubling", Place: "Fig. 6", Run: doublingOfTwoPorts},
				{Name: "table1", Title: "Execution time", Place: "Table I", Measured: true, Run: timesOfPaper6},
			},
		},
	}
}
