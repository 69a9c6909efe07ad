package fuse

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// A device driver sees the call of a program: its length, and its buffer even if the call fails. A
// FUSE server sees neither: the kernel splits calls of over a mebibyte, and an answer is data or an
// error. Programs rely on both (see package umadfs), so callerOf asks /proc.

// caller is a thread that waits in read(2) or write(2) for an answer of this process. Until then,
// its call and its buffer stay.
type caller struct {
	thread int
	call   int   // system call
	buffer int64 // address
	size   int   // of the buffer
}

// The kernel answers "running" while a thread that has just asked goes to sleep.
const (
	sleepTries = 1000
	sleepPause = 10 * time.Microsecond
)

// callerOf returns the call that a thread waits in. Thread 0 is in another PID namespace.
func callerOf(thread int) (c caller, err error) {
	for range sleepTries {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/syscall", thread))
		if err != nil {
			return c, err
		}
		var fd int64
		c.thread = thread
		if n, _ := fmt.Sscanf(string(text), "%d %v %v %v", &c.call, &fd, &c.buffer, &c.size); n == 4 {
			return c, nil
		}
		<-time.NewTimer(sleepPause).C
	}
	return c, fmt.Errorf("fuse: thread %d does not wait", thread)
}

// writeToReader writes into the buffer of a thread that waits in read(2) for size bytes.
func writeToReader(thread, size int, b []byte) error {
	c, err := callerOf(thread)
	if err != nil {
		return err
	}
	if c.call != syscall.SYS_READ || c.size < size {
		return fmt.Errorf("fuse: thread %d does not read %d bytes: %+v", thread, size, c)
	}
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", thread), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = mem.Close() }()
	_, err = mem.WriteAt(b[:min(len(b), size)], c.buffer)
	return err
}

// sizeOfCall returns the size of a thread's read or write. A request holds its first size bytes.
func sizeOfCall(thread, size int) int {
	if size <= maxWrite-pageSize {
		return size // not split
	}
	c, err := callerOf(thread)
	if err != nil || c.call != syscall.SYS_READ && c.call != syscall.SYS_WRITE {
		return size
	}
	return max(size, c.size)
}
