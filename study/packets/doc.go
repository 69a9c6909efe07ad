// Package packets simulates packets in time under a routing: throughput, latency, losses and
// deadlocks, also while parts of the network fail and the tables are repaired.
package packets
