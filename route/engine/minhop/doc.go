// Package minhop routes every LID along paths of the fewest hops, balanced over all
// parallel links and equal-cost neighbours by the traffic that each already
// carries. It is the idea of OpenSM's Min Hop algorithm. Two things differ. The load
// of a channel is the number of (host, LID) paths through it, not the number of
// table entries that name it. And the destinations are taken neighbour after
// neighbour (see package forest), not in order of LIDs.
//
// Minimal paths are not free of deadlock on one lane where the network has cycles;
// the judge (judge/check) says where.
//
// The cost is one breadth-first search a destination switch, O(switches x
// (channels + LIDs)), and memory beside the tables of O(channels).
package minhop
