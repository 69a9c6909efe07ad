// Package check is the judge of an intersubnet.Plan. It reads the fields of the Plan and of the Network and calls none of the functions
// by which they were made or are followed.
//
// # Order of reading
//
//	report.go   what is answered
//	check.go    the stages
//	ground.go   one subnet by itself: how far each LID is from each switch
//	ways.go     the ways between subnets, target by target: what is lost, what goes in circles, which SLs routers send
//	walk.go     the dependencies inside a subnet
//	graph.go    one graph of dependencies over all subnets, and a cycle in it
//
// # What it proves
//
// Each subnet by route/check, once for each Kind and local Plan. Then every pair of end ports in different subnets, port 0 of switches among them,
// routers apart: the gateway of the source's subnet, from router to router, to the target. Where a router hashes, every port that it
// could take must do. Last the dependency graph: its nodes are the pairs (link, VL) of all subnets, links to and from routers among them,
// because routers hold packets until the link out has room. It is acyclic, or a cycle is shown.
//
// Traffic: all pairs of end ports in different subnets; inside a subnet all end ports to all LIDs, routers apart, which send only what is in transit. On which
// VL a packet travels follows from the tables: SL by the local Plan and the layer to which routers map it, SL2VL at each port.
//
// # Cost
//
// O(switches x LIDs) for each Kind and local Plan; for each subnet at most O(LIDs x routers that send there x hops); and O(subnets x targets x
// admissible ports) for the ways. Memory: 2 bytes for each switch and LID of a Kind, 2 bytes for each router port and LID of a subnet, a bit for
// each (switch, input, output, VL, VL).
package check
