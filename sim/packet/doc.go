// Package packet simulates the packets of a Plan in time: every packet takes the very ports, service levels
// and virtual lanes that the switches would get, waits for credits, and shares links with others.
//
// Time is integer picoseconds; what happens is ordered by the one event kernel (internal/event). The same
// input and seed give the same run.
//
// # The model
//
// A link carries one packet at a time at its data rate. Behind each link there is an input buffer for each VL,
// counted in blocks of 64 bytes (IBA volume 1, section 7.9). A packet may leave when the link is free and the
// sender holds credits for all of it; the blocks go back to the sender when its last byte has left the buffer
// (or the host has taken it), one cable delay later. In a buffer there is a queue for each output, of which the first
// packet asks for it: a packet waits for those before it that go the same way, and for room in the buffer, which all share.
// With Config.OneQueue the first packet of the buffer keeps all others waiting.
//
// Switches are virtual cut-through: the first byte leaves one switch latency after it came in, if nothing is
// in the way; it waits longer where the link out is faster than the link in, so that the last byte is never
// missing. A packet that has come goes to the output port that the forwarding table names then,
// on the VL that the SL2VL table of (input, output) names. Inputs that ask for the same port and VL have their
// turns round robin, or the one whose packet came first goes first (age). VLs of a port have their turns by the
// VL arbitration tables (section 7.6.9).
//
// Hosts cut messages into packets when they send them; the messages of a VL have their turns. Host adapters may
// inject and take packets slower than their link carries them. Ports of one node share this rate. Port 0 of a switch
// sends and receives like a host, at the rate of a 1x SDR link.
//
// # Where things are
//
// What happens to a packet, in order: Sim.inject at its host, Sim.arrive and Sim.route behind each link to a switch, Sim.ask when it is
// the first of its queue, Sim.send and Sim.forward when its link is free, Sim.deliver at its target, or Sim.lose. Which input is next:
// candidate; which VL: turns (arbitrate.go). Credits: Sim.transmit takes them, an event of kind credit brings them back; blockSize is
// one. Reasons of losses: loss. Traffic: what implements Workload. What is counted: measure, and by link and over time Series.
//
// # Deviations
//
// Credits are returned by packet, not by block; the packets that carry them take no room on the links unless
// Config.CreditInterval is set. Links lose nothing unless they fail; a packet of which the first byte had arrived when its link failed is whole.
// The age of a packet is the time since it came into the switch. An input may send to all its outputs at the same time.
//
// # Cost
//
// Three events for each link that a packet passes. Memory is some 20 bytes for each link and VL, 8 for each (input, output, VL) of a
// switch, 64 for each packet on its way, and a byte for each switch and LID. There is no allocation for a packet in steady state.
package packet
