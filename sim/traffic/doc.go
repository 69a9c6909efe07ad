// Package traffic describes who sends to whom. A Pattern is a list of rounds; the flows of a round
// run at the same time. Flows are pairs of ranks, 0 to Ranks-1. The caller's order of hosts assigns
// ranks to hosts: fixed, or shuffled anew in every run.
//
// All patterns of ORCS (Schneider, Hoefler and Lumsdaine, "ORCS: An Oblivious Routing Congestion
// Simulator", Indiana University TR-675, 2009; program version 2.0) are here under its names:
// bisect, bisect_fb_sym, rand, null, tree, bruck, recdbl, ring, gather, scatter, neighbor,
// recvs_all_src, recvs_one_src and ptrnvsptrn. Like ORCS we shuffle the hosts before every run of
// them. In addition there are the rings of HPCC, shifts (Zahavi et al., 2010), nearest neighbours
// and tornado (Dally and Towles, "Principles and Practices of Interconnection Networks", section
// 3.2), incast and storage. Kinds says what happens to ranks that ORCS leaves out (recdbl beyond a
// power of two, an odd number in a bisection).
//
// Deviations from ORCS. Its rand draws one destination after the other and corrects the last one,
// so that some permutations without fixed points are more likely than others; ours are all equally
// likely. Its permutations and senders have no seed that the user could set. It lowers arguments
// that are too large; we refuse them. In its ptrnvsptrn, the rounds of the second pattern continue
// from run to run; ours begin anew with every run. Its number of ranks is even by default; ours is
// the number of hosts.
//
// Randomness comes from math/rand/v2 PCG generators. Seed sets them from a seed, a run and a round,
// so that any run can be repeated alone.
//
// Kinds are listed in kinds.go. Traffic may also come from files: rounds (file.go), streams of
// messages between two ranks (streams.go), and single messages at given times (timed.go).
package traffic
