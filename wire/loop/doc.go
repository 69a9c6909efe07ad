// Package loop is the medium inside one process: a Transport whose peer is a
// function (New), or two Transports that are each other's peer (Pair).
//
// It behaves like the real media where that matters to users: datagrams are
// copied, the high 32 bits of a request's transaction ID are overwritten, an
// unset source LID becomes the port's, a full queue drops. Faults can be put on
// the way: loss, duplicates, delay, reordering, from a seed; with an After
// function of the caller's also in virtual time.
//
// A datagram may be a whole RMPP message of any length, as with ib_umad.
//
// Cost: a request and its answer through a wire.Requester take about 450 ns of one
// core and no allocation (BenchmarkRequests); with faults every copy is allocated.
package loop
