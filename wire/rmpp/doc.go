// Package rmpp carries messages longer than a datagram, by the reliable multi-packet protocol: IBA
// volume 1, 13.6.
//
// Machine is the protocol as a pure state machine: messages, datagrams and the time go in;
// datagrams to send and complete messages come out. It has no clock and no goroutine. Transport
// puts it between a medium for datagrams and a user of whole messages (wire.Datagram.MAD).
//
// # Protocol
//
// A sender sends the first segment, and then the ones that the receiver allows. An acknowledgement
// of segment n allows segments up to a last one, but no more than MaxWindow are under way at a
// time. A receiver's datagrams have the method of the message with the other response bit, which
// drivers and ibsim use to find the sender. A receiver acknowledges the last allowed segment, the
// last segment of the message, and again every repeated segment; it keeps early segments within its
// window.
//
// A sender without progress repeats from the first unacknowledged segment, Config.Retries times,
// and then sends ABORT. A receiver without progress for that long sends ABORT. Contradictions (a
// segment without a message, a wrong length, an acknowledgement of a segment that was not sent) are
// answered by ABORT with the matching status. STOP and ABORT end a message at once, and are never
// answered.
//
// # Deviations
//
//   - A request of several segments (GetMulti) and its answer are separate messages:
//     the change of direction by an acknowledgement of segment 0 is neither sent
//     nor expected.
//   - RRespTime is ignored: Config.Timeout applies to every peer.
//   - A message of one segment is no longer than its data; media with a fixed size
//     of 256 bytes pad it.
//   - A response that fits one segment needs no acknowledgement to be delivered, but
//     is acknowledged nevertheless.
//
// # Cost
//
// A segment takes constant time, except for a scan of the messages under way to find the next due
// one. Memory holds the messages under way; Config bounds their number, their lengths and their
// total length.
package rmpp
