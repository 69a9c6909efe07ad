// Package naming reproduces the two papers on LIDs: LID is Nienaber, Yuan and Duan, "LID Assignment
// in InfiniBand Networks", IEEE TPDS 2009 (paper 000); Renaming is Lopez, Flich and Duato,
// "Deadlock-free Routing in InfiniBand through Destination Renaming", ICPP 2001 (paper 002). Every
// printed value stands next to the mean of our instances with half its 95 % confidence interval.
//
// The papers' networks are random, and their generators are not known. Paper 000: exactly 4 links a
// switch of distinct pairs, machines on uniform switches, a uniform root. Paper 002: random regular
// graphs. Instance k has the seed of the run plus k, for the network and for the paths; the tables
// name the seeds.
//
// Printed values that cannot be right are marked. We judge them by the rest of the paper, or not at
// all.
//
// Path computations, LID assignments and networks have an option for each reading. Results are
// cached, so that a reading that does not concern a row costs nothing there.
package naming
