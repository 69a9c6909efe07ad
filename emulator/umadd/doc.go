// Package umadd serves a port of an emulated subnet as the Linux kernel serves an
// adapter to user MAD programs, over FUSE: a directory appears with the device files
// and the part of sysfs that such programs read,
//
//	DIR/dev/umad0, DIR/dev/issm0
//	DIR/sys/class/infiniband_mad, DIR/sys/class/infiniband
//
// Programs that take the place of these directories as an option use them directly;
// unmodified OpenSM and infiniband-diags do where DIR/dev is bound over
// /dev/infiniband and DIR/sys/class over /sys/class, in a mount namespace of their
// own. Mounting needs root and /dev/fuse.
//
// The kernel's part is emulated: agents and who gets which unsolicited datagram,
// transaction IDs, timeouts and retries, ENABLE_PKEY and both kinds of registration,
// poll, reads that wait, IsSM while issm0 is open.
//
// Deviations: RMPP messages go as one long datagram, whole. A read whose buffer is
// too small for one fails with ENOSPC and cannot show its header beside, so
// libibumad cannot fetch tables longer than one datagram. A second opener of issm0
// always gets EAGAIN. Source path bits are ignored. GRHs do not exist.
//
// Sources: the public headers of Linux (fuse.h, version 7.31; ib_user_mad.h) and
// observation of ib_umad of Linux 6.1.
package umadd
