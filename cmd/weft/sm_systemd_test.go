package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNotify: a manager that systemd starts says when it is ready, what it is, that it reloads,
// lives and ends.
func TestNotify(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	systemd, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram", Name: socket})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = systemd.Close() }()
	cmd := exec.Command("weft", "sm", "-t", "emulate:rlft(4,2)", "--engine", "updn")
	cmd.Env = append(os.Environ(), "NOTIFY_SOCKET="+socket, "WATCHDOG_USEC=200000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	var heard []string
	hear := func(want string) {
		t.Helper()
		b := make([]byte, 4096)
		for {
			if err := systemd.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
				t.Fatal(err)
			}
			n, err := systemd.Read(b)
			if err != nil {
				t.Fatalf("no %s: %v, %q", want, err, heard)
			}
			heard = append(heard, string(b[:n]))
			if strings.Contains("\n"+string(b[:n]), "\n"+want) {
				return
			}
		}
	}
	send := func(s syscall.Signal) {
		t.Helper()
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	hear("READY=1")
	if last := heard[len(heard)-1]; last != "READY=1\nSTATUS=master: SUBNET UP, 6 switches, 8 CAs, 16 links, engine updn" {
		t.Errorf("%q", heard)
	}
	hear("WATCHDOG=1")
	send(syscall.SIGHUP)
	hear("RELOADING=1\nMONOTONIC_USEC=")
	hear("READY=1")
	send(syscall.SIGTERM)
	hear("STOPPING=1")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
