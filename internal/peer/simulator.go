package peer

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Simulator is a running ibsim. It ends with the test.
type Simulator struct {
	Dir    string   // scratch, and the working folder of its clients
	Socket string   // the base name of its sockets
	Env    []string // attaches a program to it
	stdin  *os.File // console of ibsim, which would spin if it were closed
	tb     testing.TB
	ended  atomic.Bool // a program ended before the test did
	last   *os.Process // the program that was started last
}

// simulators counts the Simulators of this process: each has its own sockets.
var simulators atomic.Int32

// Simulate loads a fabric in ibnetdiscover's format into ibsim.
func Simulate(tb testing.TB, net []byte) *Simulator {
	tb.Helper()
	library := Preload(tb)
	s := Attached(tb, tb.TempDir(), fmt.Sprintf("weft-sim-%d-%d", os.Getpid(), simulators.Add(1)))
	if err := os.WriteFile(s.Path("net"), net, 0o600); err != nil {
		tb.Fatal(err)
	}
	const nodes, switches, ports = 4000, 2000, 100_000 // at least
	console, stdin, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = console.Close() }() // ibsim has its own copy
	s.stdin = stdin
	tb.Cleanup(func() { _ = stdin.Close() })
	log := s.start(console, "ibsim", "-s", "net",
		"-N", fmt.Sprint(max(nodes, bytes.Count(net, []byte("guid=")))),
		"-S", fmt.Sprint(max(switches, bytes.Count(net, []byte("switchguid=")))),
		"-P", fmt.Sprint(max(ports, 2*bytes.Count(net, []byte("\n[")))))
	s.Env = append(s.Env, "LD_PRELOAD="+library)
	s.Wait("ibsim", log, func() bool {
		sockets, err := os.ReadFile("/proc/net/unix")
		return err == nil && bytes.Contains(sockets, []byte("@"+s.Socket+":out9"))
	})
	return s
}

// Attached returns a Simulator for a running server of ibsim's protocol, given its base name of
// sockets. Its programs still need Preload.
func Attached(tb testing.TB, dir, socket string) *Simulator {
	env := append(os.Environ(), "IBSIM_SOCKNAME="+socket, "OSM_TMP_DIR="+dir, "OSM_CACHE_DIR="+dir)
	return &Simulator{tb: tb, Dir: dir, Socket: socket, Env: env}
}

// Path names a file in the scratch folder.
func (s *Simulator) Path(name string) string { return filepath.Join(s.Dir, name) }

// Console sends ibsim a command that changes the fabric: Unlink "NODE"[PORT], ReLink.
func (s *Simulator) Console(line string) {
	s.tb.Helper()
	if _, err := fmt.Fprintln(s.stdin, line); err != nil {
		s.tb.Fatal(err)
	}
}

// Start runs a program until the test ends; it returns the file of its output.
func (s *Simulator) Start(program string, args ...string) string {
	s.tb.Helper()
	return s.start(nil, program, args...)
}

func (s *Simulator) start(stdin *os.File, program string, args ...string) string {
	s.tb.Helper()
	log, err := os.Create(s.Path(filepath.Base(program) + ".out"))
	if err != nil {
		s.tb.Fatal(err)
	}
	cmd := exec.Command(Program(s.tb, program), args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.Dir, s.Env, log, log
	if stdin != nil {
		cmd.Stdin = stdin
	}
	if err := cmd.Start(); err != nil {
		s.tb.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		s.ended.Store(true)
		close(done)
	}()
	s.tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-done
		_ = log.Close()
	})
	s.last = cmd.Process
	return log.Name()
}

// Freeze stops the program that was started last, as a debugger or a full disk does: it keeps all
// that it holds, and does nothing.
func (s *Simulator) Freeze() {
	s.tb.Helper()
	if err := s.last.Signal(syscall.SIGSTOP); err != nil {
		s.tb.Fatal(err)
	}
}

// OpenSM starts OpenSM and waits until the subnet is up; end ends it.
func (s *Simulator) OpenSM(args ...string) (end func()) {
	s.tb.Helper()
	log := s.Path("opensm.log")
	_ = os.Remove(log)                                                                                 // of an earlier run: it says that the subnet is up
	cmd := exec.Command(Program(s.tb, "opensm"), append([]string{"-e", "-d2", "-f", log}, args...)...) // -d2: the log is not buffered
	cmd.Dir, cmd.Env = s.Dir, s.Env
	if err := cmd.Start(); err != nil {
		s.tb.Fatal(err)
	}
	s.Wait("OpenSM", log, func() bool {
		text, err := os.ReadFile(log)
		return err == nil && bytes.Contains(text, []byte("SUBNET UP"))
	})
	return func() {
		_ = cmd.Process.Signal(os.Interrupt)
		hang := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		hang.Stop()
	}
}

// Wait waits until a condition is met, and shows the log if it is not. It gives up at once if a
// started program has ended.
func (s *Simulator) Wait(what, log string, done func() bool) {
	s.tb.Helper()
	const pause, patience = 20 * time.Millisecond, 3 * time.Minute
	for range int(patience / pause) {
		ended := s.ended.Load()
		if done() {
			return
		}
		if ended {
			break
		}
		time.Sleep(pause)
	}
	text, _ := os.ReadFile(log)
	s.tb.Fatalf("%s does not get ready:\n%s", what, text)
}

// Run runs a client of the simulator to its end and returns its output. Programs of
// infiniband-diags wait ten seconds for an answer instead of one, since a machine that runs tests
// is busy.
func (s *Simulator) Run(program string, args ...string) []byte {
	s.tb.Helper()
	if program != "opensm" {
		args = append([]string{"-t", "10000"}, args...)
	}
	cmd := exec.Command(Program(s.tb, program), args...)
	cmd.Dir, cmd.Env = s.Dir, s.Env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.tb.Fatalf("%s %v: %v\n%s", program, args, err, stderr.Bytes())
	}
	return out
}

// TryRun runs a client of the simulator to its end, and returns all its output and its error.
func (s *Simulator) TryRun(program string, args ...string) ([]byte, error) {
	s.tb.Helper()
	cmd := exec.Command(Program(s.tb, program), args...)
	cmd.Dir, cmd.Env = s.Dir, s.Env
	return cmd.CombinedOutput()
}
