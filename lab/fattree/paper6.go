package fattree

import "weft/lab"

const assumptionsVI = "Figures 3 to 6 are simulations of packets. All links carry 16 Gbit/s (4x DDR), also both ports of a node at once, to match the 3,795 MB/s of figure 3. A packet has 2,048 bytes of payload.\n" +
	"MFtree chooses the way down to a port by algorithms 2 to 4. The paper prints no rule for the links up; its text says that traffic to both ports of a node \"is separated from each other from the very beginning\" (section VI-B). So a switch sends to them over different links. Of links with equally many paths it takes the one where the packets of the fewest leaves come up. Both rules are ours.\n" +
	"Each input has 16 KB of buffer with a queue for each output, one lane, round robin.\n" +
	"Ports send without pause and begin at once. A message has 84 to 2,048 bytes, all sizes equally likely (\"variable length\"). A port continues with the next target when its message is sent.\n" +
	"Nodes are in random order, and sequences start again at their end. Throughput is the payload that a port receives, in 250 us after 125 us.\n" +
	"" + lab.HowNear + " A ratio of times counts as found from half to twice of it."

// reproductionVI returns Paper VI.
func reproductionVI() *lab.Reproduction {
	m := &paperVI{}
	figures := []string{"fig4", "fig5", "fig6"}
	return &lab.Reproduction{
		Name:        "thesis-6",
		Says:        "A node with two ports gains nothing if both paths cross the same spine. mFtree gives the ports of a node disjoint paths, so a failed spine interrupts no node. It performs up to 52.6 % better than classic fat-tree routing, at a similar execution time.",
		Paper:       "Bogdański, Johnsen and Reinemo, \"Multi-homed Fat-Tree Routing with InfiniBand\", Euromicro PDP 2014 (paper 004, Paper VI).",
		Assumptions: assumptionsVI,
		Sentences:   sentencesVI,
		Plain:       plainVI,
		Finish:      finishVI,
		Decisions:   decisionsVI,
		Cover:       "fig6",
		Found:       "A failed spine interrupts no node with mFtree, and all nodes without it. Its gains in throughput are not found: they depend on rules for the links up, which the paper does not print.",
		Readings: []lab.Reading{
			{Name: printedAlone, In: append([]string{"redundancy"}, figures...), Text: "mFtree without our two rules for the links up: algorithms 2 to 4, which choose the way down, and least loaded links up as before. Then half of the pairs of ports and more share a middle switch on trees of three stages, a tenth of the channels carries nothing, and even uniform traffic loses most of its throughput. So the paper's code must have had a rule that it does not print."},
			{Name: inOrder, In: figures[1:], Text: "nodes are in order of leaves and ports. The paper says \"random node-ordering\"."},
			{Name: longMessages, In: figures, Text: "all messages have 16 KB. The paper says \"variable length packets\", of messages nothing."},
			{Name: oneQueue, In: figures, Text: "an input buffer is one queue, where a packet waits for the packets before it. The paper says nothing of its switches' buffers."},
			{Name: firstWay, In: append([]string{"redundancy"}, figures...), Text: "a leaf switch takes the first of several ways to the spine of a destination, and counts nothing, as Paper I says of OpenSM 3.3.5; mFtree keeps its rules."},
		},
		Artefacts: []lab.Artefact{
			{Name: "topologies", Title: "The topologies", Place: "section V-C", Seedless: true, Run: topologies},
			{Name: "redundancy", Title: "Every single switch failed, nodes with two ports", Place: "sections IV-A and VI-A", Seedless: true, Run: redundancy},
			{Name: "fig3", Title: "Throughput while a spine reboots", Place: "section VI-A, Fig. 3", Seedless: true, Run: reboot},
			{Name: "fig4", Title: "Uniform traffic", Place: "Fig. 4", Run: m.fig4},
			{Name: "fig5", Title: "Shift traffic", Place: "Fig. 5", Run: m.fig5},
			{Name: "fig6", Title: "Recursive doubling", Place: "Fig. 6", Run: m.fig6},
			{Name: "beyond", Title: "Ours beside both", Place: "beyond the paper", Seedless: true, Run: m.beyond},
			{Name: "table1", Title: "Execution time", Place: "Table I", Measured: true, Seedless: true, Run: timesOfPaper6},
		},
	}
}
