package otherfiles

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestPipe: a named pipe is left to the reader of topologies. To open it here would wait for its
// writer, and nothing could interrupt that.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan kind, 1)
	go func() { got <- kindOf(path) }()
	select {
	case is := <-got:
		if is != topology {
			t.Error(is)
		}
	case <-time.After(30 * time.Second):
		t.Error("it waits")
	}
}
