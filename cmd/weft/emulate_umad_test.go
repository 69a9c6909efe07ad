package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"weft/emulator/umadfs"
	"weft/internal/peer"
)

// What --umad and --at refuse.
func TestEmulateUMADRefused(t *testing.T) {
	name := fmt.Sprintf("weft-umad-%d", os.Getpid())
	for want, args := range map[string][]string{
		"--at needs --umad":                {"--at", "host 0"},
		`--at "nobody": `:                  {"--umad", t.TempDir(), "--at", "nobody"},
		`no node is called "host 0/x"`:     {"--umad", t.TempDir(), "--at", "host 0/x"},
		filepath.Join(t.TempDir(), "none"): {"--umad", "none"},
	} {
		if args[1] == "none" {
			args[1] = want
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, err := invoke(ctx, append([]string{"emulate", "rlft(4,2)", "--name", name}, args...)...)
		cancel()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", args, err, want)
		}
	}
}

// weft emulate --umad serves two ports, and unmounts when it is interrupted. It runs
// in a mount namespace of its own, which is looked into from outside.
func TestEmulateUMAD(t *testing.T) {
	if err := peer.CanMount(); err != nil {
		t.Skip("skipped: ", err)
	}
	dir := t.TempDir()
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = []string{
		"weft", "emulate", "rlft(4,2)", "--name", fmt.Sprintf("weft-umad-%d", os.Getpid()),
		"--umad", dir, "--at", "host 0", "--at", "host 3/1",
	}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("weft emulate said %q: %v", line, err)
	}
	class := filepath.Join(fmt.Sprintf("/proc/%d/root", cmd.Process.Pid), dir, umadfs.ClassDir)
	for file, want := range map[string]string{
		"infiniband_mad/abi_version":           "5",
		"infiniband_mad/umad1/ibdev":           "weft_1",
		"infiniband/weft_0/node_type":          "1: CA",
		"infiniband/weft_0/ports/1/state":      "2: INIT",
		"infiniband/weft_1/ports/1/phys_state": "5: LinkUp",
		"infiniband/weft_1/ports/1/lid":        "0x0",
		"infiniband/weft_1/ports/1/pkeys/0":    "0xffff",
	} {
		text, err := os.ReadFile(filepath.Join(class, file))
		if err != nil || strings.TrimSpace(string(text)) != want {
			t.Errorf("%s holds %q (%v), want %q", file, text, err, want)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("weft emulate: %v", err)
	}
}
