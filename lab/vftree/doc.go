// Package vftree reproduces Guay, Bogdanski, Reinemo, Lysne and Skeie, "vFtree - A Fat-tree Routing Algorithm using
// Virtual Lanes to Alleviate Congestion", IPDPS 2011 (paper 004, Paper II), by simulation of packets. How its hardware is
// read stands at the top of its page (Reproduction.Assumptions).
package vftree
