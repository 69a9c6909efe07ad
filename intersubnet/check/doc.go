// Package check is the judge of an intersubnet.Plan. It reads the fields of the Plan and of the
// Network, and calls none of the functions that make or follow them.
//
// # Order of reading
//
//	report.go   the answer
//	check.go    the stages
//	local.go    one subnet by itself: the distance of each LID from each switch
//	groups.go   targets that are followed together, and the layers on which routers send to them
//	ways.go     the paths between subnets, group by group: losses and loops
//	walk.go     the dependencies inside a subnet
//	graph.go    one graph of dependencies over all subnets
//	cycle.go    a cycle in it
//
// # What it proves
//
// Each subnet by judge/check, once for each Kind and local Plan. Then every pair of end ports in
// different subnets, with port 0 of switches and without routers: from the source to its gateway,
// from router to router, to the target. If a router hashes, every port that it could take must lead
// there. Last the dependency graph. Its nodes are the pairs (link, VL) of all subnets, links to and
// from routers included, because routers hold packets until the link out has room. Either it is
// acyclic, or the report shows a cycle.
//
// Traffic: all pairs of end ports in different subnets, and inside a subnet all end ports to all
// LIDs. Routers send only packets in transit. The VL of a packet follows from the tables: its SL
// from the local Plan and the layer that routers give it, then SL2VL at each port.
//
// # What it does once for many
//
// A group of targets (groups.go) is followed once. Its members have the same gateway in every
// subnet and leave each router through the same ports. So their packets part only inside their
// subnet, where each is looked up. The dependencies inside a subnet are collected once for all
// subnets of one Kind and local Plan where routers send to the same end ports, from the same places
// on the same layers. In the graph that is searched for a cycle, each subnet has its own nodes.
//
// # Cost
//
// O(switches x LIDs) for each Kind and local Plan; O(LIDs x routers that send there x hops) for
// each kind of use; O(subnets x groups x admissible ports) for the paths; and one visit of each
// dependency of the whole. Memory: 2 bytes for each switch and LID of a Kind; 4 for each dependency
// of subnets that differ; one for each link and VL; a bit for each (port in, port out, VL, VL) of
// routers.
package check
