// Package wire carries management datagrams (MADs) between this program and a subnet: a Transport,
// a requester on top of it, and these media
//
//	wire/loop   in process, for tests and for the emulator
//	wire/ibsim  the native protocol of the ibsim simulator, Unix and UDP sockets
//	wire/umad   the user MAD devices of Linux, /dev/infiniband/umadN
//
// wire/rmpp cuts long messages into datagrams, for media that cannot carry them. wire/wiretest is
// the conformance suite that all media pass.
//
// A Transport only moves datagrams; it may lose, repeat and reorder them, as VL15 does. Core does
// everything else that a request needs: transaction IDs, the table of pending requests, the window
// (requests in flight), timeouts, retries, counters. Core is a pure state machine: events with
// their time go in, actions come out. It starts no goroutine and reads no clock, so tests and a
// pure subnet manager drive it in virtual time. Requester is the thin shell that drives a Core over
// a Transport in real time: one receiving goroutine, and one timer.
//
// # Transaction IDs
//
// Only the low 32 bits of a TID are ours: the Linux kernel replaces the high 32 bits of every
// request by its agent number, ibsim the high 16 by the client's slot. Requests are matched by
// these 32 bits and the management class. A retry is the same datagram with the same TID. So an
// answer to any of the copies completes the request, and answers to the others count as stray. TIDs
// count up and repeat after 2^32 requests; so an answer to a request that End ended early is never
// mistaken for an answer to another.
//
// # Limits
//
// This package does not do RMPP. A medium may deliver a whole RMPP message as one long datagram
// (umad and loop do); wire/rmpp does it for the others. Single segments without a request go to the
// handler of unsolicited datagrams.
//
// Sources: IBA volume 1, 13.4 (MAD header, TransactionID) and 13.4.5 to 13.4.6 (methods, response
// timeouts, status).
package wire
