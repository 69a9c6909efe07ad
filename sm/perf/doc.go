// Package perf reads the counters of all ports of a subnet again and again, as a performance
// manager: PortCountersExtended where a device has it, PortCounters where not or where that lacks
// errors, ClassPortInfo first, which says so (16.1). It is a pure machine: what to ask comes out,
// answers and the time go in. It has a most of requests a second and under way, whatever the subnet
// does.
//
// What is counted is what a counter has grown by since the reading before; the first reading tells
// nothing.
//   - A counter that is smaller than before was set back, or its device has restarted: it has grown
//     by what it is now. A counter of 64 bits that was near its end has gone round instead.
//   - The counters of PortCounters stop at their most. One that has stopped has grown by at least
//     what is told; when one is at three quarters it is set to 0, as other performance managers do.
//   - Where a device changes from one attribute to the other, the next reading is a first one.
//
// Units: PortXmitData and PortRcvData count words of 4 bytes; reports have bytes and Gbit/s.
// PortXmitWait counts ticks in which data waited for its turn or for credits. How long a tick is,
// is the device's own: shares of time are not made of it.
//
// A request that is answered by a redirection (13.5.2) goes to the LID and QP that it names from
// then on; one to another subnet is not followed.
//
// Cost: a request a port and round where devices have the extended error counters, else two; some
// 500 bytes a port.
package perf
