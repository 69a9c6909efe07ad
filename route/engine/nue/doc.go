// Package nue routes inside the dependency graph of channels, so that what it finds is
// free of deadlock by construction, on any network and any number of lanes. The idea
// is that of Domke, Hoefler and Matsuoka, "Routing on the Dependency Graph: A New
// Approach to Deadlock-Free High-Performance Routing" (HPDC 2016); the algorithms are
// our own.
//
// # How
//
// The nodes of the complete dependency graph are the channels, its edges the turns
// from a channel into the next. A lane gets an order of its channels, and its paths
// ascend in that order: all of them together close no cycle. What matters is the
// order. It is found in four steps.
//
//   - Demand: how many pairs of hosts make a turn, when each takes all its shortest
//     paths alike (turns.go).
//   - Escape: a spanning tree whose turns are edges from the start, and stay. With
//     them alone every switch reaches every other (escape.go).
//   - Edges: the turns with the most demand first, each unless it closes a cycle. The
//     algorithm of Pearce and Kelly ("A Dynamic Topological Sort Algorithm for
//     Directed Acyclic Graphs", ACM JEA 2007) keeps the order (order.go).
//   - Sifting: each channel moves to where the least demand is against the order,
//     until none gains (sift.go).
//
// Several roots of the tree are tried, each with and without the third step; a sample
// of destinations is routed by each order (trial.go). The best are boosted: the turns of
// pairs that have no shortest path gain weight, and the channels are sifted again, in
// several rounds. The order with the least sum of squared loads is kept (design.go). In
// a fat-tree up*/down* from a leaf blocks no shortest path between hosts; nothing more is
// tried then, and little more where it blocks few.
//
// # Ways in an order
//
// A table holds one channel a switch and LID, so the way from a switch must suit
// whatever comes through it. In an order that is simple: of two ways from a switch the
// one that begins with the later channel suits whatever the other suits. So a search
// from the destination keeps, by number of hops, the latest channel with which a way
// can begin (ways.go). Then the switches choose, the farthest first, each a channel that
// lies beyond all channels that lead to it, on a way as short as that allows, and of
// these the one with the least load on the whole way (choose.go), as algorithm 1 of
// paper 003 does. No choice ends in an impasse, and a tree always reaches all that the
// order reaches: the paper's backtracking and its fall-back to the escape paths are not
// needed.
//
// LIDs are routed several times, as long as that gains: in later passes each is taken off
// the loads and chosen anew, beside all the others (build.go). In networks that are not
// regular that matters most: a fat-tree with failed links delivers a tenth more than
// after one pass.
//
// # Lanes
//
// With one lane, the default, every packet is safe on every SL: requests, answers on
// the SL of the request, and clients that never ask for a path. With more, each lane
// has a share of the destinations and an order for them alone, and the SL of a LID is
// its lane. The loads are those of all lanes together; an order is tried on top of the
// loads of the lanes before. What is tried is divided among the lanes, except in small networks.
// With several lanes allowed, 1, 2, 4 and so on are tried, and the result with the best estimated
// bandwidth is kept (package sample); nothing more is tried where one lane blocks no shortest
// path between hosts. So more lanes allowed are never worse.
//
// An answer that travels on the SL of its request would be on the lane of
// another tree, against its order. To allow that, each order would have to hold the
// paths to all LIDs, and the lanes would gain nothing. So with several lanes an answer
// must use the SL of its own path (Service.ReplySameSL is false, and the judge proves
// just that), which connection managers that take one SL for both directions do not
// do. Nor is traffic on the default SL safe then. The gain is a few per cent of
// bandwidth. That is why one lane is the default and more are asked for (-O vls=4).
//
// # Cost
//
// O(switches x channels) for the searches and O(LIDs x channels of shortest ways) for
// the choice, in each of up to four passes. The demand looks at each turn of shortest
// paths once a destination, in large networks of a sample; what is tried to find an order
// is bounded. Memory is the tables twice and some 20 bytes a turn, for each worker in
// smaller networks.
package nue
