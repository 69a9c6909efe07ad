// Package torus is dimension-order routing on tori and meshes that lives with
// failures: the idea of OpenSM's Torus-2QoS (manual page torus-2QoS(8)), for any
// number of dimensions. Package dor takes whole tori only, with fewer lanes.
//
// # Coordinates
//
// As in dor: from the descriptions ("switch (1,2,3)") or from the graph. A torus
// with something missing has coordinates only by its descriptions; OpenSM has its
// operator name the switches around a corner instead. Lengths are the greatest
// coordinates; a dimension wraps if any of its rings has the closing link.
//
// # Whole rings
//
// As in dor: a dimension that wraps with length 5 or more has one SL bit, which says
// whether the short way crosses its dateline (the link between the last and the first
// coordinate), and links in that dimension have VL = that bit. Why neither lane has a
// cycle within a ring is shown there. Rings of 4 stay rings, but take the ways that
// they have as two dimensions in dor: two hops go up from even coordinates and down from
// odd ones, on one lane (coords.Box.Short). So whole tori have the paths of dor. Up to four dimensions
// with datelines fit into an SL; three leave a bit for a second quality of service,
// as Torus-2QoS has it, which this package does not use: two lanes are enough for
// freedom of deadlock.
//
// # Failed links
//
// A ring with a break is a line, on which no dependencies go round, whatever the
// lanes. So a packet goes the long way where the short way is broken, on the SL that
// it always had. Any number of rings may be broken in one place each; a ring in two
// pieces is refused.
//
// # A failed switch
//
// To its rings the switch is a break. Only packets that would turn there from
// dimension i to a later dimension j have no way left. They turn into j one hop
// before, and one hop on (or several, if more switches are missing side by side)
// take up i again, one hop past the missing switch. That turn, from j back to i, is
// against the order, and the hop after it goes on lanes of its own, which a switch
// tells by input and output port: four lanes then. A cycle of dependencies through
// such a turn would have to lead round the missing switch; what follows the hop does
// not. Where that way is broken itself, the other direction of j is tried, and
// then the long way in i.
//
// That argument covers one missing switch, or several side by side in the last
// dimension. This package does not rely on it: when anything is missing it walks all
// paths and looks for cycles of dependencies, and refuses the network if it finds one.
// So it also takes what Torus-2QoS would refuse, if no cycle comes of it. A drained
// switch counts as missing to all but those who name it.
//
// SLs depend on the coordinates of both ends alone, as long as the lengths of the
// dimensions are recognised: no failure changes the SL of a connection. Clients that
// ask for no path record use SL 0, which is not safe on rings of 5 or more.
//
// LIDs of one port differ in the parallel links that they take, and only there.
//
// # Cost
//
// O(switches^2 x dimensions + switches x LIDs), and with failures the dependencies of
// all pairs, O(switches^2 x hops). Memory: the tables, and a byte a pair of switches.
package torus
