// Package transition finds an order for writing a new Plan's forwarding and lane tables to the
// switches of a running subnet. Each switch holds its old table until it gets the new one.
//
// # Order
//
// For one LID, let a switch get its new entry after all later switches on its new path. At any
// moment a packet follows old entries up to the first switch with a new one; from there all entries
// are new or unchanged, and lead to the LID. So there is never a loop if neither Plan has one. This
// is needed only for LIDs whose old and new entries together have a loop. All other entries come
// first, in any order. A block of a table holds the entries of 64 LIDs, so a block may be written
// several times.
//
// # Drop
//
// Old and new entries together may let packets deadlock, in any order of writing. Then the
// differing entries are removed first. The new ones are written once the packets on the old paths
// have left. So at any moment the dependencies are a part of one Plan's. Until then packets to
// these LIDs are lost at these switches.
//
// SL2VL tables change in the same way: an SL whose VL changes has VL 15 until then (DropLanes).
//
// Cost: time and memory O(switches) for each LID with a differing entry.
package transition
