// Package lash is layered shortest path routing of Lysne, Skeie, Reinemo and Theiss,
// "Layered Routing in Irregular Networks" (IEEE TPDS 17(1), 2006; related work of paper
// 003, sections I and IV): one shortest path for each pair of switches, put online on
// the first lane on which it closes no cycle, together with the path back.
//
// Paths: for every destination switch a tree of shortest paths; of the neighbours
// that are equally near, a switch takes the one to which the fewest hosts send so
// far, and among equals begins with another port than the next switch (option lean:
// with the lowest, which takes a lane less here and there, and on fat-trees gives half
// the bandwidth). All LIDs of the switch and its hosts follow that tree from switch to
// switch. Where several links join two switches, the LIDs are dealt out over them, first the
// base LIDs as if there were no others.
//
// Lanes: package lanes, with a switch and its hosts as one class. The pairs farthest
// apart come first: the short ones fit into what these leave. SL i is VL i at every
// port. The paper's layers are averaged at the end; here that is the option balance.
//
// The cost is O(switches x (channels + LIDs)) for the paths, and for each pair of
// switches and each of the parallel links the dependencies of its paths, kept in order;
// memory 8 bytes a pair of switches, and 52 bytes a channel and lane.
package lash
