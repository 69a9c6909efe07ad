// Package machine executes a Program in time: when each rank sends, receives and computes. The
// network between the ranks is an ideal one, or an implementation of Network.
//
// The ideal network has the rules of LogGOPSim (T. Hoefler, T. Schneider, A. Lumsdaine, "LogGOPSim:
// Simulating Large-Scale Applications in the LogGOPS Model", LSAP 2010; spcl/LogGOPSim, commit
// 76451de), which charges:
//
//   - a send of s bytes: o+(s-1)O of its processor, g+(s-1)G of its network port; the message is at
//     its target L+o after the send's begin;
//   - a message at its target: o+max((s-1)O, (s-1)G) of the processor, g+(s-1)G of the network
//     port, whether or not a receive waits for it;
//   - a message of more than S bytes: its send ends only when message and receive have met.
//
// Processor and network port at the target have the sender's numbers. Events happen in order of
// time, then of their creation; an event that finds its processor busy keeps its place in that
// order. Operations of a rank that become ready together begin in this order: sends, receives,
// computations.
//
// Deviations: operations of one kind begin in the order of becoming ready, where LogGOPSim uses an
// unstable sort; a message of no bytes counts as one byte, where LogGOPSim subtracts a byte's time;
// an operation never begins before the end of one that it requires; the size of the
// message alone says whether its send waits, where LogGOPSim looks at the size of the
// receive too if the receive comes second.
//
// On a Network, the network decides when a message's last byte is at its target; a send takes
// o+(s-1)O of the processor and g of the port, and so does the message at its target. A message of
// more than S bytes sends a request first, and its data after the answer to the request. Messages
// and requests of one sender, target and tag meet receives in the order of sending.
//
// # Cost
//
// A message costs three events of a heap and one or two changes of a hash table.
package machine
