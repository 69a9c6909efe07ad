// Package dfsssp is the deadlock-free SSSP routing of Domke, Hoefler and Nagel, "Deadlock-Free
// Oblivious Routing for Arbitrary Topologies" (paper 003, section IV): balanced shortest paths on
// virtual lanes without a cycle of channel dependencies. SL i is VL i at every port. Package plain
// has the forms of the paper.
//
// # Fewer lanes than the paper
//
// The paper first chooses the paths regardless of lanes, then cuts every cycle at its weakest edge
// (option paths=sssp). Here the choice of paths knows the lanes. A lane is an acyclic graph of
// channel dependencies that only grows (lanes.Acyclic). The tree of a destination grows outwards
// over shortest paths. At each switch the candidates are the paths with little more load than the
// least. Paths of the first lane come first, then paths that can be added to it, then paths of the
// next lane. Each path is then on the first lane that has all of it. The first lane starts with an
// up*/down* order of the channels, for the root under which the fewest pairs have no legal shortest
// path. In a fat-tree with a leaf as root every shortest path between hosts is legal, and so is a
// path between any two switches; so one lane is enough, with the balance of algorithm 1.
//
// Packets reach port 0 of a switch by the shortest path on the first lane, as in package updn. That
// path may be longer than the shortest of all. So may the way to hosts from a switch without hosts
// that no path between hosts passes.
//
// docs/performance.md compares the numbers of lanes.
//
// # Balanced paths
//
// The other form (balanced.go) takes the unchanged paths of package sssp between hosts, with their
// bandwidth. It needs paths that close no cycle on one lane, as on most trees, whole or damaged.
// Paths from the remaining switches to hosts, and to port 0 of all switches, then use the first
// lane where possible, and other lanes elsewhere. Since no host starts these paths, they may have
// twice the least load.
//
// # Which form
//
// forms.go decides by switches x LIDs, never by seconds. Small networks get the balanced form if
// all of it fits on one lane. Otherwise the engine also tries the other form with several slacks in
// load, each in three passes (package sssp). Of the results that fit into the allowed lanes, within
// 1 % of the best estimated bandwidth, it takes the one on the fewest lanes. Larger networks get
// the balanced form if all paths between hosts fit on one lane, else paths with little slack; both
// in two passes. The largest get paths with little slack, in one pass. docs/performance.md has
// figures.
//
// # Answers
//
// A pair of end ports has one lane for both directions and all LIDs ("same"), so that an answer is
// safe on the SL of its request, which most clients use. The paper layers each direction separately
// ("own"), on fewer lanes. The default is to do so only if "same" does not fit;
// route.Service.ReplySameSL of the Plan and reports tell.
//
// For "same", pairs whose paths are on the first lane both ways stay there. The others get new
// lanes, in several rounds that refill early lanes (package lanes).
//
// # Several LIDs a port
//
// With LMC above 0 the paths to base LIDs equal the paths with LMC 0. The other LIDs get paths on
// the same lanes, or if these do not fit the path to the base LID.
//
// # Deviations
//
// Traffic of switches (port 0) is layered with the rest, unless switches=false. Its paths may be
// longer than the shortest; paths between hosts never are. Spreading over empty lanes is an option,
// because other traffic may need these lanes.
//
// The cost is that of package sssp. The trees to ports 0, which have no load, grow in parallel
// while they need no change of the first lane. Memory besides the tables is O(channels), the trees
// to at most 160 switches or to the hosts of 64, and 4 bytes for each path outside the first lane.
// The hosts of a switch are one class of SLs, its port 0 another: half a byte for each ordered
// pair. A network on one lane needs none.
package dfsssp
