package umadfs

import (
	"cmp"
	"slices"
	"syscall"
	"time"

	"weft/wire"
	"weft/wire/mad"
	"weft/wire/umad"
)

// rmppHeader is the size of the common header and the RMPP header in bytes: the least size of a
// MAD.
const rmppHeader = 36

// queueLimit is the maximum number of messages waiting for a file's reader; more are dropped.
const queueLimit = 200_000

const never = time.Duration(1<<63 - 1)

// device holds the kernel's state of a umad device. Not for concurrent use.
type device struct {
	agents  map[uint16]*agent // by number
	last    uint16            // latest number given to an agent
	owners  map[claim]*agent
	waiting map[key]*request
	due     time.Duration // no request times out before
}

// key is the same in a request and its answer: the device's 48 bits of the transaction ID (see
// Adapter), and the class.
type key struct {
	tid   uint64
	class mad.Class
}

const tidMask = 1<<48 - 1

func keyOf(m mad.Datagram) key { return key{m.TID() & tidMask, m.Class()} }

// request is a datagram that waits for an answer.
type request struct {
	agent   *agent
	header  umad.Header // as written
	d       wire.Datagram
	retries uint32 // left
	due     time.Duration
}

func (r *request) patience() time.Duration {
	return time.Duration(r.header.TimeoutMS) * time.Millisecond
}

// file is an open file of a device.
type file struct {
	dev    *device
	wake   func() // a message has come
	agents [maxAgents]*agent
	used   bool     // an agent has been registered
	long   bool     // messages have the header with the P_Key index
	queue  [][]byte // with that header
}

func newDevice() *device {
	return &device{agents: map[uint16]*agent{}, owners: map[claim]*agent{}, waiting: map[key]*request{}, due: never}
}

// open opens the device; wake is called when a message has been queued.
func (v *device) open(wake func()) *file { return &file{dev: v, wake: wake} }

// close ends the agents of the file.
func (f *file) close() {
	for id := range f.agents {
		f.unregister(uint32(id))
	}
}

func (f *file) headerSize() int {
	if f.long {
		return umad.HeaderSize
	}
	return umad.ShortHeaderSize
}

// write takes a message and returns the datagram for the subnet, and PathBits of its source, which
// do not fit into its address.
func (f *file) write(now time.Duration, b []byte) (d wire.Datagram, pathBits uint8, e syscall.Errno) {
	n := f.headerSize()
	if len(b) < n+rmppHeader {
		return d, 0, syscall.EINVAL
	}
	// A short datagram is padded; a message that the kernel would cut keeps its length.
	msg := make([]byte, umad.HeaderSize+max(len(b)-n, mad.Size))
	copy(msg[:umad.HeaderSize], b[:n])
	copy(msg[umad.HeaderSize:], b[n:])
	h, m, err := umad.ParseMessage(msg)
	if err != nil || h.Agent >= maxAgents {
		return d, 0, syscall.EINVAL
	}
	a := f.agents[h.Agent]
	if a == nil {
		return d, 0, syscall.EIO
	}
	switch message := a.kernelRMPP() && wire.RMPPActive(m); {
	case message:
		m = m[:max(len(b)-n, mad.SAHeader.Size)]
	case len(m) > mad.Size:
		return d, 0, syscall.EINVAL
	}
	d = wire.Datagram{MAD: m, Addr: wire.Address{
		DLID: h.LID, DQP: h.QPN, SQP: a.QP, QKey: h.QKey, SL: h.SL, PKeyIndex: h.PKeyIndex, GRH: h.GRH,
	}}
	if m.Class() == mad.ClassDirectedSMP && h.LID == wire.Permissive {
		d.Addr.SLID = wire.Permissive
	}
	if m.Method().IsResponse() {
		return d, h.PathBits, 0
	}
	mad.HeaderTransactionID.Put(m, uint64(a.number)<<32|m.TID()&0xFFFFFFFF)
	return d, h.PathBits, f.dev.wait(now, a, h, &d)
}

