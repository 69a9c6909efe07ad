// Package minhop routes every LID along paths of the fewest hops, balanced over all parallel links
// and equal-cost neighbours by their present traffic. It follows OpenSM's Min Hop algorithm, with
// two differences. The load of a channel is the number of (host, LID) paths through it, not the
// number of its table entries. And destinations come neighbour after neighbour (see package
// forest), not in order of LIDs.
//
// Options balance=entries and balance=first have the form of OpenSM instead (entries.go).
//
// Minimal paths on one lane may deadlock if the network has cycles; the judge (judge/check) says
// where.
//
// The cost is one breadth-first search a destination switch, O(switches x (channels + LIDs)), and
// O(channels) memory besides the tables.
package minhop
