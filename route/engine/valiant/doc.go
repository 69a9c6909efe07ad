// Package valiant routes Dragonfly networks and full meshes: packets pass an intermediate group on
// their way from the source's group to the destination's. (Valiant, "A Scheme for Fast Parallel
// Communication", SIAM Journal on Computing 11(2), 1982; for the Dragonfly Kim, Dally, Scott and Abts,
// ISCA 2008, who choose that group at random for each packet.)
//
// # Why
//
// On a Dragonfly one link, or a few, join two groups. Traffic that goes from one whole group to
// another, as rounds of an all-to-all in the order of hosts do, all meets there: shortest paths
// use one link of many. Here packets go to a third group first, the intermediate one. All-to-all by
// shifts takes a half to a quarter of the time; random traffic gets less, since paths take two links
// between groups in place of one: docs/results/shapes.md has both. What to prefer is a choice of the
// operator, so that auto does not take this engine.
//
// # Groups
//
// As package groups finds them, by descriptions or by the graph; a network without groups is refused.
//
// # Paths
//
// Forwarding tables know the destination alone, so each LID has one intermediate group: the LIDs of a
// group take the groups linked to theirs in turn. Packets to a LID go from their group to the
// intermediate one, and from there to the destination's, by links that join the two groups. What
// starts in the intermediate group, or in the destination's, has a shortest path. Of several links the one
// is taken whose path has the least load so far. Port 0 of every switch, and the hosts that option
// share leaves out, are reached without an intermediate group where the two groups are linked.
//
// Deviations from the papers: the intermediate group is drawn neither at random nor for each packet,
// and no switch in it is.
//
// # Lanes
//
// Three, by the group in which a packet is: 0 in that of its source, 1 in the intermediate one, 2 in
// that of the destination. A switch chooses the VL by SL, input and output port, so that the SL must tell
// which group is the intermediate one. Groups have 16 colours (their number modulo 16), and the SL of
// packets to a LID is the colour of its intermediate group. Other groups of that colour cannot be told
// from it: as sources they send straight to the destination's group, and no LID takes an intermediate
// group of its own group's colour. So the SL depends on the destination alone, and answers have
// another one than requests. On a full mesh two lanes and one SL are enough: lane 0 from hosts, 1 from switches.
//
// Lanes never fall along a path as long as a packet takes one hop at most within the destination's
// group. Where links are missing, LIDs take another intermediate group for which that is so. A group
// without a link to the intermediate one sends straight. What is left takes any shortest path. At the
// end all paths are walked, and a network is refused where dependencies of channels and lanes have a
// cycle: engines dfsssp and nue are for those. Such is Dragonfly+: within a group its leaves reach each
// other over spines, in two hops.
//
// # Cost
//
// Time O(LIDs x channels), where links are missing up to as many times as there are groups; the walk at
// the end O(LIDs x switches x hops).
package valiant
