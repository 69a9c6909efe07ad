// Package outage simulates the effect of a fault on the traffic of a managed subnet: packets
// (sim/packet), devices (emulator) and managers (sm) in one virtual time. A run begins with the
// subnet up. Hosts send to each other, then something fails. The manager notices it by traps and
// sweeps, repairs the Plan, and writes tables while packets are under way.
//
// # One time
//
// The clock is the event queue of the packets. The next event of the devices or the managers is an
// event among them (Sim.At). After each, the packets see the current state of the devices:
// forwarding tables, SL to VL mappings, VL arbitration tables, and the links with Active ports at
// both ends. An SMP takes Setup.Hop for each hop and no bandwidth of links, as VL 15 has buffers of
// its own. A Plan takes Setup.Planning whatever the real computing time, so that the same Setup
// gives the same run.
//
// # Deviations
//
// Hosts do not retransmit lost packets, and do not slow down. They never ask for paths again, and
// so keep the service levels of the first Plan.
//
// # Cost
//
// The cost of the packet simulation, plus a scan of all tables and ports for each SMP that sets a
// table or a port.
package outage
