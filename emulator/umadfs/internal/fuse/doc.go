// Package fuse serves a small, fixed tree of files over Linux FUSE, in pure Go. It has just what an
// emulated character device needs: open, read, write, ioctl, poll with later wake-ups, reads and
// opens that wait until they are interrupted.
//
// A Tree is built first and does not change; the contents of its files may. One goroutine reads
// requests, one lock (Do) is around all methods of all files.
//
// Nothing in this process may open files of its own mount through package os: that may deadlock.
// The Go runtime's poller asks the kernel about the opened file, and the kernel asks this process.
// Meanwhile the opening goroutine keeps its processor (GOMAXPROCS), which the answer may need.
//
// Cost: two system calls a request, and one more a message for programs that poll.
//
// Reads answered by data and an error, and messages of over a mebibyte, need /proc (callerOf).
// Without it, the reader gets the error alone, and such messages are cut.
//
// Limits: no creation, removal, setting of attributes, links, locks or page cache; ioctls of fixed
// size whose number encodes it. After its process is killed, a mount remains (umount DIR).
//
// Source: linux/fuse.h, protocol 7.31 and the kernel's documentation of FUSE. Why not a library:
// the well-kept one in pure Go answers poll requests with "not implemented" before the file system
// sees them.
package fuse
