// Package check is the judge of a Plan. It reads the Plan and the Graph and
// nothing else, and shares no code with the engines, so that an error in an engine
// cannot hide itself.
//
// # Order of reading
//
// An hour, from the question to the answer:
//
//	report.go     what is answered
//	judge.go      the stages, and what an Observer is shown
//	shape.go      a Plan that the rest can index safely
//	lids.go       which end port a LID names
//	choice.go     which sources may use a LID
//	tables.go     one LID's entries of all switches, and what is behind each port
//	distance.go   how far switches are apart in the fabric
//	paths.go      how the way from every switch to a LID ends
//	reach.go      which pairs are lost, and by which fault
//	worker.go     all this for every LID
//	lanes.go      SLs in use, and masks of them
//	vls.go        VLs of SLs, and whether links have them
//	sources.go    which SLs end ports send to a LID
//	collect.go    the dependencies that packets make on their way
//	deps.go       where they are kept
//	verdict.go    the graph of dependencies, and the answers about deadlock
//	cycle.go      a shortest cycle
//	witness.go    packets that hold its channels; packets that are discarded
//	findings.go   counts and examples of all workers
//	mix.go        old and new entries in one subnet
//
// Three files are there for speed, and do what a simpler one says: groups.go and
// groupmasks.go do the work of sources.go for all sources of a switch at once;
// oncycle.go finds what cycle.go has to look at.
//
// # What it proves
//
// Tables. For every LID the entries of all switches form one graph with at most
// one edge a switch; where that is a tree into the LID's port, every source is
// delivered. One pass a LID finds unreachable pairs, loops, entries without a port
// behind them, deliveries to a wrong port and entries beyond the size of a table.
// What cannot be reached at all is no fault: that is found by a breadth-first search of 64
// targets at a time (bit-parallel, as in Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal",
// PVLDB 2014), in which a drained switch lets nothing through.
//
// Lanes. The nodes of the dependency graph are the pairs (channel, VL) of Dally and
// Seitz ("Deadlock-Free Message Routing in Multiprocessor Interconnection
// Networks", IEEE Trans. Computers 1987). A packet's VL on each hop is what the
// hardware makes of it: its SL through the SL2VL table of the port it leaves by
// (IBA volume 1, section 14.2.5.8). An acyclic graph proves freedom from deadlock.
// The channels from and to a CA or router need no node: nothing waits for an
// injection channel but packets that have not entered the network, and a packet on
// a delivery channel waits for nothing, because an end port consumes what it gets.
// Neither can be on a cycle inside one subnet. Their VLs are checked all the same.
//
// Every dependency that packets make is counted, also on the way to a fault: a loop
// in the tables is a cycle in the dependency graph.
//
// # Traffic
//
// Four verdicts are given; see Report. Sources are all end ports that have a LID,
// port 0 of switches too. A pair is a source and a LID that it may use
// (Plan.Uses) of another end port; with several LIDs a port it is counted once a
// LID. The reply to a request from s to t goes from t to any LID of s that t may
// use, on its own SL and, if Plan.Service.ReplySameSL, on the SL of the request.
//
// # Cost
//
// O(switches x LIDs) time for the tables, and O(source classes x LIDs) where SLs
// differ: half a byte is read twice for each such pair, to see whether it is SL 0, and
// where it is not once more on the way there and once for the reply, because only
// what the sources of a switch use together matters. With a Choice, discarding hosts
// or tables by input port it is O(end ports x LIDs). Memory: a bit for each table
// entry and for each pair of classes, and for each worker O(sum of squared switch
// degrees) bits for each SL in use (and VL, with tables by input and output port),
// 512 bytes a switch, and the distances of all pairs where there are up to 720
// switches.
// The result does not depend on Options.Workers.
package check
