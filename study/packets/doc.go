// Package packets simulates packets in time under a routing: throughput, latency, losses and
// deadlocks. Parts of the network may fail meanwhile, and tables be repaired.
package packets
