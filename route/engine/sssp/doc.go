// Package sssp routes every LID by algorithm 1 of Domke, Hoefler and Nagel, "Deadlock-Free
// Oblivious Routing for Arbitrary Topologies" (paper 003, section II; first published by Hoefler,
// Schneider and Lumsdaine, HOTI 2009): a single-source shortest-path search for one destination
// after another. The weight of a channel is the load of the paths chosen so far.
//
// # The initial weight
//
// All weights start at a value w that is to keep every path minimal. The paper takes w = |V|^2,
// because fewer than |V|^2 paths can add to a channel. That counts one LID a node. With 2^LMC LIDs
// a port up to 2^LMC (|V|^2 - |V|) paths count, and a detour of one more hop costs only w more than
// the loaded channel that it avoids. |V|^2 is also too small if V are the switches, and each counts
// all its hosts. Here w is infinite: distances are pairs of hops and load, and hops are compared
// first. This makes the search a breadth-first one, which the LIDs of a switch and its hosts share,
// and replaces the priority queue. Option first has a finite weight instead (weighted.go).
//
// # Deviations
//
// Only switches are searched; a path counts once for every host that starts it. Of channels with
// equal distances the first by port wins. Destinations at the switches with the most hosts come
// first, because later ones even out the load that earlier ones leave. Nothing passes a drained
// switch.
//
// Port 0 of a switch gets a shortest path too, but not a balanced one: always to the neighbour with
// the lowest number. Its traffic is management, and similar paths make fewer cycles.
// Switch-to-switch traffic in a fat-tree turns up again after going down, and each balanced turn
// would need lanes.
//
// # Passes
//
// Algorithm 1 routes every LID once, the first ones before the load is known. A second and third
// pass take each LID off the loads and choose its paths again, beside all others; this is not in
// the paper. On a complete network it gains nothing, with missing links up to a tenth of effective
// bisection bandwidth (docs/performance.md has figures). By default small networks get three
// passes, larger ones two, the largest one; passes=1 is the paper's.
//
// The paths are not free of deadlock on one lane (paper 003, section II); package dfsssp assigns
// lanes to them.
//
// # Several LIDs a port
//
// With LMC above 0 all base LIDs are routed first, in all passes, exactly as if there were no
// others. The others follow on top of their loads. In a few very small networks traffic over all
// LIDs gets less bandwidth than over base LIDs. There the other LIDs take the path to the base LID.
//
// The cost is O(switches x channels) for the searches, which run in parallel with each other and
// with the choice. In each pass the choice takes O(LIDs x channels of shortest paths), one LID
// after another. Memory besides the tables is O(channels).
package sssp
