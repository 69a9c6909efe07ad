// Package vftree reproduces Guay, Bogdanski, Reinemo, Lysne and Skeie, "vFtree - A Fat-tree Routing Algorithm using
// Virtual Lanes to Alleviate Congestion", IPDPS 2011 (paper 004, Paper II), by simulation of packets. The section
// Assumptions of its page says how its hardware is read (Reproduction.Assumptions).
package vftree
