package fuse

import (
	"errors"
	"io"
	"slices"
	"sync"
	"syscall"
)

// Server serves a tree.
type Server struct {
	tree    *Tree
	dev     io.ReadWriteCloser
	unmount func() error // removes the mount
	done    chan struct{}
	// writeToReader and sizeOfCall, except in tests.
	toReader   func(thread, size int, b []byte) error
	sizeOfCall func(thread, size int) int

	mu      sync.Mutex
	handles map[uint64]*Handle
	last    uint64 // latest handle given out
	waiting []waiting
}

// Handle is an open file, as known to the kernel.
type Handle struct {
	s      *Server
	id     uint64
	text   []byte // of a text file
	file   File   // of a device
	poll   uint64 // the kernel's name for the pollers waiting for it
	polled bool
	rest   []byte // of the message of a read that the kernel has split
	begun  []byte // pieces of a write that the kernel has split
	want   int    // length of that write
}

// waiting is a request that waits until try answers it.
type waiting struct {
	unique uint64
	on     *Handle // nil for an open
	try    func() (answered bool)
}

// New returns a server of a tree, which must no longer change.
func New(t *Tree) *Server {
	return &Server{tree: t, done: make(chan struct{}), handles: map[uint64]*Handle{}, toReader: writeToReader, sizeOfCall: sizeOfCall}
}

// Close unmounts, even while programs have files open: they get errors.
func (s *Server) Close() error {
	err := errors.Join(s.unmount(), s.dev.Close())
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.handles {
		if h.file != nil {
			h.file.Release()
		}
	}
	s.handles, s.waiting = nil, nil
	return err
}

// Do calls f while no method of a File runs.
func (s *Server) Do(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// Wake says that a file has become readable, or has one more message. The caller holds the lock of
// Do, or is a method of a File.
//
// It notifies the kernel every time, not once a poll: edge-triggered pollers do not ask a second
// time.
func (h *Handle) Wake() {
	h.s.retry(h)
	if h.polled {
		h.s.send(answer(0, notifyPoll, u64(h.poll)))
	}
}

// serve answers requests until the file system is unmounted.
func (s *Server) serve() {
	defer close(s.done)
	buf := make([]byte, maxWrite+pageSize)
	for {
		n, err := s.dev.Read(buf)
		switch {
		case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.EINTR):
			continue // a request was just withdrawn
		case err != nil:
			return
		}
		s.handle(buf[:n])
	}
}

// send writes to the kernel. The kernel refuses answers to withdrawn requests, and everything after
// unmounting; nobody misses those.
func (s *Server) send(b []byte) { _, _ = s.dev.Write(b) }

func (s *Server) reply(r *request, body ...[]byte) { s.send(answer(r.unique, 0, body...)) }

func (s *Server) fail(r *request, e syscall.Errno) { s.send(answer(r.unique, -int32(e))) }

// handle answers one request.
func (s *Server) handle(b []byte) {
	r, ok := parseRequest(b)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.op {
	case opForget, opBatchForget: // expect no answer; nodes live as long as the tree
	case opInterrupt:
		s.interrupt(ne.Uint64(r.body))
	case opInit:
		s.reply(&r, initOut(r.body))
	case opDestroy:
		s.reply(&r)
	case opStatfs:
		s.reply(&r, make([]byte, 80))
	case opLookup, opGetattr, opOpen, opOpendir, opReaddir, opReleasedir:
		s.ofNode(&r)
	case opRead, opWrite, opIoctl, opPoll, opRelease:
		s.ofHandle(&r)
	default:
		s.fail(&r, syscall.ENOSYS)
	}
}

// ofNode answers a request about a node of the tree.
func (s *Server) ofNode(r *request) {
	n := s.tree.node(r.node)
	if n == nil {
		s.fail(r, syscall.ENOENT)
		return
	}
	switch r.op {
	case opLookup:
		if c := n.child(cString(r.body)); c != nil {
			s.reply(r, c.entryOut())
			return
		}
		s.fail(r, syscall.ENOENT)
	case opGetattr:
		s.reply(r, n.attrOut())
	case opReaddir:
		s.reply(r, n.entries(ne.Uint64(r.body[8:]), int(ne.Uint32(r.body[16:]))))
	case opOpendir:
		s.reply(r, make([]byte, 16))
	case opReleasedir:
		s.reply(r)
	case opOpen:
		s.open(r, n)
	}
}

