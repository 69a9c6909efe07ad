// Package lanes puts the paths of given forwarding tables on virtual lanes so that
// no lane has a cycle of channel dependencies. It implements section IV of Domke,
// Hoefler and Nagel, "Deadlock-Free Oblivious Routing for Arbitrary Topologies"
// (paper 003): offline layering (algorithm 2), online layering, and balancing.
//
// # What is layered
//
// End ports are put into classes, each within one switch: one a port (ByEnd), or
// the hosts of a switch and its port 0 (BySwitch), or a switch with its hosts where
// all LIDs take the paths of a few (ByTree). What gets a lane is a pair of
// classes with all paths between them, both ways and to every LID. So a request
// and its answer are always on the same SL (Service.ReplySameSL), whichever LIDs
// they name. The paper layers each direction for itself; its answers are not safe
// on the SL of the request; Options.OneWay does as it does. Paths from and to port 0
// of every switch are layered with the others, unless WithoutSwitches leaves them out,
// as the paper does.
//
// A finer rule would need finer classes: with the source switch as the class, the
// answer to a packet for a LID of switch T may go to any LID of the source switch,
// so all LIDs between two switches depend on each other.
//
// Beyond the paper: Options.Refill, which gives back to a lane the pairs that were
// moved from it without need; and Acyclic, lanes that whoever chooses the paths asks
// first, which takes far fewer of them (package dfsssp has figures).
//
// # The graph
//
// A node is a channel, an edge a pair of channels that follow each other on a path,
// with the number of (class, LID) paths that make it. Edges have fixed places in one
// array: the channels out of a switch for each channel into it. Channels from and to
// hosts are on no cycle and are left out.
//
// Lists of the paths that make an edge, which are most of the paper's memory, are
// not kept: in forwarding tables those paths are the branches of in-trees above the
// edge, and are found from the tables when the edge is cut.
//
// # Cost
//
// Offline: O(switches x LIDs) for the first lane, then O(channels + edges) a lane
// and the paths through the edges that are cut. Online: for each pair of classes and
// each lane that it is offered to the dependencies of its paths. A new one may move
// channels in the lane's order: a search from both its ends, and the side that is
// found whole first moves (after the two-way search of Haeupler, Kavitha, Mathew, Sen
// and Tarjan, "Incremental Cycle Detection, Topological Ordering, and Strong Component
// Maintenance", ACM TALG 2012). A dependency that would close a cycle stays refused.
// Memory: 4 bytes an edge place and lane, and half a byte an ordered pair of classes.
package lanes
