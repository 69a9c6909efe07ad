package umadd

import (
	"slices"
	"syscall"
	"time"

	"weft/mad"
	"weft/wire"
	"weft/wire/umad"
)

// What of the old interface the package umad does not need.
const (
	ioctlRegisterOld = 0xC01C1B01
	oldAgentSize     = 28
	oldHeaderSize    = umad.HeaderSize - 8 // before ENABLE_PKEY or REGISTER_AGENT2
	maxAgents        = 32
	queueLimit       = 1 << 16
)

// file is an open file. The lock of the server guards it.
type file struct {
	s      *Server
	text   []byte // of a file of sysfs
	hsize  int
	agents [maxAgents]*agent
	queue  [][]byte // messages, with the long header
	reads  []pendingRead
	polls  []uint64 // what the kernel wants to be woken up for
}

// agent is a registration. Its serial number is in bits 47..32 of the transaction
// IDs of its requests.
type agent struct {
	umad.Agent
	serial uint16
	f      *file
	id     uint32
}

// pendingRead is a read that waits.
type pendingRead struct {
	unique uint64
	size   int
}

// pending names a request that waits for its answer.
type pending struct {
	tid   uint64 // its lower 48 bits
	class mad.Class
}

// wait is a request that waits for its answer.
type wait struct {
	f       *file
	h       umad.Header
	d       wire.Datagram
	retries uint32
	timer   *time.Timer
}

// keyOf is what a request and its answer have in common.
func keyOf(m mad.Datagram) pending { return pending{m.TID() & (1<<48 - 1), m.Class()} }

func (s *Server) read(r *request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[native.Uint64(r.body)]
	if f == nil {
		s.conn.fail(r.unique, syscall.EBADF)
		return
	}
	size := int(native.Uint32(r.body[16:]))
	if f.text != nil {
		from := min(native.Uint64(r.body[8:]), uint64(len(f.text)))
		rest := f.text[from:]
		s.conn.reply(r.unique, rest[:min(size, len(rest))])
		return
	}
	if len(f.queue) == 0 {
		if native.Uint32(r.body[32:])&syscall.O_NONBLOCK != 0 {
			s.conn.fail(r.unique, syscall.EAGAIN)
		} else {
			f.reads = append(f.reads, pendingRead{r.unique, size})
		}
		return
	}
	f.give(pendingRead{r.unique, size})
}

// give answers a read with the oldest message, if it fits.
func (f *file) give(p pendingRead) {
	m := f.queue[0]
	if p.size < f.hsize+len(m)-umad.HeaderSize {
		f.s.conn.fail(p.unique, syscall.ENOSPC)
		return
	}
	f.queue = f.queue[1:]
	f.s.conn.reply(p.unique, m[:f.hsize], m[umad.HeaderSize:])
}

// push brings a file a message.
func (f *file) push(h umad.Header, m []byte) {
	if len(f.queue) == queueLimit {
		return // as a full receive queue does
	}
	h.Length = uint32(f.hsize + len(m))
	b := make([]byte, umad.HeaderSize, umad.HeaderSize+len(m))
	h.Put(b)
	f.queue = append(f.queue, append(b, m...))
	for len(f.reads) > 0 && len(f.queue) > 0 {
		p := f.reads[0]
		f.reads = f.reads[1:]
		f.give(p)
	}
	for _, kh := range f.polls {
		f.s.conn.wake(kh)
	}
}

// interrupt ends a read that waits.
func (s *Server) interrupt(unique uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.files {
		if i := slices.IndexFunc(f.reads, func(p pendingRead) bool { return p.unique == unique }); i >= 0 {
			f.reads = slices.Delete(f.reads, i, i+1)
			s.conn.fail(unique, syscall.EINTR)
		}
	}
}

