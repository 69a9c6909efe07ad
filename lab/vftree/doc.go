// Package vftree reproduces Guay, Bogdanski, Reinemo, Lysne and Skeie, "vFtree - A Fat-tree Routing
// Algorithm using Virtual Lanes to Alleviate Congestion", IPDPS 2011 (paper 004, Paper II), by
// simulating packets. The section Assumptions of its page states how we read its hardware
// (Reproduction.Assumptions).
package vftree
