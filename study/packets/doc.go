// Package packets simulates packets in time under a routing: throughput, latency, losses and
// deadlocks. Parts of the network may fail meanwhile, and tables be repaired.
//
// request.go holds the request and its checks, workload.go makes the traffic, run.go runs it.
// simulation.go is the JSON document, text.go prints it. changes.go lets parts fail, beff.go runs
// the benchmark, between.go crosses routers.
package packets
