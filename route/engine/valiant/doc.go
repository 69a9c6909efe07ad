// Package valiant routes Dragonfly networks and full meshes over one more group. (Valiant, "A Scheme
// for Fast Parallel Communication", SIAM Journal on Computing 11(2), 1982; for the Dragonfly Kim,
// Dally, Scott and Abts, ISCA 2008, who choose the group at random for each packet.)
//
// # Why
//
// On a Dragonfly one link, or a few, join two groups. Traffic that goes from one whole group to
// another, as rounds of an all-to-all in the order of hosts do, all meets there: shortest paths
// use one link of many. Here packets go to a third group first. All-to-all by shifts takes a half to a
// quarter of the time; random traffic gets less, since paths take two links between groups
// in place of one: docs/results/shapes.md has both. What to prefer is a choice of the operator,
// so that auto does not take this engine.
//
// # Groups
//
// From descriptions that begin with "group N ", or from the graph: switches whose links have most
// neighbours in common are a group. Where all switches are linked each is a group. Most pairs of groups must be
// linked, and at least half of the pairs of switches in each group.
//
// # Paths
//
// Forwarding tables know the destination alone, so the group to go over is one for each LID: those of
// a group take the groups beside theirs in turn. Packets to a LID go from their group to that
// one, from there to the destination's group, each by links that join the two; what starts in
// the group to go over, or in the destination's, has a shortest path. Among links the one whose path
// has the least load so far. Option share leaves some hosts, and port 0 of every switch always is reached,
// by paths without another group where there is such a link.
//
// Deviations from the papers: the group is not drawn for each packet, and no switch in the group is.
//
// # Lanes
//
// Three, by the group in which a packet is: 0 in that of its source, 1 in the one gone over, 2 in that
// of the destination. A switch chooses the VL by SL, input and output port, so that the SL must tell
// which group is gone over: groups have 16 colours (their number modulo 16), and the SL of packets to a LID is
// the colour of its group between. Sources and destinations in other groups of that colour would be taken for it: such groups
// send straight to the destination's, and no LID takes a group of the colour of its own. So the SL depends on the
// destination alone, and answers have another than requests. On a full mesh two lanes are enough, by the input port:
// 0 from hosts, 1 from switches; one SL then.
//
// Lanes never fall along a path as long as a packet takes one hop within the destination's group at most. Where
// links are missing LIDs take another group for which that is so. A group without a link to it sends straight. What is left
// takes any shortest path. At the end all paths are walked, and a network is refused where dependencies of channels
// and lanes have a cycle: engines dfsssp and nue are for those.
//
// # Cost
//
// O(LIDs x channels), with failures up to so many times as there are groups; the walk O(LIDs x switches x hops).
package valiant
