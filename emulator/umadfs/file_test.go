package umadfs_test

import (
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
	if s, err := umadfs.Mount(t.TempDir(), realTime(), at, at); err == nil {
		t.Error("one port is served twice")
		_ = s.Close()
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(mounts), " fuse.weft "); n != 1 {
		t.Errorf("%d mounts, want that of the machine alone", n)
	}
}
