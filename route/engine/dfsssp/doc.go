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
// # Passes
//
// With passes=2 or 3 (package sssp) the load is more even where a network is not whole or
// not regular, at half of the time again for each; docs/performance.md has figures. One is the
// default: the paper's, and the fastest.
//
// # Answers
//
// A pair of end ports has one lane for both directions and all LIDs ("same"), so that
// an answer is safe on the SL of its request, which most clients use. The paper layers
// each direction for itself ("own"), which takes fewer lanes. By default that is done
// only where "same" does not fit; route.Service.ReplySameSL of the Plan tells.
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
// for. Paths have little slack in load for the sake of lanes at first; where they do
// not fit, they are chosen again with more.
//
// The cost is that of package sssp; the trees of ports 0, which have no load, grow in
// parallel as long as the first lane need not change for them. Memory beside the tables is
// O(channels), the trees of at most 160 switches, and 4 bytes a path that is not on the
// first lane. The SLs take half a byte an ordered pair of end ports, up to 16,384 end
// ports; larger networks have one class for the hosts of a switch and one for its port 0.
// A network on one lane needs none.
package dfsssp
