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
	lid     func() uint16     // base LID of the port
	agents  map[uint16]*agent // by number
	last    uint16            // latest number given to an agent
	owners  map[claim]*agent
	waiting map[key]*request
	due     time.Duration // no request times out before
	sending []wire.Datagram
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

func newDevice(lid func() uint16) *device {
	return &device{lid: lid, agents: map[uint16]*agent{}, owners: map[claim]*agent{}, waiting: map[key]*request{}, due: never}
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

// taken returns the datagrams to send since its last call.
func (v *device) taken() []wire.Datagram {
	list := v.sending
	v.sending = nil
	return list
}

// write takes a message of a program.
func (f *file) write(now time.Duration, b []byte) syscall.Errno {
	n := f.headerSize()
	if len(b) < n+rmppHeader {
		return syscall.EINVAL
	}
	// A short datagram is padded; a message that is cut keeps its length.
	msg := make([]byte, umad.HeaderSize+max(len(b)-n, mad.Size))
	copy(msg[:umad.HeaderSize], b[:n])
	copy(msg[umad.HeaderSize:], b[n:])
	h, m, err := umad.ParseMessage(msg)
	if err != nil || h.Agent >= maxAgents {
		return syscall.EINVAL
	}
	a := f.agents[h.Agent]
	if a == nil {
		return syscall.EIO
	}
	switch {
	case a.cuts(m):
		m = m[:max(len(b)-n, mad.SAHeader.Size)]
	case len(m) > mad.Size:
		return syscall.EINVAL
	}
	d := wire.Datagram{MAD: m, Addr: wire.Address{
		DLID: h.LID, DQP: h.QPN, SQP: a.QP, QKey: h.QKey, SL: h.SL, PKeyIndex: h.PKeyIndex, GRH: h.GRH,
	}}
	switch {
	case m.Class() == mad.ClassDirectedSMP && h.LID == wire.Permissive:
		d.Addr.SLID = wire.Permissive
	case h.PathBits != 0:
		d.Addr.SLID = f.dev.lid() | uint16(h.PathBits)
	}
	if !m.Method().IsResponse() {
		mad.HeaderTransactionID.Put(m, uint64(a.number)<<32|m.TID()&0xFFFFFFFF)
		if e := f.dev.wait(now, a, h, &d); e != 0 {
			return e
		}
	}
	f.dev.send(now, a, &h, &d)
	return 0
}

// wait starts waiting for the answer to a request. Segments of a program's own RMPP may repeat a
// transaction ID.
func (v *device) wait(now time.Duration, a *agent, h umad.Header, d *wire.Datagram) syscall.Errno {
	k := keyOf(d.MAD)
	segment := !a.kernelRMPP() && wire.RMPPActive(d.MAD)
	switch {
	case v.waiting[k] != nil && segment:
		return 0
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

// send sends a datagram, or a message in segments.
func (v *device) send(now time.Duration, a *agent, h *umad.Header, d *wire.Datagram) {
	if a.cuts(d.MAD) {
		v.cut(now, a, h, d)
		return
	}
	var copied wire.Datagram
	copied.CopyFrom(d)
	v.sending = append(v.sending, copied)
}

// deadline returns the time of the next call of expire.
func (v *device) deadline() time.Duration { return min(v.due, v.messagesDue()) }

// expire ends overdue waits: it sends requests again, and queues those without retries left in
// their files, as timed out. Segments of messages are treated likewise.
func (v *device) expire(now time.Duration) {
	v.expireMessages(now)
	if now < v.due {
		return
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
			r.agent.giveUp(r.header, r.d.MAD)
			continue
		}
		r.retries--
		r.due = now + r.patience()
		v.due = min(v.due, r.due)
		v.send(now, r.agent, &r.header, &r.d)
	}
}

// giveUp returns a message to its program as timed out: its header alone.
func (a *agent) giveUp(h umad.Header, m mad.Datagram) {
	h.Status = uint32(syscall.ETIMEDOUT)
	a.file.push(&h, m[:mad.Header.Size])
}

// deliver takes a datagram from the subnet: it passes it to its file, if there is one, or joins it
// to a message.
func (v *device) deliver(now time.Duration, d *wire.Datagram, pathBits uint8) {
	if len(d.MAD) < mad.Header.Size {
		return
	}
	if a := v.joining(d.MAD); a != nil {
		a.join(now, d, pathBits)
		return
	}
	v.pass(d, pathBits)
}

// pass passes a datagram or a whole message to its file.
func (v *device) pass(d *wire.Datagram, pathBits uint8) {
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
	if a == nil || a.kernelRMPP() || a.Class != k.class || !wire.RMPPActive(m) {
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

// read takes the oldest message. If it is longer than size, it stays: a reader with room for a
// datagram gets its beginning and ENOSPC, and finds the length in the header.
func (f *file) read(size int) ([]byte, syscall.Errno) {
	if len(f.queue) == 0 {
		return nil, syscall.EAGAIN
	}
	b := f.queue[0]
	n := f.headerSize()
	length := n + len(b) - umad.HeaderSize
	if size < min(length, n+mad.Size) {
		return nil, syscall.EINVAL
	}
	umad.PutLength(b, length)
	if !f.long {
		b = slices.Concat(b[:umad.ShortHeaderSize], b[umad.HeaderSize:])
	}
	if size < length {
		return b[:n+mad.Size], syscall.ENOSPC
	}
	f.queue[0] = nil
	f.queue = f.queue[1:]
	return b, 0
}
