package fuse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"syscall"
	"testing"
)

// kernel stands for /dev/fuse on the side of the server: it keeps what the server writes.
type kernel struct{ said [][]byte }

func (k *kernel) Read([]byte) (int, error) { return 0, errors.New("not used") }
func (k *kernel) Close() error             { return nil }
func (k *kernel) Write(b []byte) (int, error) {
	k.said = append(k.said, bytes.Clone(b))
	return len(b), nil
}

var _ io.ReadWriteCloser = (*kernel)(nil)

// device returns its messages, one a read.
type device struct {
	h     *Handle
	queue [][]byte
}

func (d *device) Read(size int) ([]byte, syscall.Errno) {
	if len(d.queue) == 0 {
		return nil, syscall.EAGAIN
	}
	b := d.queue[0]
	switch {
	case size == 1:
		return nil, syscall.EINVAL
	case len(b) > size:
		return b[:size], syscall.ENOSPC
	}
	d.queue = d.queue[1:]
	return b, 0
}

func (d *device) Write(b []byte) syscall.Errno {
	d.queue = append(d.queue, bytes.Clone(b))
	d.h.Wake()
	return 0
}

func (d *device) Ioctl(number uint32, arg []byte) syscall.Errno {
	for i := range arg {
		arg[i]++
	}
	return syscall.Errno(number & 0xFF)
}
func (d *device) Readable() bool { return len(d.queue) > 0 }
func (d *device) Release()       {}

func newBench() (*Server, *kernel) {
	t := NewTree()
	t.Text("sys/lid", func() string { return "0x7" })
	t.Device("dev/umad0", func(h *Handle) (File, syscall.Errno) { return &device{h: h}, 0 })
	k := &kernel{}
	s := New(t)
	s.dev = k
	s.sizeOfCall = func(_, size int) int { return size }
	return s, k
}

// ask sends a request and gives the answers it causes: code and body.
func ask(s *Server, k *kernel, op uint32, unique, node uint64, body []byte) [][]byte {
	b := make([]byte, inHeaderSize)
	ne.PutUint32(b, uint32(inHeaderSize+len(body)))
	ne.PutUint32(b[4:], op)
	ne.PutUint64(b[8:], unique)
	ne.PutUint64(b[16:], node)
	ne.PutUint32(b[32:], 77) // the thread
	k.said = nil
	s.handle(append(b, body...))
	return k.said
}

// want requires one answer and gives its body.
func want(t *testing.T, said [][]byte, unique uint64, code int32) []byte {
	t.Helper()
	if len(said) != 1 {
		t.Fatalf("%d answers, want 1", len(said))
	}
	b := said[0]
	if ne.Uint64(b[8:]) != unique || int32(ne.Uint32(b[4:])) != code || int(ne.Uint32(b)) != len(b) {
		t.Fatalf("answer % x, want request %d, code %d", b[:outHeaderSize], unique, code)
	}
	return b[outHeaderSize:]
}

// open opens a node and gives its handle.
func open(t *testing.T, s *Server, k *kernel, node uint64) uint64 {
	t.Helper()
	return ne.Uint64(want(t, ask(s, k, opOpen, 1, node, make([]byte, 8)), 1, 0))
}

func readBody(h uint64, offset uint64, size, flags uint32) []byte {
	b := make([]byte, 40)
	ne.PutUint64(b, h)
	ne.PutUint64(b[8:], offset)
	ne.PutUint32(b[16:], size)
	ne.PutUint32(b[32:], flags)
	return b
}

func writeBody(h uint64, data string) []byte {
	return append(readBody(h, 0, uint32(len(data)), 0), data...)
}

// The nodes of newBench.
const (
	lidNode  = 3
	umadNode = 5
)

