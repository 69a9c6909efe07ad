// Package cdg holds channel dependency graphs for engines and lanes. A node is a channel, an edge a
// pair of channels that follow each other on a path. Channels from and to hosts are on no cycle and
// omitted. (The judge, judge/check, has a graph of its own.)
//
// Index numbers all edges that paths could make, which together are the complete dependency graph.
// Order is a graph that grows edge by edge and never gets a cycle. Sort, FindCycle and HaveCycle
// are for complete graphs.
//
// # Adding edges
//
// An Order lists the channels so that every edge leads forwards. A new edge that leads backwards
// makes channels change their places. Two searches find these, forwards from its end and backwards
// from its start, only among the channels between the two. If the searches meet, the edge would
// close a cycle. There are two rules for the move. MoveFewer searches on both sides in turns, and
// moves the side that is complete first. It follows the two-way search of Haeupler, Kavitha,
// Mathew, Sen and Tarjan, "Incremental Cycle Detection, Topological Ordering, and Strong Component
// Maintenance", ACM TALG 2012. Exchange searches both sides completely and redistributes their
// places (Pearce and Kelly, "A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs", ACM
// JEA 2007). MoveFewer takes fewer steps; Exchange keeps all other channels where they are, for
// engines that read the list as a ranking.
//
// # Cost
//
// Memory of an Order: 25 bytes a channel, and 24 more for each 64 output channels of the widest
// switch: a channel has 3 bits for each of these, in whole words. An edge forwards costs O(1), an
// edge backwards the two searches.
package cdg
