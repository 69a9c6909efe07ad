// Package lanes puts the paths of forwarding tables on virtual lanes so that no lane has
// a cycle of channel dependencies (package cdg). It implements section IV of Domke,
// Hoefler and Nagel, "Deadlock-Free Oblivious Routing for Arbitrary Topologies" (paper
// 003): online layering (Online, LongestFirst) and balancing. Package offline has its
// algorithm 2. Beyond the paper is Acyclic: lanes that an engine asks while it chooses its
// paths, which takes far fewer of them (docs/performance.md has figures). Pairs that do not fit
// on its first lane both ways go on others, again in several rounds that refill early lanes:
// iterated greedy colouring.
//
// # Classes
//
// End ports are put into classes, each within one switch: one a port (ByEnd), or
// the hosts of a switch and the rest of its end ports (BySwitch), or a switch with its hosts where
// all LIDs take the paths of a few (ByTree). A pair of classes gets one lane for all
// paths between them, both ways and to every LID. So a request and its answer are always on
// the same SL (Service.ReplySameSL), whichever LIDs they name. The paper layers each
// direction for itself; its answers are not safe on the SL of the request;
// Acyclic.LayerOneWay does as it does. Paths from and to port 0 of every switch are layered
// with the others, unless WithoutSwitches leaves them out, as the paper does.
//
// A finer rule would need finer classes: with the source switch as the class, the
// answer to a packet for a LID of switch T may go to any LID of the source switch,
// so all LIDs between two switches depend on each other.
//
// # Cost
//
// Online: for each pair of classes and each lane that it is offered to the dependencies of
// its paths. Memory: 3 bits an edge place and lane (cdg.Order), and half a byte an ordered
// pair of classes.
package lanes
