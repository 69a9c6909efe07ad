package fattree

import "weft/lab"

const assumptionsVI = "Figures 3 to 6 are simulations of packets. All links carry 16 Gbit/s (4x DDR), also those of both ports of a node at once, " +
	"so that the 3,795 MB/s of figure 3 fit; 2,048 bytes of payload a packet; 16 KB of buffer for each input and lane, with a queue for each output, one lane, round robin. " +
	"Ports send without pause and begin at once; a message has 84 to 2,048 bytes, all sizes alike (\"variable length\"), and a port goes on to the next target when its message is sent. " +
	"Nodes are in random order, and sequences begin again when they are through. Throughput is payload that a port takes, in 250 us after 125 us." + lab.HowNear +
	" A ratio of times is found from half of it to twice."

// reproductionVI returns Paper VI.
func reproductionVI() *lab.Reproduction {
	m := &paperVI{}
	figures := []string{"fig4", "fig5", "fig6"}
	return &lab.Reproduction{
		Name:        "thesis-6",
		Says:        "A node with two ports gains nothing if both paths cross the same spine. mFtree gives the ports of a node disjoint paths, so a failed spine interrupts no node. It performs up to 52.6 % better than classic fat-tree routing, at a similar execution time.",
		Paper:       "Bogdański, Johnsen and Reinemo, \"Multi-homed Fat-Tree Routing with InfiniBand\", Euromicro PDP 2014 (paper 004, Paper VI).",
		Assumptions: assumptionsVI,
		Plain:       plainVI,
		Finish:      finishVI,
		Readings: []lab.Reading{
			{Name: inOrder, In: figures[1:], Text: "nodes are in order of leaves and ports. The paper says \"random node-ordering\"."},
			{Name: longMessages, In: figures, Text: "all messages have 16 KB. The paper says \"variable length packets\", of messages nothing."},
			{Name: oneQueue, In: figures, Text: "an input buffer is one queue, in which a packet waits for those before it. The paper says nothing of its switches' buffers."},
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