func cString(b []byte) string {
	if i := slices.Index(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

// open opens a file. This fixes the content of a text file.
func (s *Server) open(r *request, n *Node) {
	h := &Handle{s: s}
	switch {
	case n.dir():
		s.fail(r, syscall.EISDIR)
	case n.text != nil:
		h.text = []byte(n.text() + "\n")
		s.opened(r.unique, h, openDirectIO)
	default:
		unique := r.unique
		s.tryOrWait(waiting{unique: unique, try: func() bool {
			f, e := n.open(h)
			switch e {
			case syscall.EAGAIN:
				return false
			case 0:
				h.file = f
				s.opened(unique, h, openDirectIO|openNoSeek|openStream)
			default:
				s.send(answer(unique, -int32(e)))
			}
			return true
		}}, ne.Uint32(r.body))
	}
}

func (s *Server) opened(unique uint64, h *Handle, flags uint32) {
	s.last++
	h.id = s.last
	s.handles[h.id] = h
	out := make([]byte, 16)
	ne.PutUint64(out[0:], h.id)
	ne.PutUint32(out[8:], flags)
	s.send(answer(unique, 0, out))
}

// tryOrWait tries to answer a request now, or later by retry, unless the flags of the file forbid
// waiting.
func (s *Server) tryOrWait(p waiting, flags uint32) {
	switch {
	case p.try():
	case flags&syscall.O_NONBLOCK != 0:
		s.send(answer(p.unique, -int32(syscall.EAGAIN)))
	default:
		s.waiting = append(s.waiting, p)
	}
}

// retry tries the waiting requests of a handle again; nil stands for waiting opens.
func (s *Server) retry(on *Handle) {
	s.waiting = slices.DeleteFunc(s.waiting, func(p waiting) bool { return p.on == on && p.try() })
}

// interrupt ends the wait of a request.
func (s *Server) interrupt(unique uint64) {
	s.waiting = slices.DeleteFunc(s.waiting, func(p waiting) bool {
		if p.unique != unique {
			return false
		}
		s.send(answer(unique, -int32(syscall.EINTR)))
		return true
	})
}

// ofHandle answers a request about an open file.
func (s *Server) ofHandle(r *request) {
	h := s.handles[ne.Uint64(r.body)]
	switch {
	case h == nil:
		s.fail(r, syscall.EBADF)
	case r.op == opRelease:
		s.release(r, h)
	case r.op == opRead && h.file == nil:
		from := min(ne.Uint64(r.body[8:]), uint64(len(h.text)))
		rest := h.text[from:]
		s.reply(r, rest[:min(len(rest), int(ne.Uint32(r.body[16:])))])
	case r.op == opPoll:
		s.poll(r, h)
	case h.file == nil && r.op == opIoctl:
		s.fail(r, syscall.ENOTTY)
	case h.file == nil:
		s.fail(r, syscall.EBADF)
	case r.op == opRead:
		s.read(r, h)
	case r.op == opWrite:
		s.write(r, h)
	case r.op == opIoctl:
		s.ioctl(r, h)
	}
}

func (s *Server) release(r *request, h *Handle) {
	delete(s.handles, h.id)
	if h.file != nil {
		h.file.Release()
	}
	s.reply(r)
	s.retry(nil)
}

// read answers with the next message. A longer one than fits an answer goes out piece by piece: the
// kernel asks for the rest of the same call from an offset on.
func (s *Server) read(r *request, h *Handle) {
	unique, thread, size := r.unique, r.thread, int(ne.Uint32(r.body[16:]))
	if ne.Uint64(r.body[8:]) > 0 {
		piece := h.rest[:min(len(h.rest), size)]
		h.rest = h.rest[len(piece):]
		s.reply(r, piece)
		return
	}
	s.tryOrWait(waiting{unique: unique, on: h, try: func() bool {
		whole := size
		if h.file.Readable() {
			whole = s.sizeOfCall(thread, size)
		}
		b, e := h.file.Read(whole)
		switch {
		case e == syscall.EAGAIN:
			return false
		case e != 0:
			if len(b) > 0 {
				_ = s.toReader(thread, size, b) // else the reader gets the error alone
			}
			b = nil
		}
		piece := b[:min(len(b), size)]
		h.rest = b[len(piece):]
		s.send(answer(unique, -int32(e), piece))
		return true
	}}, ne.Uint32(r.body[32:]))
}

// write passes a message on when all of its pieces have come.
func (s *Server) write(r *request, h *Handle) {
	size, data := ne.Uint32(r.body[16:]), r.body[40:]
	if uint64(size) > uint64(len(data)) {
		s.fail(r, syscall.EIO)
		return
	}
	data = data[:size]
	if ne.Uint64(r.body[8:]) == 0 {
		h.begun, h.want = nil, s.sizeOfCall(r.thread, int(size))
	}
	if len(h.begun)+len(data) < h.want {
		h.begun = append(h.begun, data...)
		s.reply(r, u32(size))
		return
	}
	if len(h.begun) > 0 {
		data = append(h.begun, data...)
		h.begun = nil
	}
	if e := h.file.Write(data); e != 0 {
		s.fail(r, e)
		return
	}
	s.reply(r, u32(size))
}

// ioctl sends the argument back even after an error.
func (s *Server) ioctl(r *request, h *Handle) {
	number, in, out := ne.Uint32(r.body[12:]), ne.Uint32(r.body[24:]), ne.Uint32(r.body[28:])
	if uint64(in) > uint64(len(r.body)-32) || out > maxWrite {
		s.fail(r, syscall.EIO)
		return
	}
	arg := make([]byte, max(in, out))
	copy(arg, r.body[32:32+in])
	e := h.file.Ioctl(number, arg)
	head := make([]byte, 16)
	ne.PutUint32(head, uint32(-int32(e)))
	s.reply(r, head, arg[:out])
}

func (s *Server) poll(r *request, h *Handle) {
	h.poll = ne.Uint64(r.body[8:])
	h.polled = h.polled || ne.Uint32(r.body[16:])&pollScheduleNotify != 0
	events := uint32(pollOut)
	if h.file == nil || h.file.Readable() {
		events |= pollIn
	}
	s.reply(r, u32(events))
}
