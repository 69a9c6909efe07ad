// Package fluid moves messages through a network as flows: each has a fixed path, and the rates of
// all flows are max-min fair. Rates change only when a flow begins or ends, and between these
// instants each flow's rate is constant, so progress is exact without time steps.
//
// A change touches only the flows that share links with the changed ones, directly or over others;
// their rates are computed again by progressive filling (D. Bertsekas, R. Gallager, "Data
// Networks", 1992, section 6.5.2). All changes of one instant are made together.
//
// Deviations from real networks: no packets, no buffers, no head-of-line blocking, and a flow has
// its whole path from its begin to its end. The latency of a path is added after the flow's end.
//
// Where a link has many flows, a begin or an end changes all rates by very little, and an
// all-to-all operation has a million of them. With Slack such changes wait for each other: a flow
// begins late, and keeps its links after its end, by at most that share of its own time.
//
// # Cost
//
// A change costs the sum of the path lengths of the flows in its component, and a heap operation
// for each of its links and for each flow whose end moves. Memory is 12 bytes for each link of each
// flow.
package fluid
