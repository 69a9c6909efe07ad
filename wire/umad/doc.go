// Package umad is the medium of real hardware: the user MAD devices of Linux,
// /dev/infiniband/umadN, and issmN for the IsSM bit. Pure Go: open, ioctl, read, write and the
// runtime's poller.
//
// Open chooses a port from sysfs, switches the device to the 64-byte header with a P_Key index, and
// registers one agent for each management class. The kernel matches answers to requests by TID and
// class, and drops unexpected answers; so every request is written with a timeout. Its retries are
// always 0: the requester alone retries. The kernel's timeout is three quarters of the requester's,
// since a TID cannot be written again while the kernel still waits. After that timeout the kernel
// returns the request, as an Undelivered datagram.
//
// The kernel does RMPP for classes registered with it (SA): a long answer is read and written as
// one datagram. Only there does the kernel repeat on its own: segments of a message being sent.
//
// Source: the public headers of Linux and rdma-core (ABI version 5), and observation of Linux 6.1;
// datagrams captured there are in testdata.
//
// # Limits
//
// Linux only, kernel 3.18 or newer (registration version 2). No GRH. The source path bits follow
// from Address.SLID and the LID of the port when Port was last read. The conformance suite runs on
// a double of the device files, at the level of File: it proves the bytes, the registration and the
// order of calls against our reading of the kernel, not the kernel, the poller or the ioctl system
// call.
package umad
