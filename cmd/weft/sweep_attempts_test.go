package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/internal/racing"
)

// taskSweep is a sweep whose task script of Slurm runs here, with stand-ins for Slurm's commands.
type taskSweep struct {
	t   *testing.T
	dir string
	env []string
}

const poisoned = "fabrics: [\"torus(4x4,hosts=2)\", \"rlft(8,2)\"]\ndamage: [none, 0.1]\ndraws: {least: 2}\nengines: [updn, nue]\nworkloads: [flow: {runs: 200}]\n"

// long has cases that are not over before a signal arrives.
const long = "fabrics: [\"torus(4x4,hosts=2)\"]\ndamage: [none]\nengines: [updn, nue, minhop]\nworkloads: [flow: {runs: 400000}]\n"

func newTaskSweep(t *testing.T) *taskSweep {
	t.Helper()
	s := &taskSweep{t: t, dir: t.TempDir()}
	bin := filepath.Join(s.dir, "bin")
	for name, text := range map[string]string{
		"bin/sbatch": "echo \"$@\" >> submitted\necho 1\n", "bin/squeue": "exit 1\n", "bin/scontrol": "echo \"$@\" >> requeued\n",
	} {
		if err := os.MkdirAll(bin, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.write("sweep.yaml", poisoned)
	s.env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "SLURM_ARRAY_TASK_ID=1", "SLURM_MEM_PER_NODE=100", "SLURM_JOB_ID=1")
	return s
}

// write writes a file.
func (s *taskSweep) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// weft runs weft and returns what it said.
func (s *taskSweep) weft(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("weft", args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// submit submits the sweep and returns what was said, and to sbatch.
func (s *taskSweep) submit() (said, told string) {
	s.t.Helper()
	_ = os.Remove(filepath.Join(s.dir, "submitted"))
	said = s.weft("lab", "sweep", "sweep.yaml", "--on", "slurm", "--tasks", "1", "-o", "r.db")
	return said, s.read("submitted")
}

// read returns a file, "" if there is none.
func (s *taskSweep) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(s.dir, name))
	return string(text)
}

const attemptsFile = "r.parts/1-of-1.attempts"

// underWay returns the job that the worker is at.
func (s *taskSweep) underWay() string {
	lines := strings.Split(strings.TrimSpace(s.read(attemptsFile)), "\n")
	job, _ := strings.CutPrefix(lines[len(lines)-1], "begin ")
	if job == lines[len(lines)-1] {
		return ""
	}
	return job
}

// task runs the task script to its end. Each time that the worker is at the poisoned job, which is
// the second one if it is "", harm is done to the script or its worker, at most so often. task
// returns the job and how often that was.
func (s *taskSweep) task(poison string, most int, harm func(script *exec.Cmd)) (string, int) {
	s.t.Helper()
	cmd := exec.Command("bash", "r.parts/task.sh")
	cmd.Dir, cmd.Env = s.dir, s.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	first, n := "", 0
	for {
		select {
		case <-ended: //nolint:errcheck // the exit status is that of the last worker; the rows are checked
			return poison, n
		case <-time.After(time.Millisecond):
		}
		job := s.underWay()
		if first == "" {
			first = job
		}
		if poison == "" && job != first {
			poison = job
		}
		if job == "" || job != poison || n == most || !s.freeze(cmd, job) {
			continue
		}
		harm(cmd)
		for n++; s.underWay() == job; { // until the worker is dead and noted
			select {
			case err := <-ended:
				ended <- err
			default:
				time.Sleep(time.Millisecond)
				continue
			}
			break
		}
	}
}

// children returns the processes that a script has started.
func (s *taskSweep) children(script *exec.Cmd) (pids []int) {
	id := script.Process.Pid
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", id, id))
	for field := range strings.FieldsSeq(string(text)) {
		if pid, err := strconv.Atoi(field); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// freeze stops the worker and reports whether it is still at a job: without this, the worker could
// end the job before the harm reaches it. A worker at another job runs on.
func (s *taskSweep) freeze(script *exec.Cmd, job string) bool {
	pids := s.children(script)
	for _, pid := range pids {
		syscall.Kill(pid, syscall.SIGSTOP) //nolint:errcheck // it may have ended
		for state := "R"; strings.Contains("RSD", state); time.Sleep(time.Millisecond) {
			state = kernelSays(pid, "State")
		}
	}
	if len(pids) > 0 && s.underWay() == job {
		return true
	}
	thaw(pids)
	return false
}

// kernelSays returns the first word of a line of the kernel's status of a process, "gone" if there
// is no such process.
func kernelSays(pid int, line string) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(text), "\n"+line+":")
	return append(strings.Fields(rest), "gone")[0]
}

// thaw lets processes run on.
func thaw(pids []int) {
	for _, pid := range pids {
		syscall.Kill(pid, syscall.SIGCONT) //nolint:errcheck // it may have ended
	}
}

// endTime tells the script that its time is over, as Slurm does. The frozen worker runs on once the
// script has told it so.
func (s *taskSweep) endTime(script *exec.Cmd) {
	script.Process.Signal(syscall.SIGUSR1) //nolint:errcheck // the worker is frozen: the script waits for it
	for _, pid := range s.children(script) {
		for told := false; !told; time.Sleep(time.Millisecond) {
			pending, err := strconv.ParseUint(kernelSays(pid, "ShdPnd"), 16, 64)
			told = err != nil || pending>>(syscall.SIGTERM-1)&1 == 1
		}
		thaw([]int{pid})
	}
}

// killWorker kills the worker, as the kernel does if memory is short.
func (s *taskSweep) killWorker(script *exec.Cmd) {
	for _, pid := range s.children(script) {
		syscall.Kill(pid, syscall.SIGKILL) //nolint:errcheck // it may have ended
	}
}

// TestSweepGivesUp: a case that kills its worker three times is given up with its reason, and the
// shard goes on. The merge says so; the same command tries the case again. Fewer kills change no
// row.
func TestSweepGivesUp(t *testing.T) {
	racing.SkipLong(t)
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("no /proc")
	}
	s := newTaskSweep(t)
	s.weft("lab", "sweep", "sweep.yaml", "-j", "1", "-o", "whole.db")
	s.submit()
	poison, kills := s.task("", 100, s.killWorker)
	if kills != 3 || s.read("requeued") != "" {
		t.Errorf("%d kills, requeued: %q", kills, s.read("requeued"))
	}
	const why = "given up: 3 runs of the worker ended at it: the worker was killed, perhaps for want of memory: the task has 100 MB"
	out := s.weft("lab", "merge", "r.parts", "-o", "r.db")
	for _, want := range []string{"12 of 12 cases are in r.db", "worker 1 of 1: 1 cases were given up, the first: " + why, "to go on, unless they still work: weft lab sweep sweep.yaml --on slurm --tasks 1 -o r.db"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	cmd := exec.Command("weft", "lab", "diff", "whole.db", "r.db")
	cmd.Dir = s.dir
	if diff, _ := cmd.Output(); !strings.Contains(string(diff), "11 rows are the same, 1 differ; 0 are only") || !strings.Contains(string(diff), "not run") {
		t.Errorf("%s", diff)
	}
	// The task again, as after a preemption: it is not tried again.
	if _, kills = s.task(poison, 100, s.killWorker); kills != 0 {
		t.Errorf("%d kills after it was given up", kills)
	}
	// The same command, as with more memory: now two kills.
	if said, told := s.submit(); !strings.Contains(told, "--array=1 ") || !strings.Contains(said, "Job 1 computes the parts 1 of 1") {
		t.Errorf("%s%s", said, told)
	}
	if _, kills = s.task(poison, 2, s.killWorker); kills != 2 {
		t.Errorf("%d kills", kills)
	}
	if said, _ := s.submit(); !strings.Contains(said, "all tasks have finished") || strings.Contains(said, "given up") {
		t.Error(said)
	}
	if diff := s.weft("lab", "diff", "whole.db", "r.db"); !strings.Contains(diff, "12 rows are the same, 0 differ; 0 are only") {
		t.Error(diff)
	}
}

// TestSweepTooLong: so is a case that is not over at the time limit of three runs of the task.
func TestSweepTooLong(t *testing.T) {
	racing.SkipLong(t)
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("no /proc")
	}
	s := newTaskSweep(t)
	s.write("sweep.yaml", long)
	s.submit()
	poison := ""
	for run := 1; run <= 3; run++ {
		n := 0
		if poison, n = s.task(poison, 1, s.endTime); n != 1 || strings.Count(s.read("requeued"), "requeue 1\n") != run {
			t.Fatalf("run %d: %d late, requeued %q", run, n, s.read("requeued"))
		}
	}
	if _, n := s.task(poison, 1, s.endTime); n != 0 || strings.Count(s.read("requeued"), "\n") != 3 {
		t.Errorf("%d late, requeued %q", n, s.read("requeued"))
	}
	if out := s.weft("lab", "merge", "r.parts", "-o", "r.db"); !strings.Contains(out, "given up: 3 runs of the worker ended at it: it was not over at the time limit of the task") {
		t.Error(out)
	}
}
