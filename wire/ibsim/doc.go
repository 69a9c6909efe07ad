// Package ibsim is the medium of ibsim, the InfiniBand fabric simulator of the ibsim-utils package:
// its native client protocol as a wire.Transport, and the layouts of its datagrams for servers.
//
// A client has two datagram sockets. Over the control socket it attaches to a port, asks for the
// port's state and sets IsSM (80 bytes each way). Over the data socket it exchanges MADs, each with
// a 32-byte header (288 bytes). Both are Unix sockets in the abstract namespace (the default), Unix
// sockets in a directory (which ibsim itself does not support), or UDP. A process may attach
// several times.
//
// Source: observation of ibsim and of the preload library libumad2sim, version 0.10, both
// directions; captured datagrams are in testdata.
//
// # Limits
//
//   - The header has LIDs and queue pairs only, no SL, Q_Key and P_Key index. A MAD
//     is 256 bytes at most: of an RMPP message the first segment is sent, and
//     wire/rmpp sends the others.
//   - ibsim at once returns datagrams that it cannot deliver; they become Undelivered
//     datagrams. A request to another client that does not answer is lost silently.
//   - ibsim has ten slots, and a client that dies keeps its slot until ibsim next
//     fails to write to it: use Close. It attaches to port 1 of a CA or port 0 of
//     a switch.
//   - ibsim stops serving all clients while one does not read. A goroutine of this
//     package always reads, and drops datagrams while 65,536 wait.
//   - Peers must be 64-bit little-endian machines: some headers are C structures.
package ibsim
