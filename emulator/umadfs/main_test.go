package umadfs_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"weft/emulator"
	"weft/emulator/live"
	"weft/emulator/umadfs"
	"weft/fabric"
	"weft/fabric/netfile"
	"weft/internal/peer"
	"weft/wire/wiretest"
)

// roleVar says what this binary is started as.
const roleVar = "UMADFS_TEST_ROLE"

// TestMain runs the tests in a mount namespace of their own: no mount can survive
// them, whatever happens.
func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVar); {
	case role == "server":
		os.Exit(status(serveSuite(os.Args[1])))
	case role == "peer":
		os.Exit(status(runPeer(os.Args[1], os.Args[2], os.Args[3:])))
	case role == "tests" || !canMount():
		os.Exit(m.Run())
	}
	runtime.LockOSThread() // whose end would kill the child
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), roleVar+"=tests")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(exit.ExitCode())
	}
	os.Exit(status(err))
}

func status(err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// canMount reports whether this process can mount a file system of its own.
func canMount() bool { return peer.CanMount() == nil }

// needFUSE skips where nothing can be mounted.
func needFUSE(t *testing.T) {
	t.Helper()
	if err := peer.CanMount(); err != nil {
		t.Skip("skipped: ", err)
	}
}

// self is a command that starts this binary in another role.
func self(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), roleVar+"="+role)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

func realTime() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// server serves the suite's subnet at a directory: node A as umad0, node B as umad1.
// It is another process, since this one is to open the devices.
func server(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	cmd := self(t, "server", dir)
	cmd.Stderr = os.Stderr
	// The race detector would sleep a second at the end of each server.
	cmd.Env = append(cmd.Env, "GORACE="+os.Getenv("GORACE")+" atexit_sleep_ms=0")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // ends it
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server: %v", err)
		}
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the server said %q: %v", line, err)
	}
	return dir
}

// serveSuite is the server: it ends with its standard input.
func serveSuite(dir string) error {
	f, _, err := netfile.Read("net", []byte(wiretest.Ibsim), netfile.Options{})
	if err != nil {
		return err
	}
	s, err := emulator.New(f, emulator.Options{})
	if err != nil {
		return err
	}
	end := map[string]fabric.End{}
	for _, name := range []string{"A", "B"} {
		id, err := s.FindNode(name)
		if err != nil {
			return err
		}
		end[name] = fabric.End{Node: id, Port: 1}
	}
	clock := realTime()
	l := live.New(s, clock)
	defer l.Close()
	m, err := umadfs.Mount(dir, clock, umadfs.Emulated(l, end["A"]), umadfs.Emulated(l, end["B"]))
	if err != nil {
		return err
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return m.Close()
}

// runPeer becomes a program that sees the devices served at dir as the machine's. It is already in
// a mount namespace of its own.
func runPeer(dir, scratch string, program []string) error {
	dev := filepath.Join(scratch, "dev")
	if err := os.MkdirAll(dev, 0o755); err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", dev, "tmpfs", 0, ""); err != nil {
		return fmt.Errorf("tmpfs: %w", err)
	}
	bind := func(from, to string) error {
		if err := syscall.Mount(from, to, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
			return fmt.Errorf("binding %s to %s: %w", from, to, err)
		}
		return nil
	}
	for _, name := range []string{"null", "zero", "random", "urandom"} {
		to := filepath.Join(dev, name)
		if err := os.WriteFile(to, nil, 0o600); err != nil {
			return err
		}
		if err := bind("/dev/"+name, to); err != nil {
			return err
		}
	}
	for _, name := range []string{"shm", "infiniband"} {
		if err := os.Mkdir(filepath.Join(dev, name), 0o755); err != nil {
			return err
		}
	}
	if err := errors.Join(
		bind(filepath.Join(dir, umadfs.DevDir), filepath.Join(dev, "infiniband")),
		bind(dev, "/dev"),
		bind(filepath.Join(dir, umadfs.ClassDir), "/sys/class"),
	); err != nil {
		return err
	}
	return syscall.Exec(program[0], program, os.Environ())
}
