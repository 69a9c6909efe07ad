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
// them. When no path joins two roots, as between the switches of the top level of
// a fat-tree, a path between them is raised above all other switches (package updown),
// so that every two switches reach each other; it passes as few hosts as possible.
// When no roots are given, several choices are tried in each part of the network,
// single switches and the top level among them, and the one is taken that spreads
// the traffic of a sample of destinations best (chooseRoots).
//
// The cost is that of minhop, and as much again for the second search and the
// choice of roots.
package updn
