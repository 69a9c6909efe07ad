// Package partition holds the partitions of a subnet (IBA volume 1, section 10.9): which ports may
// talk to each other.
//
// Read parses a file in the syntax of OpenSM's partitions.conf. Index.KeysOf returns the P_Keys of
// a port, and Place assigns them to indexes of its P_Key table. Share reports whether two ports
// have a partition in common.
//
// # The file
//
//	Default=0x7fff, ipoib, mtu=4096, rate=100G : ALL=full ;
//	storage=0x0010, indx0, defmember=limited :
//	    ALL_SWITCHES=both, "gpu-*", 0x0002c90300001234=full ;
//
// A partition has a name, a P_Key and flags, then a colon, its members, and a semicolon. A number
// in place of the name is the P_Key. The flags mtu, rate, sl and others describe the multicast
// group that ipoib creates; without ipoib all but sl have no effect. The flag sl also selects the
// level of service with that SL for the partition's paths (Levels). A comment runs from # to the
// end of its line.
//
// A member is the GUID of a port, ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS, SELF (the port of the
// subnet manager), or a pattern of node descriptions in quotes. A membership may follow: full,
// limited or both; the default is defmember, or limited without it. The member list may include
// multicast groups, mgid=ADDRESS and flags, one a line. Parts of the file with the same P_Key are
// one partition. If several members name the same port, the last one counts.
//
// The default partition, 0x7fff, always exists. If the file lacks it, read.go adds it, with all
// ports as limited members. The subnet manager is always a full member. Without any file the
// manager uses no partitions at all: a port becomes a full member of 0x7fff and keeps its other
// P_Keys (package round). Everyone returns the default partition alone, with all ports as full
// members.
//
// # Deviations from OpenSM
//
//   - MTU and rate may be given in their usual units: mtu=4096 (or the code 5), rate=100G (or the
//     code 16). A number that could be either is a code.
//   - Patterns of descriptions in quotes are an extension.
//   - Where OpenSM warns and continues, Read returns an error with the line: an unknown flag or
//     word, a second colon, a P_Key out of range.
//   - The last partition must end in a semicolon too: without it the file may have been cut off.
//   - A partition without a P_Key gets the lowest free one, in the order of the file.
//
// # Cost
//
// NewIndex takes time and memory for each member once. KeysOf then visits the port's members by
// GUID, and all members not named by GUID. Place is linear in the table size for each P_Key. Share
// compares each P_Key of one port with each of the other.
package partition