func (s *Server) poll(r *request) {
	const in, out = 0x1 | 0x40, 0x4 | 0x100
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[native.Uint64(r.body)]
	if f == nil {
		s.conn.fail(r.unique, syscall.EBADF)
		return
	}
	kh := native.Uint64(r.body[8:])
	if native.Uint32(r.body[16:])&pollNotify != 0 && !slices.Contains(f.polls, kh) {
		f.polls = append(f.polls, kh)
	}
	events := uint32(out)
	if f.text != nil || len(f.queue) > 0 {
		events |= in
	}
	body := make([]byte, 8)
	native.PutUint32(body, events)
	s.conn.reply(r.unique, body)
}

func (s *Server) ioctl(r *request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[native.Uint64(r.body)]
	if f == nil || f.text != nil {
		s.conn.fail(r.unique, syscall.ENOTTY)
		return
	}
	arg := slices.Clone(r.body[32:])
	errno := f.control(native.Uint32(r.body[12:]), arg)
	if errno != 0 {
		s.conn.fail(r.unique, errno)
		return
	}
	out := arg[:min(int(native.Uint32(r.body[28:])), len(arg))]
	s.conn.reply(r.unique, make([]byte, 16), out)
}

// control does an ioctl; arg is in and out.
func (f *file) control(number uint32, arg []byte) syscall.Errno {
	registered := slices.ContainsFunc(f.agents[:], func(a *agent) bool { return a != nil })
	switch number {
	case umad.IoctlEnablePKey:
		if registered {
			return syscall.EINVAL
		}
		f.hsize = umad.HeaderSize
	case umad.IoctlRegisterAgent2:
		if !registered {
			f.hsize = umad.HeaderSize
		}
		return f.register(arg, arg)
	case ioctlRegisterOld:
		if len(arg) != oldAgentSize {
			return syscall.EINVAL
		}
		var v2 [umad.AgentSize]byte
		v2[4], v2[8], v2[9] = arg[20], arg[21], arg[22]
		copy(v2[16:32], arg[4:20])
		copy(v2[32:35], []byte{arg[25], arg[24], arg[23]})
		v2[36] = arg[26]
		return f.register(v2[:], arg)
	case umad.IoctlUnregisterAgent:
		if len(arg) < 4 || native.Uint32(arg) >= maxAgents || f.agents[native.Uint32(arg)] == nil {
			return syscall.EINVAL
		}
		f.agents[native.Uint32(arg)] = nil
	default:
		return syscall.ENOTTY
	}
	return 0
}

// register makes an agent and writes its number to out.
func (f *file) register(v2, out []byte) syscall.Errno {
	a, err := umad.ParseAgent(v2)
	if err != nil || a.Flags&^umad.FlagUserRMPP != 0 || a.Class != 0 && native.Uint32(v2[4:]) != a.QP() {
		return syscall.EINVAL
	}
	if a.Class != 0 && f.s.taken(&a) {
		return syscall.EINVAL
	}
	free := slices.Index(f.agents[:], nil)
	if free < 0 {
		return syscall.ENOMEM
	}
	f.s.serial++
	f.agents[free] = &agent{Agent: a, serial: f.s.serial, f: f, id: uint32(free)}
	native.PutUint32(out, uint32(free))
	return 0
}

// taken reports whether another agent of the port owns a method of the class.
func (s *Server) taken(a *umad.Agent) bool {
	for _, m := range a.Methods {
		if s.owner(a.Class, a.Version, m) != nil {
			return true
		}
	}
	return false
}

// owner is the agent that unsolicited datagrams of a method are for.
func (s *Server) owner(class mad.Class, version uint8, method mad.Method) *agent {
	for _, f := range s.files {
		for _, a := range f.agents {
			if a != nil && a.Class == class && a.Version == version && slices.Contains(a.Methods, method) {
				return a
			}
		}
	}
	return nil
}

