// Package transition says in which order the switches of a subnet get the forwarding and lane tables of a new Plan, while packets are
// under way and each switch holds its old table until it gets the new one.
//
// # Order
//
// For one LID, let a switch get its new entry after all switches that come later on its new path. At any moment a packet follows old
// entries up to the first switch with a new one; from there all entries are new or the same, and lead to the LID. So no moment
// has a circle, if neither Plan has one. This is needed only for LIDs for which old and new entries together have a circle; all
// other entries are written first, in any order. A block of a table holds the entries of 64 LIDs, so that one may be written several
// times.
//
// # Drop
//
// Old and new entries together may let packets wait for each other in a ring, in whatever order they are written. Then the
// entries that differ are taken away first. When the packets on the old ways have left, the new ones are written: at any moment the
// dependencies are a part of those of one Plan. Until then packets to these LIDs are lost at these switches.
//
// SL2VL tables are treated alike: an SL whose VL changes has VL 15 until then (DropLanes).
//
// Cost: time and memory O(switches) for each LID with an entry that differs.
package transition
