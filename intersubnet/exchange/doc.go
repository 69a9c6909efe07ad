// Package exchange lets managers of subnets talk to each other through the routers between them.
// They exchange the facts that each needs to find the paths into other subnets, and tell the
// routers how to forward packets. It is the handshake that Bogdański, Johnsen, Reinemo and Flich
// ask for in "Making the Network Scalable" (paper V of paper 004, section 4.2): "an interface in
// the routers through which the SMs will communicate".
//
// A Router holds one note (intersubnet.Note) for each subnet, and a table for each of its ports:
// the GIDs that leave through the port, each with a LID and an SL. The manager of a subnet reads
// and writes both at the routers that it has found, in blocks, by datagrams of mad.ClassRouter. In
// each round it
//
//   - asks each router for its identity and its notes;
//   - reads notes about other subnets that are newer than its copies;
//   - writes its own note, and notes that the router lacks or has in an older version: so notes
//     reach subnets behind others;
//   - finds the paths from all notes, as every other manager does (intersubnet.WaysOf), and writes
//     the tables of the ports in its subnet.
//
// # Deviations
//
// In the paper a router asks the switches below it which of them has the primary path (algorithm
// 2). Here the manager, who wrote their tables, says so: a note names, for each host, the switch
// with routers on its primary path, and a table names the port. The answer is the same, and routers
// need no right to read tables. Paths exist only where ISFR applies (direct neighbours, hosts,
// fat-trees under routers), which needs no more lanes than the trees. Other paths must be planned
// together, unless OwnSubnet.Unproven is set: then ISSR as in the paper, on one layer of lanes, and
// nobody has proven it free of deadlock.
//
// A router takes notes and tables only from the master manager of the port's subnet, known by the
// port's MasterSMLID.
//
// # Cost
//
// A round without changes takes two requests and their answers for each router port of the subnet.
// A note has 11 bytes for each host and switch, a table 11 for each host, in blocks of 172.
package exchange
