// Package dfsssp reproduces Domke, Hoefler and Nagel, "Deadlock-Free Oblivious
// Routing for Arbitrary Topologies", IPDPS 2011 (paper 003): sections III to VI.
//
// The six real systems are stand-ins built from what is published of them (CHiC and
// Tsubame are guesses), so their numbers can agree in order and size only. The bars
// of the figures were never printed as numbers: what is compared is what the text
// says of them.
//
// Figures 12 to 16 and Table II were measured on Deimos. Ours are in time, by packets
// (sim/packet), and by congestion counting (sim/flow) beside it; processors, caches and
// the software of messages are not modelled.
//
// An engine that refuses shows its reason, as the paper leaves out the bar.
package dfsssp
