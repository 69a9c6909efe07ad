package umadfs_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"weft/emulator/umadfs"
	"weft/wire"
	"weft/wire/mad"
	"weft/wire/umad"
)

// openRaw opens a device past the runtime's poller, so that calls wait in the kernel.
func openRaw(t *testing.T, dir, name string, flags int) (fd int, err error) {
	t.Helper()
	fd, err = syscall.Open(filepath.Join(dir, umadfs.DevDir, name), syscall.O_RDWR|syscall.O_CLOEXEC|flags, 0)
	return fd, err
}

func ioctl(fd int, number uint32, arg []byte) error {
	_, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), uintptr(number), uintptr(unsafe.Pointer(unsafe.SliceData(arg))))
	if e != 0 {
		return e
	}
	return nil
}

// A read waits for its message; without waiting it fails with EAGAIN.
func TestBlockingRead(t *testing.T) {
	needFUSE(t)
	dir := server(t)
	fd, err := openRaw(t, dir, "umad0", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(fd) }()
	quick, err := openRaw(t, dir, "umad0", syscall.O_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(quick) }()
	buf := make([]byte, 1024)
	if _, err := syscall.Read(quick, buf); !errors.Is(err, syscall.EAGAIN) {
		t.Fatalf("a read that must not wait: %v", err)
	}
	arg := make([]byte, umad.AgentSize)
	(&umad.Agent{Class: mad.ClassDirectedSMP, Version: 1}).Put(arg)
	if err := ioctl(fd, umad.IoctlRegisterAgent2, arg); err != nil {
		t.Fatal(err)
	}
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrNodeInfo}.Directed(make([]byte, mad.Size), []byte{9})
	if err != nil {
		t.Fatal(err)
	}
	// Route 9 leads nowhere: the answer is the timeout, long after the read began.
	h := umad.Header{Agent: umad.AgentID(arg), LID: wire.Permissive, TimeoutMS: 50}
	head := make([]byte, umad.HeaderSize)
	h.Put(head)
	if _, err := syscall.Write(fd, append(head, m...)); err != nil {
		t.Fatal(err)
	}
	n, err := syscall.Read(fd, buf)
	if err != nil || n != umad.HeaderSize+mad.Header.Size {
		t.Fatalf("read %d bytes, %v", n, err)
	}
	if got, _, _ := umad.ParseMessage(buf[:n]); got.Status != uint32(syscall.ETIMEDOUT) {
		t.Errorf("status %d", got.Status)
	}
}

// register makes an agent of subnet administration.
func register(t *testing.T, fd int, methods ...mad.Method) (id uint32) {
	t.Helper()
	arg := make([]byte, umad.AgentSize)
	(&umad.Agent{Class: mad.ClassSA, Version: 2, QP: 1, RMPPVersion: 1, Methods: methods}).Put(arg)
	if err := ioctl(fd, umad.IoctlRegisterAgent2, arg); err != nil {
		t.Fatal(err)
	}
	return umad.AgentID(arg)
}

