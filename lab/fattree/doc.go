// Package fattree reproduces papers I, III, IV and VI of Bogdanski, "Optimized Routing
// for Fat-Tree Topologies" (thesis, 2014; paper 004): throughput, balance of paths, reachability of
// switches, lanes, degraded trees, nodes with several ports, execution times.
//
// What the papers measured or simulated is simulated by packets; the section Assumptions of their
// pages says how their hardware is read (Reproduction.Assumptions).
//
// EFT is the thesis's name for OpenSM's fat-tree routing of 2010: in paper I balance=eft of ftree, which is
// how its text tells it, in the others balance=zahavi; BEFT is balance=beft; ours is ftree with its defaults, in the tables of
// times balance=closed. MinHop of OpenSM counts table entries (package opensm), weft's
// minhop paths.
//
// Curves were never printed as numbers: what is compared is what the text says of them.
package fattree
