// Package forest turns the hops that an engine allows into forwarding tables: for every LID an
// in-tree over the switches, balanced by the present load of the channels. Destination-based
// engines share it.
//
// An engine says, for one destination switch at a time, which channels may be used (Hops); all LIDs
// of that switch and of its hosts share them. Destination switches come in a fixed order, nearest
// neighbour after nearest neighbour, so that the switches of one pod of a fat-tree follow each
// other: a spine deals the destinations of a pod out over its links, one each.
//
// The base LIDs of all destinations come first; with LMC 0 there are no others. A destination is
// worked from the farthest switches inwards. When a switch chooses, the traffic moved by its choice
// is known: the number of hosts whose path to this LID passes it. It takes the allowed channel with
// the least such traffic so far, ties by port. It matters to count only traffic that really passes.
// If every entry counted, the switches of a middle level would deal out entries that nobody uses,
// in step with the leaves below them, and all real traffic would meet on one link.
//
// For the other LIDs of each port a destination is worked from the nearest switches outwards
// instead: the rest of each path is known. The LIDs of one port take hops whose paths share the
// fewest channels with one another and with the path to the base LID, then those with the least
// traffic.
//
// The choice at a switch depends on its own counters and on switches of other distances only. So
// the switches of one distance are worked in parallel, and the result is the same on any number of
// cores. The cost is O(destination switches x channels + switches x LIDs) time. Memory besides the
// tables: O(channels + switches x LIDs of one switch), and a byte a switch and LID of 64
// destination switches.
package forest
