// Package umadfs serves ports of an emulated subnet to user MAD programs over FUSE, in the form in
// which the Linux kernel serves real ports. Below the mount directory are
//
//	dev/infiniband/umad0, issm0             the devices, by port
//	sys/class/infiniband_mad/...            ABI version; which device is which port
//	sys/class/infiniband/weft_0/...         the adapter and its ports, in their present state
//
// Programs with options for these directories use them in place. For other programs, bind them over
// /dev/infiniband and /sys/class, best in a separate mount namespace: OpenSM and infiniband-diags
// then work unmodified and without preload.
//
// device implements the kernel's side of the ABI, apart from FUSE and from the subnet: agents, the
// choice of receivers, transaction IDs, pending requests. It is pure: time is passed in. Server
// connects it to the files of package fuse and to an Adapter, which is a port of a subnet
// (Emulated, or a test's script).
//
// # What is served
//
//   - ioctls: REGISTER_AGENT, REGISTER_AGENT2, UNREGISTER_AGENT, ENABLE_PKEY, with the
//     kernel's checks; both message headers, of 56 and 64 bytes.
//   - Transaction IDs: the high half of a request's is the agent's. An answer goes only to
//     the request with the same transaction ID and class.
//   - Timeouts and retries; a request without an answer, or a message without
//     acknowledgements, comes back with status ETIMEDOUT and its first 24 bytes.
//   - Unsolicited datagrams go to the agent of their class, version and method.
//   - read waits, or fails with EAGAIN; poll, select, epoll. issm: IsSM is set while it
//     is open; a second opener waits, or fails with EAGAIN.
//
// RMPP is the kernel's: an agent with rmpp_version 1 writes and reads whole messages, which package
// rmpp cuts into segments and joins (messages.go). Agents with rmpp_version 0, or with USER_RMPP,
// do it themselves and see every segment. A reader with room for a datagram gets the beginning of a
// longer message, its length and ENOSPC, as libibumad expects it; this and messages of over a
// mebibyte need /proc (package fuse).
//
// # Limits
//
// A receiver's silence ends a message by ABORT, unlike the kernel's. Messages of all classes are
// cut behind a header of 56 bytes, as subnet administration has it. A Get or Set that no agent
// wants is dropped, not answered with "unsupported". The device files are regular files.
//
// The serving process must not use its own mount: see package fuse.
//
// # Cost
//
// Some 12,000 requests and answers a second for one program that keeps several in flight, on one
// core in addition to the program's; the subnet's own share is small. OpenSM brings up 648 hosts in
// 1.2 seconds.
//
// Sources: linux ib_user_mad.h and Documentation/infiniband/user_mad (ABI version 5), observation
// of Linux 6.1.
package umadfs
