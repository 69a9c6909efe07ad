// Package sssp routes every LID by algorithm 1 of Domke, Hoefler and Nagel,
// "Deadlock-Free Oblivious Routing for Arbitrary Topologies" (paper 003, section II;
// first published by Hoefler, Schneider and Lumsdaine, HOTI 2009): a single-source
// shortest-path search for one destination after the other, in which a channel weighs
// what the paths chosen so far put on it.
//
// # The initial weight
//
// All weights start at a value w that is to keep every path minimal. The paper takes
// w = |V|^2, because fewer than |V|^2 paths can add to a channel. That counts one LID
// a node: with 2^LMC LIDs a port up to 2^LMC (|V|^2 - |V|) paths are counted, and a
// detour of one hop more costs only w more than the loaded channel that it avoids. So
// is |V|^2 too small where V are the switches, and each counts all its hosts. Here w
// is infinite: distances are pairs of hops and load, the hops compared first. This
// also makes the search a breadth-first one, which the LIDs of a switch and its hosts
// share, and takes the place of the priority queue.
//
// # Deviations
//
// Only switches are searched; a path counts once for every host that starts it. Of
// channels that make equal distances the first by port is taken. Destinations at the
// switches with the most hosts come first, because later ones even out what earlier
// ones leave. A drained switch lets nothing through.
//
// Port 0 of a switch gets a shortest path too, but not a balanced one: always to the
// neighbour of the lowest number. It is management that goes there, and paths that
// resemble each other make fewer cycles: switch-to-switch traffic in a fat-tree turns
// up again after going down, and balanced turns would each need lanes.
//
// # Passes
//
// Algorithm 1 routes every LID once, the first ones before anybody can know where the
// load will be. In a second and third pass each is taken off the loads and chosen anew,
// beside all others, which is not of the paper. Where a network is complete that gains
// nothing; where links are missing up to a tenth of effective bisection bandwidth
// (docs/performance.md has figures). By default small networks have three passes, larger ones
// two, the largest one; passes=1 is the paper's.
//
// The paths are not free of deadlock on one lane (paper 003, section II); package
// dfsssp puts them on lanes.
//
// # Several LIDs a port
//
// With LMC above 0 all base LIDs are routed first, in all passes, exactly as if there were no
// others. The others follow, with the loads carried on. Where traffic over all LIDs gets less
// bandwidth than over base LIDs, as in a few very small networks, they take the path to the base LID.
//
// The cost is O(switches x channels) for the searches, which run in parallel with each
// other and with the choice, and O(LIDs x channels of shortest paths) for the choice, one
// LID after the other, in each pass. Memory beside the tables is O(channels).
package sssp
