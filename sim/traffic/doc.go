// Package traffic says who sends to whom. A Pattern is a list of rounds; the flows
// of a round are under way at once. Flows are pairs of ranks, 0 to Ranks-1; which
// host a rank is, the caller's order of hosts says: shuffled anew in every run, or
// in place.
//
// All patterns of ORCS (Schneider, Hoefler and Lumsdaine, "ORCS: An Oblivious Routing
// Congestion Simulator", Indiana University TR-675, 2009; program version 2.0) are
// here under its names: bisect, bisect_fb_sym, rand, null, tree, bruck, recdbl, ring,
// gather, scatter, neighbor, recvs_all_src, recvs_one_src and ptrnvsptrn; like ORCS we
// shuffle the hosts before every run of them. The rings of HPCC, shifts (Zahavi et al., 2010), nearest neighbours and tornado (Dally and
// Towles, "Principles and Practices of Interconnection Networks", section 3.2), incast and storage are
// added. Where ORCS leaves out ranks (recdbl beyond a power of two, an odd number in a
// bisection), Kinds says what happens.
//
// Deviations from ORCS. Its rand draws destinations one after the other and mends the
// last one, so some permutations without fixed points come more often than others;
// ours come all alike. It draws a permutation or senders without a seed that the user
// could set. It lowers arguments that are too large, which we refuse. The rounds of
// the second pattern of its ptrnvsptrn go on from run to run; ours begin with every
// run. Its number of ranks is even unless it is given; ours is the number of hosts.
//
// Randomness comes from math/rand/v2 PCG generators that Seed sets from a seed, a
// run and a round, so that any run can be drawn again alone.
package traffic
