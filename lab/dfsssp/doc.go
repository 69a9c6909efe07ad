// Package dfsssp reproduces Domke, Hoefler and Nagel, "Deadlock-Free Oblivious Routing for
// Arbitrary Topologies", IPDPS 2011 (paper 003): sections III to VI.
//
// The six real systems are stand-ins built from published descriptions (CHiC and Tsubame are
// guesses), so their numbers can agree in order and size only. The bars of the figures were never
// printed as numbers; we compare with the text about them.
//
// Figures 12 to 16 and Table II were measured on Deimos. Ours are in time, by packets (sim/packet),
// and next to it by congestion counting (sim/flow); processors, caches and messaging software are
// not modelled.
//
// If an engine refuses, the row shows its reason; the paper leaves out the bar.
package dfsssp
