// Package multicast makes the trees along which switches copy the packets of multicast groups.
//
// Complete gives a Plan its pool of spanning trees (route.Multicast). A copied packet holds its
// channel until all outputs have taken a copy. So at each switch of a tree every channel into it
// depends on every other channel out of it. A tree grows from its root switch by switch, the
// nearest first. An order of channels (package cdg) accepts the dependencies of each new switch or
// refuses them; a refused switch tries another neighbour, or stays outside. So the trees together
// have no cycle of dependencies.
//
// A Plan with one lane puts its own dependencies in that order first, and the trees share the lane.
// The trees get a VL and an SL that no path uses if no shared tree covers all switches with hosts,
// or the Plan has several lanes. Without a free VL the Plan gets no pool: a *route.Refusal.
//
// Roots are switches whose farthest host is nearest, measured from a sample of the switches with
// hosts. A tree of an earlier Plan is kept as far as its cables still exist: its switches are first
// tried at their old place.
//
// Keep gives a repaired Plan the undamaged trees of the previous Plan, at no cost. The lost ones
// come back with the next full routing.
//
// Cutter cuts a tree of the pool down to the members of a group. The MLID and the GUIDs of the
// roots choose the tree (rendezvous hashing: Thaler and Ravishankar, "Using Name-Based Mappings to
// Increase Hit Rates", IEEE/ACM ToN 1998), so that the loss of a root moves its groups alone.
//
// # Cost
//
// Complete reads every table entry if the lane is shared; for each tree it adds the square of the
// ports of each of its switches. A group costs its members times the depth of the tree.
package multicast
