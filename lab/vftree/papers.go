package vftree

import (
	_ "embed"

	"weft/lab"
	"weft/sim/packet"
)

// publishedNumbers are the improvements that the text gives, by topology, hot-spots and lanes.
//
//go:embed published/p2_text_numbers.tsv
var publishedNumbers string

// The printed benchmarks, on the whole tree and on the oversubscribed one.
var (
	//go:embed published/p2_table1_hpcc.tsv
	publishedBench1 string
	//go:embed published/p2_table2_hpcc_oversubscribed.tsv
	publishedBench2 string
)

// sentences of the paper, with the claims that judge them.
//
//go:embed published/p2_claims.tsv
var sentences string

// Readings of the paper.
const (
	measuredRate = "hosts at 13.5 Gbit/s"
	oneQueue     = "one queue a buffer"
	bigBuffers   = "64 KB of buffer"
	slowLinks    = "links of Fig. 4 at 8 Gbit/s"
	fromEmpty    = "from empty buffers on"
)

// hardware returns the hardware under the active readings.
func hardware(s *lab.Setup) packet.Config {
	c := packet.Default()
	c.OneQueue = s.Reads(oneQueue)
	if s.Reads(bigBuffers) {
		c.Buffer = 64 << 10
	}
	return c
}

const assumptions = "Hosts of the cluster have HCAs of 4x DDR behind PCIe 1.1 with 8 lanes (section VI-A). They send and receive 13.8 Gbit/s of payload: 16 Gbit/s, in packets with 128 bytes of payload, the usual size, and 20 bytes around them.\n" +
	"Links between the switches of Fig. 3 carry 32 Gbit/s, as the text says. It says nothing of the links of Fig. 4; they carry 16 (4x DDR).\n" +
	"On the 648-port fabric all links carry 32 Gbit/s and hosts send as fast as their links. Packets of 2 kB come at random times, at the full rate, and 500 us count after 250.\n" +
	"Input buffers hold 16 KB per lane, with a queue for each output.\n" +
	"Congestion control has the usual settings of sim/packet, because the paper's reference does not contain its own.\n" +
	"The bars of Fig. 10 run with one seed per block; the paper has the mean of eight.\n" +
	"A printed rate counts as found within a twentieth, a gain of Fig. 10 within a tenth of the factor, and a bandwidth of the tables within a tenth. A gain of the tables or of a total counts as found from half to twice of it, and at most 5 points off."

// Reproduction returns the reproduction of the paper.
func Reproduction() *lab.Reproduction {
	return &lab.Reproduction{
		Name:        "thesis-2",
		Says:        "In a fat-tree, hot-spots also slow flows that do not go there. vFtree distributes destinations over virtual lanes, so such victims keep their bandwidth. It raises throughput by 38 % on a small cluster, and by up to 757 % in simulations.",
		Paper:       "Guay, Bogdański, Reinemo, Lysne and Skeie, \"vFtree - A Fat-tree Routing Algorithm using Virtual Lanes to Alleviate Congestion\", IPDPS 2011 (paper 004, Paper II).",
		Assumptions: assumptions,
		Sentences:   sentences,
		Plain:       plainWords,
		Finish:      finish,
		Decisions:   decisions,
		Cover:       "fig10a",
		Found:       "Victims keep their bandwidth on other lanes, and by more than in the paper. Of the gain on 648 ports the time of measuring decides: from empty buffers on eight lanes give 7.8 times one lane, 8.6 printed; settled, 24.6.",
		Readings: []lab.Reading{
			{Name: measuredRate, Chosen: true, Fitted: true, In: []string{"fig5", "fig8", "fig9", "table1"}, Text: "hosts of the cluster send and take 13.5 Gbit/s of payload, three times the 4.5 that the text calls a third of the effective bandwidth."},
			{Name: fromEmpty, Chosen: true, Fitted: true, In: []string{"fig10"}, Text: "the bars of Fig. 10 are measured in the first 500 us, from empty buffers on. The paper does not say when it measures. Packets for hot-spots fill the buffers, and then all nodes wait for them: the one lane of the baseline loses most by that, so the gains of more lanes grow with time."},
			{Name: oneQueue, Text: "an input buffer is one queue for each lane, where a packet waits for the packets before it. The paper says nothing of queues."},
			{Name: bigBuffers, Text: "input buffers hold 64 KB a lane."},
			{Name: slowLinks, In: []string{"fig8", "fig9", "table1"}, Text: "links between the switches of Fig. 4 carry 8 Gbit/s (4x SDR); a flow can have the 7 that the text calls \"the actual available bandwidth\"."},
		},
		Artefacts: []lab.Artefact{
			{Name: "fig2", Title: "Flow control by virtual lane", Place: "section II-B, Figs. 1 and 2", Run: fig2},
			{Name: "fig5", Title: "A victim of a hot-spot: plain, with congestion control, on a lane of its own", Place: "section II-B, Figs. 5 and 6", Run: fig5},
			{Name: "fig8", Title: "Two victims, three contributors, 1 to 3 lanes", Place: "section VII-A1, Figs. 7 (a) and 8", Run: fig8},
			{Name: "fig9", Title: "A victim and three contributors, oversubscribed, 1 to 4 lanes", Place: "section VII-A2, Figs. 7 (b) and 9", Run: fig9},
			{Name: "table1", Title: "The benchmark of nodes beside a hot-spot", Place: "section VII-A3, Tables I and II", Run: benchmarks},
			{Name: "fig10", Title: "Hot-spots on 648 ports with 1 to 8 lanes", Place: "section VII-B, Fig. 10", Run: fig10},
			{Name: "victims", Title: "Victims of hot-spots, and lanes that leave the fewest", Place: "beyond the paper", Seedless: true, Run: victimsOfLanes},
		},
	}
}
