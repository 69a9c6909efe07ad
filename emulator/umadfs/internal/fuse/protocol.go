package fuse

import (
	"encoding/binary"
	"syscall"
)

// Supported operations; all others do not exist (ENOSYS).
const (
	opLookup      = 1
	opForget      = 2
	opGetattr     = 3
	opOpen        = 14
	opRead        = 15
	opWrite       = 16
	opStatfs      = 17
	opRelease     = 18
	opInit        = 26
	opOpendir     = 27
	opReaddir     = 28
	opReleasedir  = 29
	opInterrupt   = 36
	opDestroy     = 38
	opIoctl       = 39
	opPoll        = 40
	opBatchForget = 42
)

// bodySize is the length of the fixed part of a request, in bytes, by operation.
var bodySize = map[uint32]int{
	opOpen: 8, opRead: 40, opWrite: 40, opRelease: 24, opInit: 16, opReaddir: 40,
	opInterrupt: 8, opIoctl: 32, opPoll: 24,
}

const (
	major, minor = 7, 31

	inHeaderSize  = 40
	outHeaderSize = 16
	maxWrite      = 1 << 20
	pageSize      = 4096
	validSeconds  = 3600 // how long the kernel may remember names and attributes

	initBigWrites = 1 << 5
	initMaxPages  = 1 << 22

	openDirectIO = 1 << 0
	openNoSeek   = 1 << 2
	openStream   = 1 << 4

	pollScheduleNotify = 1 << 0
	notifyPoll         = 1

	pollIn  = 0x001 | 0x040 // and POLLRDNORM
	pollOut = 0x004 | 0x100 // and POLLWRNORM
)

var ne = binary.NativeEndian

// request is one request from the kernel.
type request struct {
	op     uint32
	unique uint64
	node   uint64
	thread int    // that asks, 0 if it is in another PID namespace
	body   []byte // at least bodySize; part of the receive buffer
}

// parseRequest parses a read from /dev/fuse; ok is false if it is malformed.
func parseRequest(b []byte) (r request, ok bool) {
	if len(b) < inHeaderSize || int64(ne.Uint32(b)) != int64(len(b)) {
		return r, false
	}
	r = request{op: ne.Uint32(b[4:]), unique: ne.Uint64(b[8:]), node: ne.Uint64(b[16:]), thread: int(ne.Uint32(b[32:])), body: b[inHeaderSize:]}
	return r, len(r.body) >= bodySize[r.op]
}

// answer returns a message to the kernel.
func answer(unique uint64, code int32, body ...[]byte) []byte {
	b := make([]byte, outHeaderSize, outHeaderSize+128)
	for _, part := range body {
		b = append(b, part...)
	}
	ne.PutUint32(b[0:], uint32(len(b)))
	ne.PutUint32(b[4:], uint32(code))
	ne.PutUint64(b[8:], unique)
	return b
}

// initOut accepts the kernel's protocol version, 7.31 at most, and long writes.
func initOut(in []byte) []byte {
	out := make([]byte, 64)
	ne.PutUint32(out[0:], major)
	ne.PutUint32(out[4:], min(ne.Uint32(in[4:]), minor))
	ne.PutUint32(out[8:], ne.Uint32(in[8:]))
	ne.PutUint32(out[12:], ne.Uint32(in[12:])&(initBigWrites|initMaxPages))
	ne.PutUint16(out[16:], 64)
	ne.PutUint16(out[18:], 48)
	ne.PutUint32(out[20:], maxWrite)
	ne.PutUint32(out[24:], 1)
	ne.PutUint16(out[28:], maxWrite/pageSize)
	return out
}

func u64(v uint64) []byte { return ne.AppendUint64(nil, v) }

// u32 encodes a 32-bit number followed by 32 unused bits.
func u32(v uint32) []byte { return append(ne.AppendUint32(nil, v), 0, 0, 0, 0) }

// attr describes a node.
func (n *Node) attr() []byte {
	b := make([]byte, 88)
	ne.PutUint64(b[0:], n.id)
	mode, links := uint32(syscall.S_IFREG), uint32(1)
	switch {
	case n.dir():
		mode, links = syscall.S_IFDIR, 2
	case n.text != nil:
		ne.PutUint64(b[8:], pageSize) // as for all files in sysfs
	}
	ne.PutUint32(b[60:], mode|n.mode)
	ne.PutUint32(b[64:], links)
	ne.PutUint32(b[80:], pageSize)
	return b
}

func (n *Node) attrOut() []byte {
	return append(append(u64(validSeconds), make([]byte, 8)...), n.attr()...)
}

func (n *Node) entryOut() []byte {
	b := make([]byte, 40, 128)
	ne.PutUint64(b[0:], n.id)
	ne.PutUint64(b[16:], validSeconds)
	ne.PutUint64(b[24:], validSeconds)
	return append(b, n.attr()...)
}

// entries lists a directory from an offset on, in at most size bytes.
func (n *Node) entries(from uint64, size int) []byte {
	var out []byte
	for i := from; i < uint64(len(n.children)); i++ {
		c := n.children[i]
		kind := uint32(syscall.DT_REG)
		if c.dir() {
			kind = syscall.DT_DIR
		}
		e := make([]byte, (24+len(c.name)+7)/8*8)
		ne.PutUint64(e[0:], c.id)
		ne.PutUint64(e[8:], i+1)
		ne.PutUint32(e[16:], uint32(len(c.name)))
		ne.PutUint32(e[20:], kind)
		copy(e[24:], c.name)
		if len(out)+len(e) > size {
			break
		}
		out = append(out, e...)
	}
	return out
}
