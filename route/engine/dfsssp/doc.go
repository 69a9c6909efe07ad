// Package dfsssp is deadlock-free SSSP routing of Domke, Hoefler and Nagel,
// "Deadlock-Free Oblivious Routing for Arbitrary Topologies" (paper 003, section IV):
// balanced shortest paths on virtual lanes without a cycle of channel dependencies. SL
// i is VL i at every port. Package plain has the forms of the paper.
//
// # Fewer lanes than the paper
//
// The paper chooses the paths without a thought for lanes, then cuts every cycle at
// its weakest edge (option paths=sssp). Here the lanes are known while paths are chosen. A
// lane is an acyclic graph of channel dependencies that only grows (lanes.Acyclic). The tree
// of a destination is grown outwards over shortest paths; at each switch, of the paths that
// have little more load than the least, the first lane's are preferred, then those that
// can be added to it, then those of the next lane. Each path is then on the first lane that
// has all of it. The first lane starts with an up*/down* order of the channels, for the root
// under which the fewest pairs have no legal shortest path. In a fat-tree with a leaf as
// root every shortest path between hosts is legal, and so is a path between any two
// switches; so one lane takes all, and the balance is that of algorithm 1.
//
// Port 0 of a switch is reached by the shortest path that the first lane has, as in
// package updn; that one, and the way to hosts from a switch without hosts that no
// path between hosts passes, may be longer than the shortest of all.
//
// docs/performance.md compares the lanes that both ways take.
//
// # Balanced paths
//
// The other form (balanced.go) takes the paths of package sssp between hosts as they are, if
// they close no cycle on one lane, as on most trees, whole or damaged. They keep its bandwidth. The
// switches that no path between hosts passes, and port 0 of all, are then led over what the
// first lane has, and over other lanes where it has nothing. Since no host begins these
// paths, they may have twice the least load.
//
// # Which form
//
// forms.go decides, by switches x LIDs, never by seconds. In small networks the balanced form is taken
// where all of it fits on one lane. Where it does not, the other form is made as well, with several slacks
// in load, each in three passes (package sssp). Of those that fit into the lanes allowed, and are
// within 1 % of the best estimated bandwidth, the one on the fewest lanes is taken. In larger
// ones the balanced form is taken if all paths between hosts fit on one lane, else paths with
// little slack; both in two passes. The largest have paths with little slack, in one pass. docs/performance.md has what that gives.
//
// # Answers
//
// A pair of end ports has one lane for both directions and all LIDs ("same"), so that
// an answer is safe on the SL of its request, which most clients use. The paper layers
// each direction for itself ("own"), which takes fewer lanes. By default that is done
// only where "same" does not fit; route.Service.ReplySameSL of the Plan tells, and reports say it.
//
// For "same", pairs whose paths the first lane has both ways stay there. The others are put on
// lanes afresh, and again in several rounds, in which early lanes are refilled (package lanes).
//
// # Several LIDs a port
//
// With LMC above 0 the paths to base LIDs are those of LMC 0. The others are chosen beside
// them, on the same lanes; where they do not fit, they are the path to the base LID.
//
// # Deviations
//
// Traffic of switches (port 0) is layered with the rest, unless switches=false. Its
// paths may be longer than the shortest; those between hosts never are. The spread
// over empty lanes is an option, because it takes lanes that other traffic may be meant
// for.
//
// The cost is that of package sssp; the trees of ports 0, which have no load, grow in
// parallel as long as the first lane need not change for them. Memory beside the tables is
// O(channels), the trees to at most 160 switches or to the hosts of 64, and 4 bytes a path that is
// not on the first lane. The hosts of a switch are one class of SLs, its port 0 another: half a
// byte for each ordered pair. A network on one lane needs none.
package dfsssp
