// Package beff runs the latency and bandwidth benchmark of HPC Challenge on packets in time (b_eff;
// program bench_lat_bw 1.5.2 by R. Rabenseifner, G. Schulz and M. Speck). Pairs of ranks play
// ping-pong, one after the other. All ranks of a ring, in natural or random order, exchange
// messages with both neighbours.
//
// The figures are the ones that HPC Challenge prints. A ping-pong's time is half of the time from
// ping to pong. A ring's time is the time of its slowest rank, divided by the two messages of each
// loop, by the better of two methods: first to the right and then to the left, or both at once. So
// a ring's latency may be half of a ping-pong's. Bandwidth is the bytes of a message divided by
// that time; 1 MB is 10^6 bytes. Random rings are summarised by the geometric mean.
//
// Options.Others is traffic beside the benchmark, such as hot-spots; it runs alone for the first
// 200 us.
//
// # Deviations
//
// There are no repetitions and no warm-up loops, because a simulated network has no noise: the
// ranks of a ring begin at the same time. A rank waits until the messages that it sent have
// arrived, too. Software takes no time. Random orders are drawn by Fisher and Yates.
//
// # Cost
//
// By each method, a ring sends two messages of 2,000,000 bytes for each rank: 1,953 packets of
// 2,048 bytes a rank.
package beff
