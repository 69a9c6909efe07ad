// Package fattree reproduces papers I, III, IV and VI of Bogdanski, "Optimized Routing
// for Fat-Tree Topologies" (thesis, 2014; paper 004), as far as static analysis and the
// flow level go: balance of paths, reachability of switches, lanes, degraded trees,
// nodes with several ports, execution times.
//
// The thesis measured throughput in a packet simulator, under uniform traffic: every
// message goes to a target drawn anew. At the flow level a link is shared by what
// passes it on average, without queues, so that a balanced tree gives 100 % where the
// thesis has 88 to 96. Two estimators (flow.InOrder, flow.Independent) bracket what a skewed tree gives: in
// order, a sender waits for its worst path; independent, no message waits for another.
// What the thesis says about differences below that resolution is marked as needing
// the packet simulator; its estimator has the same form as these.
//
// EFT is the thesis's name for OpenSM's fat-tree routing of 2010, here ftree with
// balance=zahavi; BEFT is balance=beft; ours is ftree with its defaults, in the tables of
// times balance=closed. MinHop of OpenSM counts table entries (package plain), weft's
// minhop paths.
//
// Curves were never printed as numbers: what is compared is what the text says of them.
package fattree
