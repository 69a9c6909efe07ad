// Package umadfs serves ports of an emulated subnet as the Linux kernel serves real
// ones to user MAD programs, over FUSE. Below the directory where it is mounted are
//
//	dev/infiniband/umad0, issm0             the devices, by port
//	sys/class/infiniband_mad/...            ABI version; which device is which port
//	sys/class/infiniband/weft_0/...         the adapter and its ports, as they are now
//
// Programs that take these directories as options use them where they are. For others
// they are bound over /dev/infiniband and /sys/class, best in a mount namespace of
// their own: OpenSM and infiniband-diags then work unmodified and without preload.
//
// device is the kernel's side of the ABI, apart from FUSE and from the subnet: agents,
// who gets which datagram, transaction IDs, pending requests. It is pure: time is
// passed in. Server puts it between the files of package fuse and an Adapter, which is
// a port of a subnet (Emulated, or one that a test has scripted).
//
// # What is served
//
//   - ioctls: REGISTER_AGENT, REGISTER_AGENT2, UNREGISTER_AGENT, ENABLE_PKEY, with the
//     kernel's checks; both message headers, of 56 and 64 bytes.
//   - Transaction IDs: the high half of a request's is the agent's. Answers go to the
//     request with the same transaction ID and class, and else nowhere.
//   - Timeouts and retries; a request without an answer comes back with status
//     ETIMEDOUT and its first 24 bytes.
//   - Unsolicited datagrams go to the agent of their class, version and method.
//   - read waits, or fails with EAGAIN; poll, select, epoll. issm: IsSM is set while it
//     is open; a second opener waits, or fails with EAGAIN.
//
// # Limits
//
// RMPP is left to the subnet and to the programs: what the kernel would cut into
// segments goes through the subnet as one long datagram, and is received as one by
// programs at other umadfs devices; with USER_RMPP segments pass as they are. A FUSE
// read gives data or an error, so ENOSPC for a long message comes without its header:
// programs over libibumad cannot fetch tables longer than a datagram, those with a
// large buffer can. A Get or Set that no agent wants is dropped, not answered with
// "unsupported". The device files are regular files.
//
// The process that serves must not use its own mount: see package fuse.
//
// # Cost
//
// Some 12,000 requests and answers a second for one program that keeps several in
// flight, on one core beside it; the subnet's own share is small. OpenSM brings up 648
// hosts in 1.2 seconds.
//
// Sources: linux ib_user_mad.h and Documentation/infiniband/user_mad (ABI version 5),
// observation of Linux 6.1.
package umadfs