func TestTree(t *testing.T) {
	s, k := newBench()
	if got := ne.Uint64(want(t, ask(s, k, opLookup, 1, 1, []byte("dev\x00")), 1, 0)); got != 4 {
		t.Errorf("dev is node %d", got)
	}
	want(t, ask(s, k, opLookup, 1, 1, []byte("nothing\x00")), 1, -int32(syscall.ENOENT))
	list := want(t, ask(s, k, opReaddir, 2, 1, readBody(0, 0, 4096, 0)), 2, 0)
	if !bytes.Contains(list, []byte("sys")) || !bytes.Contains(list, []byte("dev")) {
		t.Errorf("the root has % x", list)
	}
	rest := want(t, ask(s, k, opReaddir, 2, 1, readBody(0, 1, 4096, 0)), 2, 0)
	if bytes.Contains(rest, []byte("sys")) || !bytes.Contains(rest, []byte("dev")) {
		t.Errorf("from the second entry on, the root has % x", rest)
	}
	h := open(t, s, k, lidNode)
	if got := want(t, ask(s, k, opRead, 3, lidNode, readBody(h, 0, 100, 0)), 3, 0); string(got) != "0x7\n" {
		t.Errorf("lid holds %q", got)
	}
	if got := want(t, ask(s, k, opRead, 3, lidNode, readBody(h, 2, 1, 0)), 3, 0); string(got) != "7" {
		t.Errorf("the third byte of lid is %q", got)
	}
	want(t, ask(s, k, opWrite, 4, lidNode, writeBody(h, "x")), 4, -int32(syscall.EBADF))
	want(t, ask(s, k, 9999, 5, 1, nil), 5, -int32(syscall.ENOSYS))
}

// A read waits until there is something, or until it is interrupted.
func TestWaiting(t *testing.T) {
	s, k := newBench()
	h := open(t, s, k, umadNode)
	want(t, ask(s, k, opRead, 7, umadNode, readBody(h, 0, 100, syscall.O_NONBLOCK)), 7, -int32(syscall.EAGAIN))
	for _, unique := range []uint64{8, 9} {
		if said := ask(s, k, opRead, unique, umadNode, readBody(h, 0, 100, 0)); len(said) != 0 {
			t.Fatalf("a read that has to wait is answered with % x", said)
		}
	}
	want(t, ask(s, k, opInterrupt, 0, 0, u64(8)), 8, -int32(syscall.EINTR))
	if said := ask(s, k, opInterrupt, 0, 0, u64(8)); len(said) != 0 {
		t.Errorf("interrupted twice: % x", said)
	}
	said := ask(s, k, opWrite, 10, umadNode, writeBody(h, "hello"))
	if len(said) != 2 {
		t.Fatalf("%d answers, want those of read and write", len(said))
	}
	if got := want(t, said[:1], 9, 0); string(got) != "hello" {
		t.Errorf("read %q", got)
	}
	if got := want(t, said[1:], 10, 0); ne.Uint32(got) != 5 {
		t.Errorf("wrote %d bytes", ne.Uint32(got))
	}
}

// A read that fails may still fill the buffer of its thread.
func TestErrorWithData(t *testing.T) {
	s, k := newBench()
	got := ""
	s.toReader = func(thread, size int, b []byte) error {
		got = fmt.Sprintf("%d %d %s", thread, size, b)
		return errors.New("the answer goes out nevertheless")
	}
	h := open(t, s, k, umadNode)
	if said := ask(s, k, opRead, 8, umadNode, readBody(h, 0, 3, 0)); len(said) != 0 {
		t.Fatal("a read that has to wait is answered")
	}
	said := ask(s, k, opWrite, 9, umadNode, writeBody(h, "hello"))
	if rest := want(t, said[:1], 8, -int32(syscall.ENOSPC)); len(rest) != 0 || got != "77 3 hel" {
		t.Errorf("answered with %q, written %q", rest, got)
	}
	got = ""
	want(t, ask(s, k, opRead, 10, umadNode, readBody(h, 0, 1, 0)), 10, -int32(syscall.EINVAL))
	if got != "" {
		t.Errorf("an error without data has written %q", got)
	}
	if got := want(t, ask(s, k, opRead, 11, umadNode, readBody(h, 0, 5, 0)), 11, 0); string(got) != "hello" {
		t.Errorf("read %q", got)
	}
}

