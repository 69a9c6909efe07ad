// Package lanes assigns virtual lanes to the paths of forwarding tables so that no lane has a cycle
// of channel dependencies (package cdg). It implements section IV of Domke, Hoefler and Nagel,
// "Deadlock-Free Oblivious Routing for Arbitrary Topologies" (paper 003): online layering (Online,
// LongestFirst) and balancing. Package offline has its algorithm 2. Acyclic goes beyond the paper:
// an engine consults these lanes while it chooses its paths, and needs far fewer of them
// (docs/performance.md has figures). Pairs that do not fit on its first lane both ways get others,
// in several rounds that refill early lanes: iterated greedy colouring.
//
// # Classes
//
// End ports form classes, each within one switch: each port (ByEnd), or the hosts of a switch and
// the rest of its end ports (BySwitch). ByTree makes one class of a switch with its hosts, if all
// LIDs take the paths of a few. A pair of classes gets one lane for all paths between them, both
// ways and to every LID. So a request and its answer always share an SL (Service.ReplySameSL),
// whatever their LIDs. The paper layers each direction separately, and its answers are not safe on
// the SL of the request; Acyclic.LayerOneWay does the same. Paths from and to port 0 of every
// switch are layered with the others, unless WithoutSwitches leaves them out, as in the paper.
//
// One lane for each LID, instead of each pair of classes, would need smaller classes. For the
// answer to a packet may go to any LID of the source's class. So all LIDs between two classes need
// the same lane.
//
// # Cost
//
// Online: the dependencies of its paths for each pair of classes and each lane tried for it.
// Memory: 3 bits an edge place and lane (cdg.Order), and half a byte an ordered pair of classes.
package lanes