// setLID gives node A a LID.
func setLID(t *testing.T, dir string, lid uint16) {
	t.Helper()
	a := attach(t, dir, "A")
	r := wire.New(a, wire.Options{})
	var info []byte
	for _, method := range []mad.Method{mad.Get, mad.Set} {
		m, err := mad.Request{Method: method, Attr: mad.AttrPortInfo}.Directed(make([]byte, mad.Size), nil)
		if err != nil {
			t.Fatal(err)
		}
		if method == mad.Set {
			copy(m.Data(), info)
			mad.PortInfoLID.Put(m.Data(), uint64(lid))
			mad.PortInfoMasterSMLID.Put(m.Data(), uint64(lid))
			mad.PortInfoPortState.Put(m.Data(), 0)
			mad.PortInfoPhysicalState.Put(m.Data(), 0)
		}
		done := make(chan error, 1)
		r.Start(&wire.Request{Addr: wire.Directed(), MAD: m, Done: func(res *wire.Result) {
			if res.Reply != nil {
				info = bytes.Clone(res.Reply.MAD.Data())
			}
			done <- res.Err
		}})
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A message of over a mebibyte is written and read by single calls. A reader without room gets
// ENOSPC, and finds in its buffer how much room it needs.
func TestLongMessage(t *testing.T) {
	needFUSE(t)
	dir := server(t)
	const lid = 5
	setLID(t, dir, lid)
	open := func() int {
		fd, err := openRaw(t, dir, "umad0", syscall.O_NONBLOCK)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Close(fd) })
		return fd
	}
	asker, server := open(), open()
	read := func(fd int, b []byte) (n int, err error) {
		err = syscall.EAGAIN
		for end := time.Now().Add(patience); errors.Is(err, syscall.EAGAIN) && time.Now().Before(end); time.Sleep(time.Millisecond) {
			n, err = syscall.Read(fd, b)
		}
		return n, err
	}
	write := func(fd int, h umad.Header, m mad.Datagram) {
		t.Helper()
		b := make([]byte, umad.HeaderSize, umad.HeaderSize+len(m))
		h.QPN = 1
		h.Put(b)
		if n, err := syscall.Write(fd, append(b, m...)); err != nil || n != umad.HeaderSize+len(m) {
			t.Fatalf("written %d bytes, %v", n, err)
		}
	}
	size := 3_000_000
	ask := func(method mad.Method, size int) mad.Datagram {
		m := make(mad.Datagram, mad.SAHeader.Size+size)
		m[0], m[1], m[2], m[3] = 1, byte(mad.ClassSA), 2, byte(method)
		return m
	}
	id := register(t, server, mad.GetTable)
	write(asker, umad.Header{Agent: register(t, asker), LID: lid, TimeoutMS: 60_000}, ask(mad.GetTable, 200))
	buf := make([]byte, 1024)
	n, err := read(server, buf)
	if err != nil {
		t.Fatal(err)
	}
	h, q, _ := umad.ParseMessage(buf[:n])
	answer := ask(mad.GetTableResp, size)
	mad.HeaderTransactionID.Put(answer, q.TID())
	mad.RMPPFlags.Put(answer, mad.RMPPActive)
	for i := range answer.Data() {
		answer.Data()[i] = byte(i / 251)
	}
	write(server, umad.Header{Agent: id, LID: h.LID}, answer)
	clear(buf)
	if _, err := read(asker, buf[:umad.HeaderSize+mad.Size]); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a read without room: %v", err)
	}
	h, first, _ := umad.ParseMessage(buf[:umad.HeaderSize+mad.Size])
	if int(h.Length) != umad.HeaderSize+len(answer) || !bytes.Equal(first.Data(), answer.Data()[:mad.RMPPSegmentData]) {
		t.Fatalf("a reader without room gets %+v", h)
	}
	buf = make([]byte, h.Length)
	if n, err := read(asker, buf); err != nil || n != len(buf) {
		t.Fatalf("read %d bytes of %d, %v", n, len(buf), err)
	}
	if _, m, _ := umad.ParseMessage(buf); !bytes.Equal(m.Data(), answer.Data()) {
		t.Error("the message has changed")
	}
}

// A refused registration still brings its argument back.
func TestFlagsComeBack(t *testing.T) {
	needFUSE(t)
	fd, err := openRaw(t, server(t), "umad0", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(fd) }()
	arg := make([]byte, umad.AgentSize)
	(&umad.Agent{Class: mad.ClassSMP, Version: 1, Flags: 0xFE}).Put(arg)
	if err := ioctl(fd, umad.IoctlRegisterAgent2, arg); !errors.Is(err, syscall.EINVAL) {
		t.Fatalf("unknown flags: %v", err)
	}
	if got := binary.NativeEndian.Uint32(arg[12:]); got != umad.FlagUserRMPP {
		t.Errorf("supported flags come back as %#x", got)
	}
	if err := ioctl(fd, 0x1B77, nil); !errors.Is(err, syscall.ENOTTY) {
		t.Errorf("an unknown call: %v", err)
	}
}

// One program has the issm device; another one waits for it, or is refused. IsSM is
// set meanwhile.
func TestISSM(t *testing.T) {
	needFUSE(t)
	dir := server(t)
	isSM := func() bool {
		a := attach(t, dir, "A")
		p, err := a.Port(t.Context())
		if err = errors.Join(err, a.Close()); err != nil {
			t.Fatal(err)
		}
		return p.IsSM
	}
	first, err := openRaw(t, dir, "issm0", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openRaw(t, dir, "issm0", syscall.O_NONBLOCK); !errors.Is(err, syscall.EAGAIN) {
		t.Fatalf("a second open that must not wait: %v", err)
	}
	second := make(chan int)
	go func() {
		fd, err := openRaw(t, dir, "issm0", 0)
		if err != nil {
			t.Error(err)
		}
		second <- fd
	}()
	select {
	case <-second:
		t.Fatal("two programs have the issm device")
	case <-time.After(50 * time.Millisecond): // if it is late, the test proves less
	}
	if !isSM() {
		t.Error("IsSM is not set")
	}
	_ = syscall.Close(first)
	fd := <-second
	if !isSM() {
		t.Error("IsSM is not set for the second")
	}
	_ = syscall.Close(fd)
	if isSM() {
		t.Error("IsSM has outlived its programs")
	}
}

// A missing directory and a port served twice are refused, and nothing stays mounted.
func TestMountRefused(t *testing.T) {
	needFUSE(t)
	m := newMachine(t, "rlft(4,2)")
	at := umadfs.Emulated(m.l, m.at)
	if s, err := umadfs.Mount(filepath.Join(t.TempDir(), "none"), realTime(), at); err == nil {
		t.Error("mounted at a directory that is not there")
		_ = s.Close()
	}
	twice := t.TempDir()
	if s, err := umadfs.Mount(twice, realTime(), at, at); err == nil {
		t.Error("one port is served twice")
		_ = s.Close()
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(mounts), twice) || !strings.Contains(string(mounts), m.dir) {
		t.Errorf("mounted are\n%s", mounts)
	}
}
