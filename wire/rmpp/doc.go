// Package rmpp carries messages that are longer than a datagram, by the reliable multi-packet protocol: IBA volume
// 1, 13.6.
//
// Machine is the protocol as a pure state machine: messages, datagrams and the time go in; datagrams to be sent
// and messages that are complete come out. It has no clock and no goroutine. Transport puts it between a medium that
// moves nothing longer than a datagram and whoever sends and receives whole messages (wire.Datagram.MAD).
//
// # Protocol
//
// A sender sends the first segment, and others as the receiver allows by acknowledgements: of segment n, those up to a last one, but no more than
// MaxWindow at a time. What a receiver sends has the method of the message with the other response bit: by it drivers and ibsim find the sender. A
// receiver acknowledges the last segment that it allowed, the last of the message, and again what comes twice; it keeps what overtakes
// within its window. A sender whose message does not get on sends again from the first segment on that was not acknowledged,
// Config.Retries times, then ABORT. A receiver whose message does not get on for as long sends ABORT. What contradicts itself (a segment of no message, a
// length that does not fit, an acknowledgement of what was not sent) is answered by ABORT with the status that says so. STOP and
// ABORT end a message at once, and are never answered.
//
// # Deviations
//
//   - A request of several segments (GetMulti) is a message of its own, as is its answer: the turn of direction by an
//     acknowledgement of segment 0 is neither sent nor waited for.
//   - RRespTime is not heeded: Config.Timeout holds for every peer.
//   - A message of one segment is no longer than its data; media that move nothing shorter than 256 bytes fill it up.
//   - A message that is a response and fits one segment needs no acknowledgement to be delivered; it is acknowledged all the same.
//
// # Cost
//
// Time is constant for a segment, but for finding which message is due: a scan of those under way. Memory is the messages under way; their
// number, their length and the sum of it are bounded by Config.
package rmpp
