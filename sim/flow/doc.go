// Package flow computes what a Plan delivers, without simulating time: it puts flows on the paths
// of the forwarding tables and shares each link among its flows.
//
// Congestion counting is the simplest model, as defined by ORCS (Schneider, Hoefler and Lumsdaine,
// "ORCS: An Oblivious Routing Congestion Simulator", Indiana University TR-675, 2009; Hoefler,
// Schneider and Lumsdaine, "Multistage Switches are not Crossbars", Cluster 2008). The load of a
// link, host links included, is the number of flows of the round on it. The congestion c of a flow
// is the largest load on its path; its bandwidth is 1/c of a link. The effective bisection
// bandwidth is the mean of 1/c over random bisections: one way (bisect) as ORCS counts, or both
// ways at once (bisect_fb_sym) as netgauge measures; the second is much lower.
//
// Max-min fair shares are the second model (progressive filling; Bertsekas and Gallager, "Data
// Networks", section 6.5.2). The capacities of links follow from their widths and speeds, 1 for the
// fastest; or all are 1, as always in congestion counting.
//
// Pairs counts loads over all ordered pairs of hosts, summed along destination trees: O(switches x
// hosts), not O(hosts^2 x hops). The largest load is the edge forwarding index (Heydemann, Meyer
// and Sotteau, "On Forwarding Indices of Networks", 1989).
//
// Yardstick combines these to compare routings of one fabric. It weights links by rate: a flow asks
// for what the slower link of its two hosts carries, and c is the demand of the flows on a link
// divided by its capacity. Its bound on the bisection bandwidth comes from a cut around each switch
// and from the volume of all channels.
//
// # Deviations
//
// A flow that the tables do not deliver loads nothing, has bandwidth 0, and is counted as
// undelivered; ORCS counts its path up to the hole. A source uses the LID that the Plan's Choice
// names for its target, the first if it lists several. If sources may use any LID, there are two
// ways to count: base LIDs alone (New), or every flow spread evenly over all LIDs of its target
// (NewSpread), with the mean of 1/c over its parts as bandwidth.
//
// # Cost
//
// A Network takes one byte for each switch and target, stored by target, so that a path lies in one
// or two pages of memory. A run costs O(flows x hops). The results do not depend on the number of
// workers: every run and round has its own random generator, and sums are added in order of runs.
package flow
