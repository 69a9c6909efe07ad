// Package collective makes Programs of collective operations. A rank goes through rounds; it begins
// a round when its messages of the round before have ended, whatever others do. Messages are made
// when their round begins, so memory does not grow with the number of rounds.
//
// A size is that of the whole vector for all-reduce, reduce-scatter, broadcast and reduce. For
// all-gather and all-to-all it is that of the block of a pair of ranks. P is the number of ranks, k
// the logarithm of P to base 2, rounded up.
//
//	allreduce      ring        a ring reduce-scatter, then a ring all-gather: 2(P-1) rounds
//	               doubling    recursive doubling: the whole vector in each of k rounds
//	               halving     recursive halving, then doubling (Rabenseifner): 2k rounds
//	reducescatter  ring        P-1 rounds
//	allgather      ring        P-1 rounds
//	               doubling    k rounds, P a power of two
//	               bruck       k rounds
//	alltoall       pairwise    P-1 rounds; the partner is r xor s for P a power of two
//	               shift       P-1 rounds; the partner is r+s
//	               bruck       k rounds
//	               atonce      one round with all messages
//	broadcast      binomial    k rounds from rank 0
//	reduce         binomial    k rounds to rank 0
//	barrier        dissemination  k rounds
//
// If P is no power of two, doubling and halving first fold pairs of the first ranks, so that a
// power of two is left, and unfold them at the end (R. Thakur, R. Rabenseifner, W. Gropp,
// "Optimization of Collective Communication Operations in MPICH", IJHPCA 19(1), 2005).
package collective
