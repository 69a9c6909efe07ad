// Package packet simulates the packets of a Plan in time. Every packet takes the ports, service
// levels and virtual lanes of the tables that the switches would get, waits for credits, and shares
// links with others.
//
// Time is in integer picoseconds; one event kernel orders all events (internal/event). The same
// input and seed give the same run.
//
// # The model
//
// A link carries one packet at a time at its data rate. Behind each link there is an input buffer
// for each VL, counted in blocks of 64 bytes (IBA volume 1, section 7.9). A packet may leave when
// the link is free and the sender holds credits for all of it. The blocks return to the sender one
// cable delay after the packet's last byte has left the buffer, or after the host has taken it. A
// buffer has a queue for each output, and only the first packet of a queue asks for the output. So
// a packet waits for earlier packets to the same output, and for room in the buffer, which all
// queues share. With Config.OneQueue the first packet of the buffer blocks all others.
//
// Switches are virtual cut-through: if nothing blocks it, the first byte leaves one switch latency
// after it arrived. It waits longer if the outgoing link is faster than the incoming one, so that
// the last byte is never missing. On arrival, the forwarding table of that moment determines the
// output port, and the SL2VL table of (input, output) the VL. Inputs that ask for the same port and
// VL are served round robin, or the oldest packet first (age). The VLs of a port are served by the
// VL arbitration tables (section 7.6.9).
//
// Hosts cut messages into packets as they send them; the messages of a VL take turns. Host adapters
// may inject and receive packets slower than their link carries them; the ports of one node share
// this rate. Port 0 of a switch sends and receives like a host, at the rate of a 1x SDR link.
//
// # Where to find what
//
// A packet begins with Sim.inject at its host. Behind each link to a switch follow Sim.arrive and
// Sim.route; at the head of its queue Sim.ask; with a free link Sim.send and Sim.forward. It ends
// with Sim.deliver or Sim.lose. Choice of the input: candidate; choice of the VL:
// turns (arbitrate.go). Credits: Sim.transmit takes them, an event of kind credit returns them; one
// stands for blockSize bytes. Reasons for drops: loss. Traffic: implementations of Workload.
// Counters: measure; by link and over time: Series.
//
// # Deviations
//
// Credits are returned by packet, not by block; packets that carry credits take no bandwidth unless
// Config.CreditInterval is set. Links lose nothing unless they fail; a packet is complete if its
// first byte had arrived when its link failed. The age of a packet counts from its arrival at the
// switch. An input may send to all its outputs at the same time.
//
// # Cost
//
// Each hop of a packet costs three events. Memory is some 20 bytes for each link and VL, 8 for each
// (input, output, VL) of a switch, 64 for each packet under way, and a byte for each switch and
// LID. In steady state packets allocate nothing.
package packet
