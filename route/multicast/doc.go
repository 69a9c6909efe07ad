// Package multicast makes the trees by which switches copy the packets of multicast groups.
//
// Complete gives a Plan its pool of spanning trees (route.Multicast). A packet that is copied holds its channel until all outputs have taken a
// copy, so that at each switch of a tree every channel into it depends on every other one out of it. A tree grows from its root switch by
// switch, the nearest first; an order of channels (package cdg) takes the dependencies of each new switch or refuses them, and the switch is
// then tried at another neighbour, or left out. So the trees together have no cycle of dependencies.
//
// Where the Plan has one lane, its own dependencies are in that order first, and the trees share the lane. Where that gives no tree that covers all
// switches with hosts, and where the Plan has several lanes, the trees get a VL and an SL of their own, which no path uses. Without a free VL
// the Plan gets none: a *route.Refusal.
//
// Roots are switches whose farthest host is nearest, measured from a sample of the switches with hosts. A tree of an earlier Plan is kept as far as its cables
// are there: its switches are tried first where they were.
//
// Keep gives a repaired Plan those trees of the Plan before that have lost nothing, at no cost. The lost ones come back when all is routed afresh.
//
// Cutter cuts a tree of the pool down to the members of a group. Which tree that is follows from the MLID and the GUIDs of the roots (rendezvous
// hashing: Thaler and Ravishankar, "Using Name-Based Mappings to Increase Hit Rates", IEEE/ACM ToN 1998), so that the loss of a root moves its groups alone.
//
// # Cost
//
// Complete: a look at every table entry where the lane is shared; for each tree the square of the ports of each of its switches. A group: its
// members times the depth of the tree.
package multicast
