package benches

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"weft/cmd/weft/cli"
)

// ended is a program that has ended.
type ended struct {
	cpu, wall, peak float64 // seconds, seconds, MB
	out             []byte  // standard output
	log             []byte  // standard error
	err             error
}

// pollEvery is the time between two looks at a running program.
const pollEvery = 5 * time.Millisecond

// run runs a program to its end and measures it. stop is asked now and then; if it returns true,
// the program is killed. The peak of memory is read while the program runs: what wait4 reports
// begins with the memory of the parent.
func run(ctx context.Context, dir string, env []string, stop func() bool, name string, args ...string) *ended {
	cmd := exec.CommandContext(ctx, name, args...)
	var out, log bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), env...), &out, &log
	clock := cli.Clock()
	begun := clock()
	e := &ended{}
	if e.err = cmd.Start(); e.err != nil {
		return e
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for waiting := true; waiting; {
		e.peak = max(e.peak, peakOf(cmd.Process.Pid))
		select {
		case e.err = <-done:
			waiting = false
		case <-tick.C:
			if stop != nil && stop() {
				_ = cmd.Process.Kill() // it may have ended
			}
		}
	}
	e.wall = (clock() - begun).Seconds()
	if u, is := cmd.ProcessState.SysUsage().(*syscall.Rusage); is {
		e.cpu = seconds(u.Utime) + seconds(u.Stime)
	}
	e.out, e.log = out.Bytes(), log.Bytes()
	return e
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// cpuSeconds returns the CPU time of this process.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return seconds(u.Utime) + seconds(u.Stime)
}

// peakOf returns the peak of memory of a process in MB, 0 if it has ended.
func peakOf(pid int) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, text, _ := bytes.Cut(status, []byte("VmHWM:"))
	line, _, _ := bytes.Cut(text, []byte("kB"))
	kB, err := strconv.ParseFloat(strings.TrimSpace(string(line)), 64)
	if err != nil {
		return 0
	}
	return kB * 1024 / 1e6
}

// loadAverage returns the load of the last minute, 0 if unknown.
func loadAverage() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	var load float64
	if _, err := fmt.Sscan(string(text), &load); err != nil {
		return 0
	}
	return load
}

// findProgram returns the path of a program, also in Debian's folders for the superuser; "" if
// there is none.
func findProgram(name string) string {
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/sbin") {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}
