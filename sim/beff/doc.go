// Package beff runs the latency and bandwidth benchmark of HPC Challenge (b_eff; program bench_lat_bw 1.5.2 by
// R. Rabenseifner, G. Schulz and M. Speck) on packets in time: ping-pongs between pairs of ranks, one after the other, and
// rings in which all ranks exchange messages with both neighbours, in natural and in random orders.
//
// Figures are those that HPC Challenge prints. A ping-pong's time is half of that from ping to pong. A ring's time is that of
// its slowest rank by two messages for each loop, the better of two methods: to the right and then to the left, or both at
// once. So the latency of a ring may be half of that of a ping-pong. Bandwidth is the bytes of a message by that time;
// 1 MB is 10^6 bytes. Random rings are summed up by the geometric mean.
//
// Options.Others is traffic that goes on beside it, such as that of hot-spots; it has the network to itself for 200 us first.
//
// # Deviations
//
// Nothing is measured twice and no loop goes unmeasured, because a simulated network has no noise and needs no
// warming up: the ranks of a ring begin at the same time. A rank goes on when the messages that it sent have arrived, too.
// Software takes no time. Random orders are drawn by Fisher and Yates.
//
// # Cost
//
// A ring sends two messages of 2,000,000 bytes for each rank by each method: 1,953 packets of 2,048 bytes a rank.
package beff
