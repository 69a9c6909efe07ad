// Package fuse serves a small, fixed tree of files over Linux FUSE, in pure Go: what
// an emulated character device needs and no more. Open, read, write, ioctl, poll with
// later wake-ups, reads and opens that wait until they are interrupted.
//
// A Tree is built first and does not change; what its files hold does. One
// goroutine reads requests, one lock (Do) is around all methods of all files.
//
// Nothing of this process may open files of its own mount through package os: the
// runtime's poller asks the kernel, the kernel asks this process, and the processor
// that would answer is the one that waits.
//
// Cost: two system calls a request, and one more a message for programs that poll.
//
// Limits: no creation, removal, attributes to set, links, locks or page cache; ioctls
// of fixed size whose number tells it; writes up to 1 MiB. A mount outlives a process
// that is killed (umount DIR).
//
// Source: linux/fuse.h, protocol 7.31 and the kernel's documentation of FUSE. Why not
// a library: the well-kept one in pure Go answers poll requests with
// "not implemented" before the file system sees them.
package fuse
