// Package lash is the layered shortest path routing of Lysne, Skeie, Reinemo and Theiss, "Layered
// Routing in Irregular Networks" (IEEE TPDS 17(1), 2006; related work of paper 003, sections I and
// IV): one shortest path for each pair of switches, put online on the first lane where it closes no
// cycle, together with the path back.
//
// # Paths
//
// For every destination switch there is a tree of shortest paths, in one of two forms:
//
//   - Balanced: of equally near neighbours, a switch takes the one with the fewest hosts that send
//     to it so far. Among equals it begins with another port than the next switch. If no path of a
//     host depends on the choice, it takes the first port: balance gains nothing there, and costs
//     lanes.
//   - By the first port: always the neighbour behind the lowest port, as in OpenSM's engine. Paths
//     that meet make few cycles: torus(6x6x6) takes 7 lanes this way, and balanced more than 16. In
//     fat-trees it gives a small part of the bandwidth.
//
// The engine takes the balanced form with three exceptions: the other form has no greater sum of
// squared loads, balanced paths do not fit, or they would take more lanes than OpenSM (paths by the
// first port, pairs in its order of switches). A note says so. With option lean it always takes the
// first port.
//
// All LIDs of the switch and its hosts follow the tree from switch to switch. If several links join
// two switches, the LIDs are dealt out over them, base LIDs first as if there were no others. Lanes
// are found as if there were one link: cycles of several links would be cycles of these.
//
// # Lanes
//
// Package lanes, with a switch and its hosts as one class. The pairs farthest apart come first:
// short ones fit into the remaining room. Balanced paths that would take more lanes than OpenSM get
// lanes again in up to twelve rounds (lanes.Refilled). SL i is VL i at every port. The paper's
// layers are averaged at the end; here option balance does that.
//
// The cost is O(switches x (channels + LIDs)) for the paths. Each pair of switches adds the
// dependencies of its path, kept in order, for up to three layerings and the rounds. Memory is 8
// bytes a pair of switches, 8 bytes a dependency of a pair for the rounds, and 52 bytes a channel
// and lane.
package lash