func (s *Server) write(r *request) {
	n := int(native.Uint32(r.body[16:]))
	data := r.body[40:]
	s.mu.Lock()
	f := s.files[native.Uint64(r.body)]
	var d *wire.Datagram
	errno := syscall.EBADF
	if f != nil && f.text == nil && len(data) >= n {
		d, errno = f.prepare(data[:n])
	}
	s.mu.Unlock()
	if errno != 0 {
		s.conn.fail(r.unique, errno)
		return
	}
	s.l.Send(s.id, d)
	out := make([]byte, 8)
	native.PutUint32(out, uint32(n))
	s.conn.reply(r.unique, out)
}

// prepare does what the kernel does with a message that is written: it checks the
// agent, stamps the transaction ID and begins to wait for the answer.
func (f *file) prepare(b []byte) (*wire.Datagram, syscall.Errno) {
	if len(b) < f.hsize+36 {
		return nil, syscall.EINVAL
	}
	long := make([]byte, umad.HeaderSize, umad.HeaderSize+max(len(b), wire.Size))
	copy(long, b[:f.hsize])
	h, m, err := umad.ParseMessage(append(long, b[f.hsize:]...))
	if err != nil || h.Agent >= maxAgents {
		return nil, syscall.EINVAL
	}
	a := f.agents[h.Agent]
	if a == nil {
		return nil, syscall.EIO
	}
	if len(m) < wire.Size {
		m = append(m, make([]byte, wire.Size-len(m))...)
	}
	d := &wire.Datagram{MAD: m, Addr: wire.Address{DLID: h.LID, DQP: h.QPN, SQP: a.QP(), QKey: h.QKey, SL: h.SL, PKeyIndex: h.PKeyIndex}}
	if m.Class() == mad.ClassDirectedSMP {
		d.Addr.SLID = wire.Permissive
	}
	if m.Method().IsResponse() {
		return d, 0
	}
	mad.HeaderTransactionID.Put(m, uint64(a.serial)<<32|m.TID()&0xFFFFFFFF)
	if h.TimeoutMS == 0 {
		return d, 0
	}
	key := keyOf(m)
	if f.s.waiting[key] != nil {
		return nil, syscall.EINVAL
	}
	w := &wait{f: f, h: h, retries: h.Retries}
	w.d.CopyFrom(d)
	f.s.waiting[key] = w
	w.timer = time.AfterFunc(w.period(), func() { f.s.expired(key, w) })
	return d, 0
}

func (w *wait) period() time.Duration { return time.Duration(w.h.TimeoutMS) * time.Millisecond }

// expired sends a request again, or gives it back after the last time.
func (s *Server) expired(key pending, w *wait) {
	s.mu.Lock()
	if s.waiting[key] != w {
		s.mu.Unlock()
		return
	}
	if w.retries > 0 {
		w.retries--
		w.timer.Reset(w.period())
		var d wire.Datagram
		d.CopyFrom(&w.d)
		s.mu.Unlock()
		s.l.Send(s.id, &d)
		return
	}
	defer s.mu.Unlock()
	delete(s.waiting, key)
	w.h.Status = uint32(syscall.ETIMEDOUT)
	w.f.push(w.h, w.d.MAD[:mad.Header.Size])
}

// arrived is the kernel's dispatch: an answer goes to who waits for it, and else
// nowhere; anything else to the agent that owns its method.
func (s *Server) arrived(d *wire.Datagram) {
	h := umad.Header{QPN: d.Addr.SQP, LID: d.Addr.SLID, SL: d.Addr.SL, PKeyIndex: d.Addr.PKeyIndex}
	if d.Addr.DQP != 0 {
		h.QKey = wire.QKeyGSI
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m := d.MAD
	if m.Method().IsResponse() {
		key := keyOf(m)
		if w := s.waiting[key]; w != nil {
			w.timer.Stop()
			delete(s.waiting, key)
			h.Agent = w.h.Agent
			w.f.push(h, m)
		}
		return
	}
	if a := s.owner(m.Class(), uint8(mad.HeaderClassVersion.Get(m)), m.Method()); a != nil {
		h.Agent = a.id
		a.f.push(h, m)
	}
}
