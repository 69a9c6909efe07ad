// Package vftree reproduces Guay, Bogdanski, Reinemo, Lysne and Skeie, "vFtree - A Fat-tree Routing Algorithm using
// Virtual Lanes to Alleviate Congestion", IPDPS 2011 (paper 004, Paper II), by simulation of packets.
//
// # Readings
//
// Hosts send and take 13.5 Gbit/s, three times the 4.5 that the text calls a third: HCAs of 4x DDR behind PCIe 1.1 with 8 lanes.
// Links between the switches of Fig. 3 carry 32 Gbit/s, as the text says; those of Fig. 4, of which it says
// nothing, 16 (4x DDR). On the 648-port fabric all links carry 32 Gbit/s and hosts send as fast as their links; packets
// of 2 KB come at random times, at the full rate. Input buffers hold 16 KB a lane.
// Congestion control has the usual settings of sim/packet: those of the paper's reference are not in it.
package vftree
