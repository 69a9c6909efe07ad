// Package cdg holds channel dependency graphs for engines and lanes. A node is a
// channel, an edge a pair of channels that follow each other on a path. Channels from
// and to hosts are on no cycle and are left out. (The judge, judge/check, has a graph
// of its own.)
//
// Index numbers all edges that paths could make, which together are the complete
// dependency graph. Order is a graph to which edges are added one by one and which
// never gets a cycle. Sort, FindCycle and HaveCycle are for a graph that is there as a whole.
//
// # Adding edges
//
// An Order lists the channels so that every edge leads forwards. A new edge that leads
// backwards makes channels change their places: a search from its end forwards and
// from its start backwards, only among the channels between the two, finds which; if
// the searches meet, the edge would close a cycle. There are two rules for what
// follows. MoveFewer searches on both sides by turns, and moves the side that is found
// whole first (after the two-way search of Haeupler, Kavitha, Mathew, Sen and Tarjan,
// "Incremental Cycle Detection, Topological Ordering, and Strong Component
// Maintenance", ACM TALG 2012). Exchange searches both sides whole and deals their
// places out anew (Pearce and Kelly, "A Dynamic Topological Sort Algorithm for Directed
// Acyclic Graphs", ACM JEA 2007). MoveFewer takes fewer steps; Exchange keeps all other
// channels where they are, for engines that read the list as a ranking.
//
// # Cost
//
// Memory of an Order: 25 bytes a channel, and 24 more for each 64 channels out of the switch that has most, since
// a channel has 3 bits for each of these, in whole words. An edge that leads forwards costs O(1), one that leads
// backwards the two searches.
package cdg
