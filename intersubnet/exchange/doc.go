// Package exchange lets managers of subnets tell each other, through the routers between them, what each needs to find the ways into other subnets, and
// tell the routers how to send packets on. It is the handshake that Bogdański, Johnsen, Reinemo and Flich ask for in "Making the Network
// Scalable" (paper V of paper 004, section 4.2): "an interface in the routers through which the SMs will communicate".
//
// A Router holds notes (intersubnet.Note), one for each subnet, and for each of its ports a table: which GIDs leave by it, to which LID and on which SL. The
// manager of a subnet reads and writes both by datagrams of mad.ClassRouter, in blocks, at the routers that it has found; from one round to the next it
//
//   - asks each router who it is, and which notes it holds;
//   - reads notes about other subnets that are newer than what it knows;
//   - writes its own note, and those that the router has not or has older: so notes reach subnets behind others;
//   - finds the ways from all notes, as every other manager does (intersubnet.WaysOf), and writes the tables of the ports in its subnet.
//
// # Deviations
//
// The paper has the router ask the switches below it which of them has the primary path (algorithm 2). Here the manager, who has written their tables, says so:
// a note names, for each host, the switch with routers of its primary path, and a table names the port. It is the same answer, without a right for routers to read
// tables. Ways are given only where ISFR goes (direct neighbours, hosts, fat-trees under routers), which needs no more lanes than the trees; others must be
// planned together, unless Own.Unproven is set: then ISSR as in the paper, on one layer of lanes, and nobody has proven that it is free of deadlock.
//
// A router takes notes and tables from the master manager of the subnet of the port alone, by the LID that the port has as its MasterSMLID.
//
// # Cost
//
// A round in which nothing has changed is two datagrams and their answers for each router port of the subnet. A note has 11 bytes for each host and switch, a
// table 11 for each host, in blocks of 172.
package exchange
