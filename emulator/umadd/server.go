package umadd

import (
	"bytes"
	"context"
	"os"
	"sync"
	"syscall"

	"weft/emulator"
	"weft/emulator/live"
	"weft/fabric"
	"weft/wire"
)

// Server serves one port of a subnet.
type Server struct {
	l    *live.Live
	conn *connection
	tree tree
	umad uint64 // number of umad0
	issm uint64
	id   emulator.ClientID
	in   *wire.Inbox // from the subnet
	done sync.WaitGroup

	mu      sync.Mutex
	files   map[uint64]*file
	handles uint64
	manager uint64 // handle that has issm0 open, 0 for none
	serial  uint16 // of the next agent
	waiting map[pending]*wait
}

// Mount serves a port (of a CA, or port 0 of a switch) at a directory, which must
// exist.
func Mount(l *live.Live, at fabric.End, dir string) (*Server, error) {
	s := &Server{l: l, in: wire.NewInbox(), files: map[uint64]*file{}, waiting: map[pending]*wait{}}
	var err error
	l.Do(func(sub *emulator.Subnet) {
		s.id, err = sub.Attach(emulator.Client{At: at, Deliver: func(d *wire.Datagram) { s.in.Push(d) }})
	})
	if err != nil {
		return nil, err
	}
	s.tree, s.umad, s.issm = plant(func() wire.Port { return l.Port(at) })
	if s.conn, err = mount(dir); err != nil {
		s.l.Do(func(sub *emulator.Subnet) { sub.Detach(s.id) })
		return nil, err
	}
	s.done.Add(2)
	go func() { defer s.done.Done(); s.conn.serve(s.handle) }()
	go func() { defer s.done.Done(); s.dispatch() }()
	return s, nil
}

// Close unmounts the directory; programs that have files open lose them.
func (s *Server) Close() error {
	err := s.conn.unmount()
	s.in.Close(nil)
	s.done.Wait()
	s.l.Do(func(sub *emulator.Subnet) { sub.Detach(s.id) })
	s.mu.Lock()
	defer s.mu.Unlock()
	for h := range s.files {
		s.release(h)
	}
	return err
}

// dispatch brings what arrives from the subnet to the files.
func (s *Server) dispatch() {
	var d wire.Datagram
	for s.in.Pop(context.Background(), &d) == nil {
		s.arrived(&d)
	}
}

// fields are the integers of a request's body; a short body is refused before.
var bodySizes = map[uint32]int{
	opOpen: 8, opRead: 40, opWrite: 40, opRelease: 24, opReaddir: 40, opInterrupt: 8, opIoctl: 32, opPoll: 24,
}

// handle answers one request of the kernel.
func (s *Server) handle(r *request) {
	n := s.tree.node(r.node)
	if r.op == opInterrupt && len(r.body) >= 8 {
		s.interrupt(native.Uint64(r.body))
		return
	}
	if n == nil {
		s.conn.fail(r.unique, syscall.ENOENT)
		return
	}
	if len(r.body) < bodySizes[r.op] {
		s.conn.fail(r.unique, syscall.EINVAL)
		return
	}
	switch r.op {
	case opLookup:
		s.lookup(r, n)
	case opGetattr, opSetattr: // a truncation by O_TRUNC changes nothing
		s.conn.reply(r.unique, make([]byte, 16), s.tree.attr(r.node))
	case opOpen:
		s.open(r, n)
	case opRead:
		s.read(r)
	case opWrite:
		s.write(r)
	case opIoctl:
		s.ioctl(r)
	case opPoll:
		s.poll(r)
	case opRelease:
		s.mu.Lock()
		s.release(native.Uint64(r.body))
		s.mu.Unlock()
		s.conn.reply(r.unique)
	case opOpendir:
		s.conn.reply(r.unique, make([]byte, 16))
	case opReaddir:
		s.conn.reply(r.unique, s.tree.list(n, native.Uint64(r.body[8:]), int(native.Uint32(r.body[16:]))))
	case opStatfs:
		s.conn.reply(r.unique, make([]byte, 80))
	case opReleasedir, opFlush, opFsync, opAccess, opDestroy:
		s.conn.reply(r.unique)
	default:
		s.conn.fail(r.unique, syscall.ENOSYS)
	}
}

func (s *Server) lookup(r *request, dir *inode) {
	name, _, _ := bytes.Cut(r.body, []byte{0})
	ino := s.tree.find(dir, string(name))
	if ino == 0 {
		s.conn.fail(r.unique, syscall.ENOENT)
		return
	}
	entry := make([]byte, 40)
	native.PutUint64(entry[0:], ino)
	s.conn.reply(r.unique, entry, s.tree.attr(ino))
}

// open opens a file. What a file of sysfs holds is decided now.
func (s *Server) open(r *request, n *inode) {
	f := &file{s: s, hsize: oldHeaderSize}
	if n.text != nil {
		f.text = []byte(n.text() + "\n")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handles++
	h := s.handles
	if r.node == s.issm {
		if s.manager != 0 {
			s.conn.fail(r.unique, syscall.EAGAIN)
			return
		}
		s.manager = h
		s.setIsSM(true)
	}
	s.files[h] = f
	out := make([]byte, 16)
	native.PutUint64(out[0:], h)
	flags := uint32(directIO)
	if n.text == nil {
		flags |= nonSeek | stream
	}
	native.PutUint32(out[8:], flags)
	s.conn.reply(r.unique, out)
}

func (s *Server) setIsSM(on bool) {
	s.l.Do(func(sub *emulator.Subnet) { sub.SetIsSM(s.id, on) })
}

// release closes a file. The caller holds the lock.
func (s *Server) release(h uint64) {
	f := s.files[h]
	if f == nil {
		return
	}
	delete(s.files, h)
	if s.manager == h {
		s.manager = 0
		s.setIsSM(false)
	}
	for key, w := range s.waiting {
		if w.f == f {
			w.timer.Stop()
			delete(s.waiting, key)
		}
	}
	for _, p := range f.reads {
		s.conn.fail(p.unique, syscall.EBADF)
	}
}

// FuseMissing says why a machine cannot Mount, or "".
func FuseMissing() string {
	if _, err := os.Stat("/dev/fuse"); err != nil {
		return "no /dev/fuse"
	}
	if os.Getuid() != 0 {
		return "mounting needs root"
	}
	return ""
}
