// Package naming reproduces the two papers on LIDs: LID is Nienaber, Yuan and Duan,
// "LID Assignment in InfiniBand Networks", IEEE TPDS 2009 (paper 000); Renaming is
// Lopez, Flich and Duato, "Deadlock-free Routing in InfiniBand through Destination
// Renaming", ICPP 2001 (paper 002). Every printed value stands beside the mean of our
// instances with half its 95 % confidence interval.
//
// The papers' networks are random, and their generators are not known. Paper 000: exactly
// 4 links a switch of distinct pairs, machines on uniform switches, a uniform root.
// Paper 002: random regular graphs. Instance k has the seed of the run plus k, for the
// network and for the paths; the tables name the seeds.
//
// Values that cannot be right as printed are marked, and judged by what the rest of
// the paper says they are, or not at all.
//
// Path computations, LID assignments and networks have an option for each reading. What was measured is kept, so that a
// reading that does not concern a row costs nothing there.
package naming
