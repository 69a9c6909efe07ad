// Package check is the judge of a Plan. It reads only the Plan and the Graph and shares no code
// with the engines, so that an error in an engine cannot hide itself.
//
// # Order of reading
//
// About an hour:
//
//	report.go     the answers
//	judge.go      the stages, and the input of an Observer
//	shape.go      a Plan that the rest can index safely
//	lids.go       which end port a LID names
//	choice.go     which sources may use a LID
//	tables.go     one LID's entries of all switches, and the neighbour at each port
//	internal/search  how far switches are apart in the fabric; a shortest cycle
//	paths.go      how the way from every switch to a LID ends
//	reach.go      lost pairs, with the fault
//	worker.go     all this for every LID
//	lanes.go      SLs in use, and masks of them
//	vls.go        VLs of SLs, and whether links have them
//	sources.go    which SLs end ports send to a LID
//	collect.go    the dependencies of packets on their way
//	batch.go      the same for all LIDs of a block at once
//	deps.go       their storage
//	verdict.go    the graph of dependencies, and the answers about deadlock
//	witness.go    packets that hold its channels; packets that are discarded
//	findings.go   counts and examples of all workers
//	mix.go        old and new entries in one subnet
//	mixer.go      its workers; mixlanes.go: the lanes of both Plans
//	trees.go      what packets of the trees do: their VLs at each port, their dependencies
//	multicast.go  the verdict on the trees; multicastgroups.go: the trees of groups
//
// Four files are for speed and equal simpler code: batch.go judges the LIDs of a block together,
// row by row of the tables; groups.go and groupmasks.go do the work of sources.go for all sources
// of a switch at once; oncycle.go finds the part that a search for cycles has to visit.
//
// # What it proves
//
// Tables. For every LID the entries of all switches form one graph with at most one edge a switch;
// where that is a tree into the LID's port, every source is delivered. One pass a LID finds
// unreachable pairs, loops, entries for unused ports, deliveries to a wrong port and entries beyond
// the size of a table. A pair without any way is no fault. A breadth-first search from 64 targets
// at a time finds such pairs (bit-parallel, as in Then et al., "The More the Merrier: Efficient
// Multi-Source Graph Traversal", PVLDB 2014). Nothing passes a drained switch in it.
//
// Lanes. The nodes of the dependency graph are the pairs (channel, VL) of Dally and Seitz
// ("Deadlock-Free Message Routing in Multiprocessor Interconnection Networks", IEEE Trans.
// Computers 1987). The hardware finds a packet's VL on each hop from its SL by the SL2VL table of
// the output port (IBA volume 1, section 14.2.5.8). An acyclic graph proves freedom from deadlock.
// The channels from and to a CA or router need no node. Only packets outside the network wait for
// an injection channel. A packet on a delivery channel waits for nothing, because an end port
// consumes its packets. Neither can be on a cycle inside one subnet. Their VLs are checked all the
// same.
//
// Dependencies count on the way to a fault too: a loop in the tables is a cycle in the dependency
// graph.
//
// # Groups
//
// The members of a group may be any end ports at the switches of its tree, and each of them may
// send. So for each tree the judge takes every turn between its cables, the end ports at its
// switches and their ports 0. Every VL of these packets is checked as for paths, at hosts and at
// ports to hosts too. Their dependencies join the graph of the paths. Groups then judges the
// entries of single groups: parts of a tree that reach each receiver once.
//
// Neither covers what the Graph does not know: the MTU of links, the size of multicast tables, and
// partitions. Nor does Mix cover trees.
//
// # Traffic
//
// There are four verdicts; see Report. Sources are all end ports with a LID, including port 0 of
// switches. A pair is a source and a LID that it may use (Plan.Uses) of another end port; a port
// with several LIDs counts once a LID. The reply to a request from s to t goes from t to any LID of
// s that t may use, on its own SL and, if Plan.Service.ReplySameSL, on the SL of the request.
//
// # Cost
//
// O(switches x LIDs) time for the tables, and O(source classes x LIDs) where SLs differ. Only the
// SLs of all sources of a switch together matter. So each such pair costs two reads of half a byte,
// and two more if its SL is not 0: one for the request and one for the reply. With a Choice,
// discarding hosts or tables by input port it is O(end ports x LIDs). Memory: a bit for each table
// entry and for each pair of classes. Each worker adds O(sum of squared switch degrees) bits for
// each SL in use (and VL, with tables by input and output port) and 512 bytes a switch; where LIDs
// are judged together, 202 bytes a switch and 25 bytes a port more, up to 73 a port if a switch has
// over 64 ports. Up to 720 switches it also keeps the distances of all
// pairs. The result does not depend on Options.Workers.
package check