// The kernel splits long calls; a message stays one.
func TestPieces(t *testing.T) {
	s, k := newBench()
	s.sizeOfCall = func(_, _ int) int { return 5 }
	h := open(t, s, k, umadNode)
	for i, piece := range []string{"he", "ll", "o"} {
		b := writeBody(h, piece)
		ne.PutUint64(b[8:], uint64(2*i))
		if got := want(t, ask(s, k, opWrite, 4, umadNode, b), 4, 0); int(ne.Uint32(got)) != len(piece) {
			t.Errorf("wrote %d bytes", ne.Uint32(got))
		}
	}
	for i, piece := range []string{"he", "ll", "o", ""} {
		if got := want(t, ask(s, k, opRead, 5, umadNode, readBody(h, uint64(2*i), 2, 0)), 5, 0); string(got) != piece {
			t.Errorf("read %q, want %q", got, piece)
		}
	}
}

// Who polls is told of every message from then on.
func TestPoll(t *testing.T) {
	s, k := newBench()
	h := open(t, s, k, umadNode)
	body := make([]byte, 24)
	ne.PutUint64(body, h)
	ne.PutUint64(body[8:], 77)
	if got := ne.Uint32(want(t, ask(s, k, opPoll, 1, umadNode, body), 1, 0)); got != pollOut {
		t.Errorf("events %#x", got)
	}
	want(t, ask(s, k, opWrite, 2, umadNode, writeBody(h, "a")), 2, 0) // nobody asked to be told
	ne.PutUint32(body[16:], pollScheduleNotify)
	if got := ne.Uint32(want(t, ask(s, k, opPoll, 3, umadNode, body), 3, 0)); got != pollIn|pollOut {
		t.Errorf("events %#x", got)
	}
	for range 2 {
		said := ask(s, k, opWrite, 4, umadNode, writeBody(h, "b"))
		if len(said) != 2 {
			t.Fatalf("%d messages, want a notification and an answer", len(said))
		}
		if got := want(t, said[:1], 0, notifyPoll); ne.Uint64(got) != 77 {
			t.Errorf("notified %d", ne.Uint64(got))
		}
	}
}

func TestIoctl(t *testing.T) {
	s, k := newBench()
	h := open(t, s, k, umadNode)
	body := make([]byte, 32)
	ne.PutUint64(body, h)
	ne.PutUint32(body[12:], 0x1B16)
	ne.PutUint32(body[24:], 3)
	ne.PutUint32(body[28:], 2)
	got := want(t, ask(s, k, opIoctl, 1, umadNode, append(body, 1, 2, 3)), 1, 0)
	if int32(ne.Uint32(got)) != -0x16 || !bytes.Equal(got[16:], []byte{2, 3}) {
		t.Errorf("answered % x", got)
	}
}

// FuzzServer: whatever comes from /dev/fuse, no panic, and at most one answer to it.
func FuzzServer(f *testing.F) {
	f.Add(uint32(opLookup), uint64(1), []byte("dev\x00"))
	f.Add(uint32(opRead), uint64(umadNode), readBody(1, 0, 4096, 0))
	f.Add(uint32(opWrite), uint64(umadNode), writeBody(1, "hello"))
	f.Add(uint32(opIoctl), uint64(umadNode), append(u64(1), make([]byte, 40)...))
	f.Add(uint32(opInit), uint64(0), make([]byte, 64))
	f.Fuzz(func(t *testing.T, op uint32, node uint64, body []byte) {
		s, k := newBench()
		open(t, s, k, umadNode)
		ask(s, k, op, 5, node, body)
		answers := 0
		for _, b := range k.said {
			if ne.Uint64(b[8:]) == 5 {
				answers++
			}
		}
		if answers > 1 {
			t.Errorf("%d answers", answers)
		}
	})
}
