// Package goal reads and writes GOAL schedules, as text and in binary. A schedule lists the sends,
// receives and computations of each rank of a parallel program, and their order (T. Hoefler, C.
// Siebert, A. Lumsdaine, "Group Operation Assembly Language", ICPP 2009). LogGOPSim, commit 76451de
// of 2023, defines both forms.
//
// # Text
//
//	num_ranks 2
//	rank 0 {
//	  l1: calc 1000
//	  l2: send 4096b to 1 tag 7 cpu 1 nic 0
//	  l2 requires l1
//	}
//	rank 1 {
//	  recv 4096b from 0 tag 7
//	}
//
// A line holds one statement. Tag, cpu and nic are 0 if they are left out. A receive from -1, or
// with tag -1, takes a message of any rank, or of any tag. An operation that requires another one
// begins when that has ended; irequires: when that has begun. Comments are // to the end of the
// line and /* to */, anywhere.
//
// Reading is strict where a schedule would mean something else than its author thought: a label
// given twice is an error here, while LogGOPSim takes the first. Operations that wait for each
// other in a circle are an error; LogGOPSim ends without them.
package goal
