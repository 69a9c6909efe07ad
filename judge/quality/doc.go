// Package quality measures a proven Plan: how long its paths are, how evenly they load the network,
// how the failure of one switch affects nodes with several ports, and whether the tables follow the
// intended paths. It also writes the report for people. The proof is the business of package check
// alone.
//
// # One walk
//
// Judge runs the proof and watches its walk (check.Observer). For every LID the observer sees the
// paths of all switches in order; the walk itself counts the pairs of hosts on each channel. So
// nothing reads the tables twice.
//
// # Hops
//
// Hops count as in a forwarding table: the links that a packet crosses from its first switch on,
// including the one to the target. So a switch has 0 hops to its own port 0, and two hosts of one
// switch have 1. The measure of length is a breadth-first search that passes no drained switch.
//
// # Cost
//
// O(switches x LIDs), and O(end ports x LIDs x hops) with intended paths. The paths of pairs of
// nodes with several ports are walked one by one. The result does not depend on the number of
// workers.
package quality
