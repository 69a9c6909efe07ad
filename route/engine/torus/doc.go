// Package torus is dimension-order routing on tori and meshes with some failures: the idea of
// OpenSM's Torus-2QoS (manual page torus-2QoS(8)), for any number of dimensions. Package dor takes
// whole tori only, with fewer lanes.
//
// # Coordinates
//
// As in dor: from the descriptions ("switch (1,2,3)") or from the graph. An incomplete torus has
// coordinates only by its descriptions; OpenSM has its operator name the switches around a corner
// instead. Lengths are the greatest coordinates; a dimension wraps if any of its rings has the
// closing link.
//
// # Whole rings
//
// As in dor: a dimension that wraps with length 5 or more has one SL bit. It says whether the short
// way crosses the dateline (the link between the last and the first coordinate), and it is the VL
// on links in that dimension. Package dor explains why neither lane has a cycle within a ring.
// Rings of 4 stay rings, but take the same ways as the two dimensions in dor: two hops go up from
// even coordinates and down from odd ones, on one lane (coords.Box.Short). So whole tori have the
// paths of dor. Up to four dimensions with datelines fit into an SL. Three leave a bit for a second
// quality of service, as in Torus-2QoS; this package does not use it, since two lanes are enough
// for freedom from deadlock.
//
// # Failed links
//
// A ring with a break is a line, on which no dependencies go round, on any lanes. So a packet takes
// the long way if the short way is broken, on its usual SL. Any number of rings may be broken in
// one place each; a ring in two pieces is refused.
//
// # A failed switch
//
// To its rings the switch is a break. Only packets that would turn there from dimension i to a
// later dimension j have no way left. They turn into j one hop before it. One hop on (or several,
// if adjacent switches are missing too) they resume i, one hop past the missing switch. This turn,
// from j back to i, is against the order, and the hop after it uses lanes of its own, which a
// switch selects by input and output port: four lanes in all. A cycle of dependencies through such
// a turn would have to lead round the missing switch, but dependencies after the hop do not. If
// that way is broken too, the engine tries the other direction of j, and then the long way in i.
//
// That argument covers one missing switch, or several adjacent ones in the last dimension. This
// package does not rely on it: if anything is missing it walks all paths, searches for cycles of
// dependencies, and refuses the network if it finds one. So it also accepts networks that
// Torus-2QoS would refuse, if there is no cycle. A drained switch counts as missing except as a
// source or destination.
//
// SLs depend on the coordinates of both ends alone, as long as the lengths of the dimensions are
// recognised: no failure changes the SL of a connection. Clients that ask for no path record use SL
// 0, which is not safe on rings of 5 or more.
//
// LIDs of one port differ only in the choice of parallel links.
//
// # Cost
//
// O(switches^2 x dimensions + switches x LIDs), and with failures the dependencies of all pairs,
// O(switches^2 x hops). Memory: the tables, and a byte a pair of switches.
package torus
