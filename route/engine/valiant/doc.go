// Package valiant routes Dragonfly networks and full meshes: packets pass an intermediate group on
// their way from the source's group to the destination's. (Valiant, "A Scheme for Fast Parallel
// Communication", SIAM Journal on Computing 11(2), 1982; for the Dragonfly Kim, Dally, Scott and
// Abts, ISCA 2008, who choose that group at random for each packet.)
//
// # Why
//
// On a Dragonfly only one link, or a few, join two groups. Traffic from one whole group to another,
// as in rounds of an all-to-all in the order of hosts, all meets there: shortest paths use one link
// of many. Here packets go to a third group first, the intermediate one. All-to-all by shifts takes
// a half to a quarter of the time. Random traffic gets less, since paths use two links between
// groups instead of one: docs/results/shapes.md has both. The preference is the operator's, so auto
// does not take this engine.
//
// # Groups
//
// Package groups finds them, by descriptions or by the graph; a network without groups is refused.
//
// # Paths
//
// Forwarding tables know only the destination, so each LID has one intermediate group: the LIDs of
// a group take the groups linked to theirs in turn. Packets to a LID go from their group to the
// intermediate one, and from there to the destination's, by links between these groups. Packets
// from the intermediate group, or from the destination's, take a shortest path. Of several links
// the engine takes the one whose path has the least load so far. Packets to port 0 of a switch, and
// to hosts that option share leaves out, pass no intermediate group if the two groups are linked.
//
// Deviations from the papers: the intermediate group is not drawn at random for each packet, and
// neither is a switch in it.
//
// # Lanes
//
// Three, by the group of a packet's position: 0 in its source's, 1 in the intermediate one, 2 in
// its destination's. A switch chooses the VL by SL, input and output port, so the SL must name the
// intermediate group. Groups have 16 colours (their number modulo 16), and the SL of packets to a
// LID is the colour of its intermediate group. Other groups of that colour look the same. So as
// sources they send straight to the destination's group, and no LID takes an intermediate group
// with its own group's colour. The SL depends on the destination alone, and answers have another
// one than requests. On a full mesh two lanes and one SL are enough: lane 0 from hosts, 1 from
// switches.
//
// Lanes never fall along a path as long as a packet takes at most one hop within the destination's
// group. If links are missing, LIDs take another intermediate group that keeps to this. A group
// without a link to the intermediate one sends straight. The remaining pairs take any shortest
// path. At the end the engine walks all paths, and refuses a network if dependencies of channels
// and lanes have a cycle: use engine dfsssp or nue for it. Dragonfly+ is such a network: within a
// group its leaves reach each other over spines, in two hops.
//
// # Cost
//
// Time O(LIDs x channels), with missing links up to as many times as there are groups; the walk at
// the end O(LIDs x switches x hops).
package valiant
