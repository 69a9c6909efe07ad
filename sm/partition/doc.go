// Package partition holds the partitions of a subnet (IBA volume 1, section 10.9): which ports may
// talk to each other.
//
// Read reads them from a file in the syntax of OpenSM's partitions.conf. Index.KeysOf says which
// P_Keys a port gets, and Place at which index of its table each of them stands. Share says whether
// two ports have a partition in common.
//
// # The file
//
//	Default=0x7fff, ipoib, mtu=4096, rate=100G : ALL=full ;
//	storage=0x0010, indx0, defmember=limited :
//	    ALL_SWITCHES=both, "gpu-*", 0x0002c90300001234=full ;
//
// A partition has a name, a P_Key and flags, then a colon, its members, and a semicolon; a number
// for a name is the P_Key. The flags mtu, rate, sl and others belong to the group that ipoib makes;
// without ipoib all but sl say nothing. By sl the paths in the partition have the level of service
// that has it too (Levels). A comment goes from # to the end of its line.
//
// A member is the GUID of a port, ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS, SELF (the port of the
// subnet manager), or in quotes a pattern of node descriptions, with a membership: full, limited or
// both; without one it is that of defmember, which is limited where it is not given. Among the
// members there may be multicast groups, mgid=ADDRESS and flags, one a line. Parts of the file with
// one P_Key are one partition. Of a port that is named twice what is said last counts.
//
// The default partition, 0x7fff, is always there. Where no file has it, all ports are its limited
// members, and the subnet manager a full one, as it is everywhere.
//
// # Deviations from OpenSM
//
//   - MTU and rate may be written as people say them: mtu=4096 (or the code 5), rate=100G (or the
//     code 16). A number that is both is a code.
//   - Patterns of descriptions in quotes are ours.
//   - What OpenSM warns of and passes over is an error here, with its line: an unknown flag or
//     word, a second colon, a P_Key out of range.
//   - The last partition must end in a semicolon too: without it the file may have been cut off.
//   - A partition without a P_Key gets the least free one, in the order of the file.
//
// # Cost
//
// An Index takes time and memory for each member once; KeysOf then looks at the members of a port
// by GUID, and at all others that are not named by GUID. Place is linear in the size of a table for
// each P_Key. Share compares each P_Key of one port with each of the other.
package partition
