// Package mapping is a model of a network of anonymous switches: hosts with one port,
// switches that know only "so many ports to the right of where you came in", and
// source routed messages. It follows Mainwaring, Chun, Schleimer and Wilkerson,
// "System Area Network Mapping", SPAA 1997 (paper 001), section 2.
//
// A Network is immutable. A Model sends messages through it under one of three rules
// of collision, and a Mapper is the host from which an algorithm (package
// mapping/algorithm) sends probes: the algorithm sees their replies and nothing else.
//
// Collisions of a message with itself (section 2.3.1) are computed, not drawn:
//
//   - Packet: a switch stores the message, so nothing collides.
//   - Circuit: a message holds all of its way. One that needs a direction of a wire
//     twice is lost.
//   - CutThrough: a worm that comes back to a direction of a wire that it still
//     occupies waits, and the rest of it moves up into the buffers between. It gets
//     through if what is left of it fits there (108 bytes a port), and is lost if not.
//
// A message that is lost so holds its wires until a switch destroys it after 55 ms, and
// others wait for them meanwhile (wires.go).
//
// Time is modelled: an answered probe costs software overhead, switch latency and
// transmission; a silent one its timeout. Overheads are fitted to Fig. 7.
//
// Beyond the paper: switches of any number of ports, each its own; switches that
// answer with an identifier; hosts that do not respond; messages that other traffic
// loses, delays or corrupts (traffic.go).
package mapping
