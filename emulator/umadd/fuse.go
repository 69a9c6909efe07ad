package umadd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// The requests of the FUSE protocol that are answered.
const (
	opLookup      = 1
	opForget      = 2
	opGetattr     = 3
	opSetattr     = 4
	opOpen        = 14
	opRead        = 15
	opWrite       = 16
	opStatfs      = 17
	opRelease     = 18
	opFsync       = 20
	opFlush       = 25
	opInit        = 26
	opOpendir     = 27
	opReaddir     = 28
	opReleasedir  = 29
	opAccess      = 34
	opInterrupt   = 36
	opDestroy     = 38
	opIoctl       = 39
	opPoll        = 40
	opBatchForget = 42
)

// Sizes and flags of the protocol.
const (
	inHeader   = 40
	outHeader  = 16
	maxWrite   = 1 << 20
	maxPages   = maxWrite / 4096
	directIO   = 1 << 0
	nonSeek    = 1 << 2
	stream     = 1 << 4
	initPages  = 1 << 22 // init flag: max_pages counts
	notifyPoll = 1
	pollNotify = 1 // poll flag: wake up later
)

var native = binary.NativeEndian

// request is a request of the kernel.
type request struct {
	op     uint32
	unique uint64
	node   uint64
	body   []byte
}

// connection is a mounted file system.
type connection struct {
	dev *os.File
	dir string
}

// mount mounts a file system at a directory.
func mount(dir string) (*connection, error) {
	fd, err := syscall.Open("/dev/fuse", syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: "/dev/fuse", Err: err}
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d,allow_other", fd, os.Getuid(), os.Getgid())
	if err := syscall.Mount("weft", dir, "fuse.weft", syscall.MS_NOSUID|syscall.MS_NODEV, options); err != nil {
		_ = syscall.Close(fd)
		return nil, fmt.Errorf("umadd: mounting at %s: %w", dir, err)
	}
	return &connection{dev: os.NewFile(uintptr(fd), "/dev/fuse"), dir: dir}, nil
}

// unmount takes the file system away, also from under programs that use it.
func (c *connection) unmount() error {
	err := syscall.Unmount(c.dir, syscall.MNT_DETACH)
	_ = c.dev.Close()
	return err
}

// serve hands requests to handle until the file system is unmounted.
func (c *connection) serve(handle func(r *request)) {
	buf := make([]byte, maxWrite+8192)
	for {
		n, err := c.dev.Read(buf)
		switch {
		case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.EINTR):
			continue // a request that was taken back
		case err != nil || n < inHeader:
			return
		}
		r := request{op: native.Uint32(buf[4:]), unique: native.Uint64(buf[8:]), node: native.Uint64(buf[16:]), body: buf[inHeader:n]}
		switch r.op {
		case opInit:
			c.init(&r)
		case opForget, opBatchForget:
			// Nodes live as long as the file system.
		default:
			handle(&r)
		}
	}
}

// init agrees on version 7.31, or what older kernels have, and on long writes.
func (c *connection) init(r *request) {
	if len(r.body) < 16 {
		c.fail(r.unique, syscall.EPROTO)
		return
	}
	out := make([]byte, 64)
	native.PutUint32(out[0:], 7)
	native.PutUint32(out[4:], min(native.Uint32(r.body[4:]), 31))
	native.PutUint32(out[8:], native.Uint32(r.body[8:]))
	native.PutUint32(out[12:], native.Uint32(r.body[12:])&initPages)
	native.PutUint16(out[16:], 64)
	native.PutUint16(out[18:], 48)
	native.PutUint32(out[20:], maxWrite)
	native.PutUint32(out[24:], 1)
	native.PutUint16(out[28:], maxPages)
	c.reply(r.unique, out)
}

// reply answers a request. The kernel may have forgotten it: then the answer is
// refused, and nobody misses it.
func (c *connection) reply(unique uint64, body ...[]byte) { c.send(0, unique, body...) }

// fail answers a request with an error.
func (c *connection) fail(unique uint64, errno syscall.Errno) { c.send(-int32(errno), unique) }

// wake tells the kernel that a file it polls has news.
func (c *connection) wake(kh uint64) {
	body := make([]byte, 8)
	native.PutUint64(body, kh)
	c.send(notifyPoll, 0, body)
}

func (c *connection) send(code int32, unique uint64, body ...[]byte) {
	b := make([]byte, outHeader, outHeader+128)
	for _, x := range body {
		b = append(b, x...)
	}
	native.PutUint32(b[0:], uint32(len(b)))
	native.PutUint32(b[4:], uint32(code))
	native.PutUint64(b[8:], unique)
	_, _ = c.dev.Write(b)
}
