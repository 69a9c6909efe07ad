// Package flow says what a Plan delivers, without time: flows are put on the paths
// of the forwarding tables, and what each gets follows from who shares its links.
//
// Depth one is congestion counting, as ORCS defines it (Schneider, Hoefler and
// Lumsdaine, "ORCS: An Oblivious Routing Congestion Simulator", Indiana University
// TR-675, 2009; Hoefler, Schneider and Lumsdaine, "Multistage Switches are not
// Crossbars", Cluster 2008). The load of a link is the number of flows of the round
// on it, host links included; the congestion c of a flow is the largest load on its
// path; its bandwidth is 1/c of a link. The effective bisection bandwidth is the
// mean of 1/c over random bisections: one way (bisect) as ORCS counts, or both ways
// at once (bisect_fb_sym) as netgauge measures; the second is much lower.
//
// Depth two is max-min fair shares (progressive filling; Bertsekas and Gallager,
// "Data Networks", section 6.5.2) on links whose capacities follow from their widths and
// speeds, 1 for the fastest; or 1 for all, as congestion counting has it always.
//
// Pairs are loads over all ordered pairs of hosts, summed along destination trees:
// O(switches x hosts), not O(hosts^2 x hops). The largest is the edge forwarding
// index (Heydemann, Meyer and Sotteau, "On Forwarding Indices of Networks", 1989).
//
// The Yardstick puts these together for comparing routings of one fabric. There congestion
// goes by the rates of links: a flow asks for what the slower link of its two hosts carries,
// and c is what the flows of a link ask for over what it carries. Its bound of the bisection
// bandwidth is a cut around each switch and the volume of all channels.
//
// # Deviations
//
// A flow that the tables do not deliver loads nothing, has bandwidth 0, and is
// counted as undelivered; ORCS keeps the way up to the hole. A source uses the LID of its
// target that the Plan's Choice says, the first where it lists several. Where it may use
// any there are two kinds of traffic: to base LIDs alone (New), and with every flow dealt
// out evenly over all LIDs of its target (NewSpread), whose bandwidth is the mean of
// 1/c over its parts.
//
// # Cost
//
// A Network has a byte a switch and target, by target, so that a path lies in one
// or two pages of memory. A run costs O(flows x hops). The results do not depend on
// the number of workers: every run and round draws from a generator of its own, and
// sums are added in order of runs.
package flow
