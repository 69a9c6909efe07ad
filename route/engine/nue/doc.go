// Package nue routes inside the dependency graph of channels, so that its paths are free of
// deadlock by construction, on any network and any number of lanes. The idea is by Domke, Hoefler
// and Matsuoka, "Routing on the Dependency Graph: A New Approach to Deadlock-Free High-Performance
// Routing" (HPDC 2016); the algorithms are our own.
//
// # How
//
// The nodes of the complete dependency graph are the channels, its edges the turns from a channel
// into the next. A lane gets an order of its channels, and its paths ascend in that order: all of
// them together close no cycle. So everything depends on the order, which is found in four steps.
//
//   - Demand: the number of pairs of hosts that make a turn, if each uses
//     all its shortest paths equally (turns.go).
//   - Escape: a spanning tree whose turns are edges from the start, and stay. With
//     them alone every switch reaches every other (escape.go).
//   - Edges: the turns with the most demand first, each unless it closes a cycle. The
//     algorithm of Pearce and Kelly ("A Dynamic Topological Sort Algorithm for
//     Directed Acyclic Graphs", ACM JEA 2007) keeps the order (order.go).
//   - Sifting: each channel moves to the place with the least demand against the
//     order, until no move gains (sift.go).
//
// The engine tries several roots of the tree, each with and without the third step, and routes a
// sample of destinations by each order (trial.go). It boosts the best orders: in several rounds the
// turns of pairs without a shortest path gain weight, and the channels are sifted again. It keeps
// the order with the least sum of squared loads (design.go). In a fat-tree up*/down* from a leaf
// blocks no shortest path between hosts. Then the engine tries nothing more, and little more if it
// blocks few.
//
// # Ways in an order
//
// A table holds one channel a switch and LID, so the way from a switch must suit every packet that
// passes it. In an order that is simple: of two ways from a switch the one with the later first
// channel suits every packet that the other suits. So a search from the destination keeps, by
// number of hops, the latest first channel of a way (ways.go). Then the switches choose, the
// farthest first. Each takes a channel beyond all channels that lead to it, on a way as short as
// that allows. Of these it takes the one with the least load on the whole way (choose.go), as in
// algorithm 1 of paper 003. No choice ends in an impasse, and a tree reaches every switch that the
// order reaches. The paper's backtracking and its fall-back to the escape paths are not needed.
//
// LIDs are routed several times, as long as that gains: later passes take each off the loads and
// choose its paths again, beside all others (build.go). This matters most in irregular networks: a
// fat-tree with failed links delivers a tenth more than after one pass.
//
// # Lanes
//
// With one lane, the default, every packet is safe on every SL: requests, answers on the SL of the
// request, and clients that never ask for a path. With more, each lane has a share of the
// destinations and an order for them alone, and the SL of a LID is its lane. Loads add up over all
// lanes; trials of an order start from the loads of the previous lanes. The lanes share the number
// of attempts, except in small networks. If several lanes are allowed, the engine tries 1, 2, 4 and
// so on, and keeps the result with the best estimated bandwidth (package sample). It stops if one
// lane blocks no shortest path between hosts. So allowing more lanes is never worse.
//
// An answer that travels on the SL of its request would be on the lane of another tree, against its
// order. To allow that, each order would have to hold the paths to all LIDs, and the lanes would
// gain nothing. So with several lanes an answer must use the SL of its own path
// (Service.ReplySameSL is false, and the judge proves that case). Connection managers that use one
// SL for both directions do not comply. Nor is traffic on the default SL safe then. The gain is a
// few per cent of bandwidth. So one lane is the default, and -O vls=4 asks for more.
//
// # Cost
//
// O(switches x channels) for the searches and O(LIDs x channels of shortest ways) for the choice,
// in each of up to four passes. The demand visits each turn of shortest paths once a destination,
// in large networks of a sample. The attempts to find an order are limited. Memory is the tables
// twice and some 20 bytes a turn, for each worker in smaller networks.
package nue
