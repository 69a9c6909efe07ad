// Package outage simulates what a fault costs the traffic of a subnet that managers keep: packets
// (sim/packet), devices (emulator) and managers (sm) in one virtual time. A run begins with the
// subnet up. Then hosts send to each other, something fails, and the manager finds it by traps and
// sweeps, repairs the Plan, and writes tables while packets are under way.
//
// # One time
//
// The events of the packets are the clock: whatever the devices or the managers have to do next is
// an event among them (Sim.At). After each the packets see the forwarding tables, SL to VL mappings
// and VL arbitration tables that the devices hold then, and those links whose ports are Active at
// both ends. SMPs take the time of Setup.Hop for each hop; they take no room on links, as VL 15 has
// buffers of its own. A Plan takes Setup.Planning, whatever it takes this machine, so that the same
// Setup gives the same run.
//
// # Deviations
//
// Hosts do not send again what was lost, and do not slow down. They do not ask for paths again, and
// so keep the service levels of the first Plan.
//
// # Cost
//
// That of the packets; and for each SMP that sets a table or a port a look at all tables and ports.
package outage
