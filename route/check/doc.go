// Package check is the judge of a Plan. It reads the Plan and the Graph and
// nothing else, and shares no code with the engines, so that an error in an engine
// cannot hide itself.
//
// # What it proves
//
// Tables. For every LID the entries of all switches form one graph with at most
// one edge a switch; where that is a tree into the LID's port, every source is
// delivered. One pass a LID finds unreachable pairs, loops, entries without a port
// behind them, deliveries to a wrong port and entries beyond the size of a table,
// and with the weights of the sources the paths on each channel. Lengths are
// compared with a breadth-first search of 64 targets at a time (bit-parallel, as in
// Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal",
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
// # Hops
//
// Hops count as in a forwarding table: the links that a packet crosses from its
// first switch on, the one to the target included; 0 from a switch to its own port
// 0, 1 between two hosts of one switch.
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