// wait starts waiting for the answer to a request.
func (v *device) wait(now time.Duration, a *agent, h umad.Header, d *wire.Datagram) syscall.Errno {
	k := keyOf(d.MAD)
	switch {
	case v.waiting[k] != nil:
		return syscall.EINVAL
	case h.TimeoutMS == 0:
		return 0
	}
	r := &request{agent: a, header: h, retries: h.Retries}
	r.d.CopyFrom(d)
	r.due = now + r.patience()
	v.waiting[k] = r
	v.due = min(v.due, r.due)
	return 0
}

// expire ends overdue waits: it returns datagrams to send again, and queues requests without
// retries left in their files, as timed out.
func (v *device) expire(now time.Duration) (again []wire.Datagram) {
	if now < v.due {
		return nil
	}
	var over []*request
	v.due = never
	for _, r := range v.waiting {
		if r.due <= now {
			over = append(over, r)
		} else {
			v.due = min(v.due, r.due)
		}
	}
	slices.SortFunc(over, func(a, b *request) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.d.MAD.TID(), b.d.MAD.TID()),
			cmp.Compare(a.d.MAD.Class(), b.d.MAD.Class()))
	})
	for _, r := range over {
		if r.retries == 0 {
			delete(v.waiting, keyOf(r.d.MAD))
			r.header.Status = uint32(syscall.ETIMEDOUT)
			r.agent.file.push(&r.header, r.d.MAD[:mad.Header.Size])
			continue
		}
		r.retries--
		r.due = now + r.patience()
		v.due = min(v.due, r.due)
		var d wire.Datagram
		d.CopyFrom(&r.d)
		again = append(again, d)
	}
	return again
}

// deliver passes a datagram from the subnet to its file, if there is one.
func (v *device) deliver(d *wire.Datagram, pathBits uint8) {
	if len(d.MAD) < mad.Header.Size {
		return
	}
	a := v.receiver(d.MAD)
	if a == nil {
		return
	}
	h := umad.Header{
		Agent: a.id, QPN: d.Addr.SQP, LID: d.Addr.SLID, SL: d.Addr.SL, PathBits: pathBits, PKeyIndex: d.Addr.PKeyIndex, GRH: d.Addr.GRH,
	}
	a.file.push(&h, d.MAD)
}

// receiver returns the agent for a datagram.
func (v *device) receiver(m mad.Datagram) *agent {
	if !m.Method().IsResponse() {
		return v.owners[claimOf(m)]
	}
	k := keyOf(m)
	if r := v.waiting[k]; r != nil {
		delete(v.waiting, k)
		return r.agent
	}
	// The first segment has ended the wait; the others belong to the program, too.
	a := v.agents[uint16(k.tid>>32)]
	if a == nil || a.Flags&umad.FlagUserRMPP == 0 || a.Class != k.class || !wire.RMPPActive(m) {
		return nil
	}
	return a
}

// push queues a message. It is dropped if the queue is full.
func (f *file) push(h *umad.Header, m []byte) {
	if len(f.queue) == queueLimit {
		return
	}
	b := make([]byte, umad.HeaderSize, umad.HeaderSize+len(m))
	h.Put(b)
	f.queue = append(f.queue, append(b, m...))
	f.wake()
}

func (f *file) readable() bool { return len(f.queue) > 0 }

// read takes the oldest message, unless it is longer than size.
func (f *file) read(size int) ([]byte, syscall.Errno) {
	if len(f.queue) == 0 {
		return nil, syscall.EAGAIN
	}
	b := f.queue[0]
	n := f.headerSize()
	length := n + len(b) - umad.HeaderSize
	switch {
	case size < length && len(b) > umad.HeaderSize+mad.Size:
		return nil, syscall.ENOSPC
	case size < length:
		return nil, syscall.EINVAL
	}
	f.queue[0] = nil
	f.queue = f.queue[1:]
	umad.PutLength(b, length)
	if !f.long {
		b = slices.Delete(b, umad.ShortHeaderSize, umad.HeaderSize)
	}
	return b, 0
}
