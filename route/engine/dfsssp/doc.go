// Package dfsssp is deadlock-free SSSP routing of Domke, Hoefler and Nagel,
// "Deadlock-Free Oblivious Routing for Arbitrary Topologies" (paper 003, section IV):
// the paths of package sssp, put on virtual lanes by the offline layering of package
// lanes (algorithm 2). SL i is VL i at every port.
//
// Deviations: a pair of end ports has one lane for both directions and all LIDs, so
// that an answer is safe on the SL of its request; traffic of switches (port 0) is
// layered with the rest; the spread over empty lanes is an option, because it takes
// lanes that other traffic may be meant for.
//
// Where the paper's layering takes more lanes than are allowed, but not more than
// there are SLs, it is done again with refilled lanes (see lanes.Options) before the
// network is refused.
//
// The cost is that of both packages. The SLs take half a byte an ordered pair of end
// ports, up to 16,384 end ports; larger networks have one class for the hosts of a
// switch and one for its port 0.
package dfsssp
