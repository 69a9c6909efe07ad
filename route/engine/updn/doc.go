// Package updn is up*/down* routing in the form of forwarding tables: a path goes any number of
// hops towards a root, then away from it, and never up again.
//
// The switches are ranked by their distance from the roots, ties by GUID. A channel leads up if it
// leads to the higher switch, so neither the channels up nor the channels down contain a cycle. A
// forwarding table knows only the destination, not the input port. So a switch that can reach the
// destination by going down only takes the shortest such way. Every other switch goes up where the
// whole path is shortest. A packet that once went down then meets only switches that send it
// further down. This is Duato's method as described in section 2.1 of López, Flich and Duato (paper
// 002). On one lane it is free of deadlock for every packet that follows the tables, to hosts and
// to switches. It makes some paths longer than the shortest legal one, which would go up past a
// switch with a longer way down. Destination renaming recovers those paths.
//
// Deviations: drained switches rank below all others, because nothing may pass them; a given root
// is none while it is drained. If no path joins two roots, as between the top switches of a
// fat-tree, a path between them is raised above all other switches (package updown), so that every
// two switches reach each other; it passes as few hosts as possible. Without given roots
// chooseRoots tries several choices in each part of the network, among them single switches and the
// top level. It takes the one that spreads the traffic of a sample of destinations best.
//
// The cost is that of minhop, and as much again for the second search and the choice of roots.
package updn
