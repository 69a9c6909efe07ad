// Package quality measures what a proven Plan is worth: how long its ways are, how evenly
// they load the network, what the failure of one switch does to nodes with several ports,
// and whether the tables follow the paths that were intended. It writes the report for
// people too. Nothing here is part of the proof, which is package check's.
//
// # One walk
//
// Judge runs the proof and watches its walk (check.Observer): for every LID it is shown
// the ways of all switches, in order; pairs of hosts are counted where the walk passes their
// channels. So nothing looks at the tables twice.
//
// # Hops
//
// Hops count as in a forwarding table: the links that a packet crosses from its
// first switch on, the one to the target included; 0 from a switch to its own port
// 0, 1 between two hosts of one switch. Lengths are compared with those of a
// breadth-first search in which a drained switch lets nothing through.
//
// # Cost
//
// O(switches x LIDs), and O(end ports x LIDs x hops) where paths are intended. Pairs of
// nodes with several ports are walked path by path. The result does not depend on the
// number of workers.
package quality
