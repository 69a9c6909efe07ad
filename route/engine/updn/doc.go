// Package updn is up*/down* routing as forwarding tables can hold it: a path goes
// towards a root any number of hops, then away from it, and never up again.
//
// The switches are ranked by their distance from the roots, ties by GUID; a channel
// leads up when it leads to the higher switch, so that neither the channels up nor
// the channels down contain a cycle. A forwarding table knows only the destination,
// not where a packet comes from. So a switch that can reach the destination by
// going down only does that, by the shortest way, and every other one goes up to
// where the whole path is shortest: a packet that once went down finds only
// switches that send it further down. This is Duato's method as described in
// section 2.1 of López, Flich and Duato (paper 002). It is free of deadlock on one
// lane for every packet that follows the tables, to hosts and to switches, and it
// makes some paths longer than the shortest legal one, where that one would go up
// past a switch with a longer way down. Destination renaming gets those paths back.
//
// Deviations: drained switches rank below all others, because nothing may pass
// them. When roots are given and no path joins two of them, as between the switches
// of the top level of a fat-tree, the switches on a path between them are raised
// above all others (joinPeaks), so that every two switches reach each other. When
// no roots are given one is chosen in each part of the network: the switch with the
// shortest paths among a sample, in a fat-tree a leaf.
//
// The cost is that of minhop, and as much again for the second search.
package updn
