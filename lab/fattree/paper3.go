package fattree

import (
	"weft/fabric"
	"weft/fabric/gen"
	"weft/lab"
	"weft/sim/packet"
)

// Readings of Paper III.
const (
	buffers24      = "24 KB of buffer"
	twoNodes       = "two nodes a switch"
	silentSwitches = "switches silent"
	cables         = "cables one by one"
	oldestFirst    = "the oldest packet first"
	rootsAhead     = "GUIDs roots first"
	anyGUIDs       = "GUIDs shuffled"
	spreadWays     = "LASH, equal ways spread"
)

const assumptionsIII = "Tables I to III and figures 2, 6 and 7 are simulations of packets. All links carry 16 Gbit/s (4x DDR), port 0 of a switch carries 2 (1x SDR). Messages are one packet with 2,048 bytes of payload, sent without pause.\n" +
	"Each input and lane has 16 KB of buffer, with a queue for each output. Inputs take turns round robin, and so do lanes.\n" +
	"Nodes send to nodes and switches to switches, each message to a random one. 250 us count, after 125 us, with one seed per block; the paper has the mean of eight.\n" +
	"Minhop is OpenSM's, by table entries; DFSSSP is that of its paper; LASH takes the first shortest path.\n" +
	"" + lab.HowNear + " A ratio of times counts as found from half to twice of it."

// hardwareIII returns the hardware under the active readings.
func hardwareIII(s *lab.Setup) packet.Config {
	c := packet.Default()
	if s.Reads(buffers24) {
		c.Buffer = 24 << 10
	}
	c.OneQueue, c.OldestFirst = s.Reads(oneQueue), s.Reads(oldestFirst)
	return c
}

// fabricIII builds a fabric of the paper.
func fabricIII(s *lab.Setup, formula string) *fabric.Graph {
	if formula == "racks648" && s.Reads(cables) {
		return replugged(formula, oneByOne)
	}
	f := lab.Must(gen.Parse(formula))
	switch {
	case s.Reads(rootsAhead):
		f = renumbered(f, rootsFirst, 0)
	case s.Reads(anyGUIDs):
		f = renumbered(f, shuffled, s.SeedOf(formula))
	}
	return f.Compile()
}

// reproductionIII returns Paper III.
func reproductionIII() *lab.Reproduction {
	packets := []string{"table3", "fig2", "fig6", "fig7"}
	return &lab.Reproduction{
		Name:        "thesis-3",
		Says:        "Traffic to and from switches, such as management, needs routes too, and existing engines either leave switches apart or can deadlock. sFtree connects all switches of a fat-tree without deadlock and without extra lanes, and it hardly affects the traffic of nodes.",
		Paper:       "Bogdański, Reinemo, Sem-Jacobsen and Gran, \"sFtree: A Fully Connected and Deadlock-Free Switch-to-Switch Routing Algorithm for Fat-Trees\", ACM TACO 8(4), 2012 (paper 004, Paper III).",
		Assumptions: assumptionsIII,
		Sentences:   sentencesIII,
		Plain:       plainIII,
		Finish:      finishIII,
		Decisions:   decisionsIII,
		Cover:       "fig6-as-read",
		Found:       "SFtree joins all switches without a deadlock on every tree. Its deadlocks of minhop need two nodes a switch here, and it is ahead of the other engines with racks alone.",
		Readings: []lab.Reading{
			{Name: buffers24, Chosen: true, Fitted: true, In: packets, Text: "24 KB of buffer for each input and lane. With this, sFtree on 648 ports has the share that Table III prints. The paper says nothing of buffers."},
			{Name: twoNodes, Chosen: true, Fitted: true, In: []string{"fig2", "fig6"}, Text: "two nodes on each switch of a ring send, not one. The figure of the cluster does not say how many do; in Fig. 2 each pair is one stream. With one node, arriving and continuing packets have equal turns on every link, so no buffer fills and the loop never closes."},
			{Name: silentSwitches, In: []string{"table3"}, Text: "the switches send nothing in Table III. The paper says that they send at 100 % load."},
			{Name: oneQueue, In: packets, Text: "an input buffer is one queue, where a packet waits for the packets before it."},
			{Name: oldestFirst, In: packets, Text: "an output takes the packet that has waited longest in its switch, not its inputs in turn."},
			{Name: cables, In: []string{"switches", "table3"}, Text: "the twelve cables of a rack switch lead to twelve switches, instead of three each to four. Here the paper does not say which; Papers I and IV say four."},
			{Name: inTurn, In: []string{"table3", "fig6"}, Text: "minhop assigns LIDs to one host of every switch, then to the next of each. The text does not say; by the letter weft goes by leaf."},
			{Name: atRandom, In: []string{"table3", "fig6"}, Text: "minhop assigns LIDs to hosts at random."},
			{Name: rootsAhead, In: []string{"lanes"}, Text: "the GUIDs of switches are in order from the roots down, not from the leaves up. The paper does not say; LASH takes switches in their order."},
			{Name: anyGUIDs, In: []string{"lanes"}, Text: "the GUIDs of switches are in an order drawn at random."},
			{Name: spreadWays, In: []string{"lanes"}, Text: "LASH spreads the packets for a switch over paths of the same length; the paper says that it takes the first."},
		},
		Artefacts: []lab.Artefact{
			{Name: "switches", Title: "Switches that reach each other", Place: "sections 1, 4, 5 and 7.1.3", Seedless: true, Run: switchToSwitch},
			{Name: "table1", Title: "The benchmark of nodes beside the traffic of switches", Place: "sections 7.1.1 and 7.1.2, Tables I and II", Run: benchmarks},
			{Name: "table3", Title: "Throughput under five engines, nodes and switches sending", Place: "section 7.2.3, Table III", Run: fiveEngines},
			{Name: "fig2", Title: "Four pairs that close a cycle, step by step", Place: "section 1, Fig. 2", Seedless: true, Run: fourPairs},
			{Name: "fig6", Title: "Rings of switches and deadlock", Place: "section 7.1.3, Fig. 6", Seedless: true, Run: ringOfSwitches},
			{Name: "fig7", Title: "Nodes at full load while switches send", Place: "section 7.2, Fig. 7", Run: switchesAlongside},
			{Name: "lanes", Title: "Lanes that LASH needs", Place: "section 7.2.3", Seedless: true, Run: lashLanes},
			{Name: "table4", Title: "Execution time", Place: "Table IV", Measured: true, Seedless: true, Run: timesOfPaper3},
		},
	}
}
