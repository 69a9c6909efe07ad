// Package check is the judge of an intersubnet.Plan. It reads the fields of the Plan and of the Network and calls none of the functions
// by which they were made or are followed.
//
// # Order of reading
//
//	report.go   what is answered
//	check.go    the stages
//	local.go one subnet by itself: how far each LID is from each switch
//	groups.go   targets that are followed together, and where and on which layers routers send to them
//	ways.go     the ways between subnets, group by group: what is lost, what goes in circles
//	walk.go     the dependencies inside a subnet
//	graph.go    one graph of dependencies over all subnets
//	cycle.go    a cycle in it
//
// # What it proves
//
// Each subnet by judge/check, once for each Kind and local Plan. Then every pair of end ports in different subnets, port 0 of switches among them,
// routers apart: the gateway of the source's subnet, from router to router, to the target. Where a router hashes, every port that it
// could take must do. Last the dependency graph: its nodes are the pairs (link, VL) of all subnets, links to and from routers among them,
// because routers hold packets until the link out has room. It is acyclic, or a cycle is shown.
//
// Traffic: all pairs of end ports in different subnets; inside a subnet all end ports to all LIDs, routers apart, which send only what is in transit. On which
// VL a packet travels follows from the tables: SL by the local Plan and the layer to which routers map it, SL2VL at each port.
//
// # What it does once for many
//
// A group of targets (groups.go) is followed once: its members have the same gateway in every subnet and leave each router by the same ports, so
// that their packets part only inside their subnet, where each is looked up. The dependencies inside a subnet are collected once for all subnets of one Kind and
// local Plan to whose end ports routers send by the same places on the same layers. All subnets have their own nodes in the graph in which the cycle is looked for.
//
// # Cost
//
// O(switches x LIDs) for each Kind and local Plan; O(LIDs x routers that send there x hops) for each kind of use; O(subnets x groups x
// admissible ports) for the ways; and one visit of each dependency of the whole. Memory: 2 bytes for each switch and LID of a Kind, 4 for each dependency of
// subnets that differ, one for each link and VL, a bit for each (port in, port out, VL, VL) of routers.
package check
