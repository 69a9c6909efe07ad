// Package perf is a performance manager: it polls the counters of all ports of a subnet. It first
// reads the ClassPortInfo of a device, then its PortCountersExtended if it has them, and
// PortCounters if it lacks them or their error fields (16.1). It is a pure machine: requests come
// out, answers and the time go in. Requests per second and requests under way are limited, whatever
// the subnet does.
//
// A report gives a counter's growth since the previous reading; the first reading gives none.
//   - A counter below its previous value was cleared, or its device restarted: its growth is its
//     present value. A 64-bit counter that was near its maximum has wrapped around instead.
//   - The counters of PortCounters stop at their maximum. For a stopped counter the growth is a
//     lower bound. At three quarters of the maximum the manager clears a counter, as other
//     performance managers do.
//   - If a device changes from one attribute to the other, the next reading counts as the first.
//
// Rounds of the manager change the subnet at any time (follow.go). A port is known by its node GUID
// and number, and keeps its counts while it is away. A round of readings goes on with the devices
// that stay, and the last report stays. A switch port that has lost its cable is read as long as
// the switch is there: its counters tell why.
//
// A counter of errors that grows faster than its Rule allows raises an event, and another one when
// it is calm again (rules.go).
//
// Units: PortXmitData and PortRcvData count words of 4 bytes; reports have bytes and Gbit/s.
// PortXmitWait counts the ticks that data waited for its turn or for credits. The device defines
// the length of a tick, so reports do not convert it to a share of time.
//
// After a redirection (13.5.2), requests go to the LID and QP in it. A redirection to another
// subnet is not followed.
//
// Cost: one request per port and round for devices with extended error counters, else two. Of these
// devices, a switch with sums over all ports (AllPortSelect) needs the second request only if a sum
// has moved (sums.go). About 500 bytes per port.
//
// Which other requests could be saved, and are not: the ends of a cable count the same data, but
// each has its own errors and waits, and its own losses. A round without one end would not show
// them.
package perf
