// Package mapping models a network of anonymous switches: hosts with one port, switches that only
// understand "this many ports to the right of where you came in", and source-routed messages. It
// follows Mainwaring, Chun, Schleimer and Wilkerson, "System Area Network Mapping", SPAA 1997
// (paper 001), section 2.
//
// A Network is immutable. A Model sends messages through it under one of three collision rules. A
// Mapper is the host whose probes an algorithm (package mapping/algorithm) sends; the algorithm
// sees only their replies.
//
// Collisions of a message with itself (section 2.3.1) are computed, not drawn:
//
//   - Packet: a switch stores the message, so nothing collides.
//   - Circuit: a message holds its whole path. It is lost if it needs a direction of a
//     wire twice.
//   - CutThrough: if a worm returns to a direction of a wire that it still occupies, it
//     waits, and its tail moves up into the buffers between. It gets through if the tail
//     fits there (108 bytes a port), and is lost otherwise.
//
// A lost message holds its wires until a switch destroys it after 55 ms; other messages wait for
// them meanwhile (wires.go).
//
// Time is modelled: an answered probe costs software overhead, switch latency and transmission, and
// a silent one its timeout. Overheads are fitted to Fig. 7.
//
// Beyond the paper: switches with individual numbers of ports; switches that answer with an
// identifier; hosts that do not respond; messages that other traffic loses, delays or corrupts
// (traffic.go).
package mapping
