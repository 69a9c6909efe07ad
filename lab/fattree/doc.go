// Package fattree reproduces papers I, III, IV and VI of Bogdanski, "Optimized Routing for Fat-Tree
// Topologies" (thesis, 2014; paper 004): throughput, balance of paths, reachability of switches,
// lanes, degraded trees, nodes with several ports, execution times.
//
// Simulated packets stand for the papers' measurements and simulations. The section Assumptions of
// their pages states how we read their hardware (Reproduction.Assumptions).
//
// EFT is the thesis's name for OpenSM's fat-tree routing of 2010. In paper I it is ftree with
// balance=eft, as described there, in the other papers balance=zahavi. BEFT is balance=beft; ours
// is ftree with its defaults, in the tables of times balance=closed. OpenSM's MinHop counts table
// entries (package opensm), weft's minhop counts paths.
//
// Curves were never printed as numbers; we compare with the text about them.
package fattree
