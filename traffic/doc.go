// Package traffic says who sends to whom. A Pattern is a list of rounds; the flows
// of a round are under way at once. Flows are pairs of ranks, 0 to Ranks-1; which
// host a rank is, the caller's order of hosts says: shuffled anew in every run, or
// in place.
//
// The patterns bisect, bisect_fb_sym, rand, null, tree, bruck, recdbl, ring, gather
// and scatter are those of ORCS (Schneider, Hoefler and Lumsdaine, "ORCS: An
// Oblivious Routing Congestion Simulator", Indiana University TR-675, 2009), under
// its names; like ORCS we shuffle the hosts before every run of them. The rings of
// HPCC, shifts (Zahavi et al., 2010), nearest neighbours and tornado (Dally and
// Towles, "Principles and Practices of Interconnection Networks", section 3.2) are
// added. ORCS's neighbor, recvs and ptrnvsptrn are not here. Where ORCS leaves out
// ranks (recdbl beyond a power of two, an odd number in a bisection), Kinds says
// what happens.
//
// Randomness comes from math/rand/v2 PCG generators that Seed sets from a seed, a
// run and a round, so that any run can be drawn again alone.
package traffic
