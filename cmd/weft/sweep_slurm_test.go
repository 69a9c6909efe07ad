package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/internal/racing"
)

var slurmKills = flag.Int("slurm-kills", 3, "how often TestSweepRealPeers kills a task, or puts it back into the queue")

// slurmSweep is a sweep on Slurm whose tasks are disturbed.
type slurmSweep struct {
	*slurm
	work   string
	output string // the store
	rng    *rand.Rand
	did    map[string]int // disturbances, by kind
}

// weft runs weft to its end.
func (s *slurmSweep) weft(args ...string) string {
	s.t.Helper()
	cmd := s.command("weft", args...)
	cmd.Dir = s.work
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("%v: %v\n%s%s", args, err, &out, s.logs())
	}
	return out.String()
}

// logs returns the logs of the tasks.
func (s *slurmSweep) logs() string {
	var b strings.Builder
	files, _ := filepath.Glob(filepath.Join(s.work, "*.parts", "log", "*"))
	for _, name := range files {
		data, _ := os.ReadFile(name)
		fmt.Fprintf(&b, "%s:\n%s", filepath.Base(name), data)
	}
	return b.String()
}

// submitted finds the numbers of both jobs in the answer of weft lab sweep --on slurm.
var submitted = regexp.MustCompile(`Job (\d+) .*; job (\d+) `)

// submit submits the sweep and returns the numbers of its two jobs.
func (s *slurmSweep) submit() (array, merger string) {
	s.t.Helper()
	out := s.weft("lab", "sweep", "sweep.yaml", "--on", "slurm", "--tasks", "3", "--tasks-at-once", "2", "--task-memory", "100M", "--sbatch=--comment=by the site", "-o", s.output)
	jobs := submitted.FindStringSubmatch(out)
	if jobs == nil {
		s.t.Fatalf("no jobs in %q", out)
	}
	return jobs[1], jobs[2]
}

// tasks returns the numbers of a job's tasks in a state, as squeue has it.
func (s *slurmSweep) tasks(job, state string) []string {
	return s.query("squeue", "-h", "-r", "-j", job, "-t", state, "-o", "%F_%K")
}

// wait waits until jobs have left the queue. Tasks that were put back wait for two minutes, as
// Slurm has it: wait starts them at once.
func (s *slurmSweep) wait(jobs ...string) {
	s.t.Helper()
	list := strings.Join(jobs, ",")
	s.until("end of the jobs", func() bool {
		s.start(list)
		return len(s.query("squeue", "-h", "-j", list)) == 0
	})
}

// workers returns the processes of weft that run a task of this sweep.
func (s *slurmSweep) workers() (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range all {
		env, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(env, []byte("SLURM_CONF="+s.dir+"/")) || !bytes.Contains(env, []byte("SLURM_ARRAY_TASK_ID=")) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && bytes.Contains(line, []byte("--shard")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// disturb ends or puts back one of the running tasks. It returns a word for it, "" if none runs.
func (s *slurmSweep) disturb(array string, cancel bool) string {
	running := s.tasks(array, "R")
	if len(running) == 0 {
		return ""
	}
	task := running[s.rng.IntN(len(running))]
	switch k := s.rng.IntN(3); {
	case cancel:
		s.query("scancel", task)
		return "cancelled"
	case k == 0:
		s.query("scontrol", "requeue", task)
		return "requeued"
	case k == 1: // as a minute before the time limit
		s.query("scancel", "--batch", "--signal=USR1", task)
		return "late"
	}
	pids := s.workers()
	if len(pids) == 0 {
		return ""
	}
	if syscall.Kill(pids[s.rng.IntN(len(pids))], syscall.SIGKILL) != nil {
		return ""
	}
	return "killed"
}

// TestSweepRealPeers: tasks of a sweep on a real Slurm are killed, cancelled and put back into the
// queue. Tasks go on in new runs; after a cancelled one the merge says what is missing, and the
// same command submits that. The rows are those of an undisturbed run on this machine.
func TestSweepRealPeers(t *testing.T) {
	racing.SkipLong(t)
	s := &slurmSweep{slurm: startSlurm(t), work: t.TempDir(), rng: rand.New(rand.NewPCG(*killSeed, 40)), did: map[string]int{}}
	text, cases := killedText()
	if err := os.WriteFile(filepath.Join(s.work, "sweep.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.weft("lab", "sweep", "sweep.yaml", "-o", "whole.db")
	rounds := 0
	for n := 0; n < *slurmKills && !t.Failed(); {
		rounds++
		s.output = fmt.Sprintf("results%d.db", rounds)
		n += s.round(*slurmKills - n)
		if out := s.weft("lab", "diff", "whole.db", s.output); !strings.Contains(out, fmt.Sprintf("%d rows are the same, 0 differ; 0 are only", cases)) {
			t.Errorf("%s%s", out, s.logs())
		}
		if left, _ := filepath.Glob(filepath.Join(s.parts(), ".*")); len(left) > 0 {
			t.Errorf("half-written files are left: %v", left)
		}
	}
	t.Logf("%v, in %d sweeps of %d cases", s.did, rounds, cases)
	if *slurmKills > 3 {
		s.giveUp()
	}
}

// giveUp runs the sweep of poisoned, whose cases last long enough to be caught, and kills each
// worker that begins a certain case. The case is given up, and all others have the rows of an
// undisturbed run.
func (s *slurmSweep) giveUp() {
	s.t.Helper()
	const cases = 12
	text := strings.Replace(poisoned, "runs: 200", "runs: 1000000", 1) // over a second a case
	if err := os.WriteFile(filepath.Join(s.work, "sweep.yaml"), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.weft("lab", "sweep", "sweep.yaml", "-o", "poisoned-whole.db")
	s.output = "poisoned.db"
	array, merger := s.submit()
	poison, kills := "", 0
	for len(s.query("squeue", "-h", "-j", array)) > 0 {
		s.start(array)
		for range 100 {
			files, _ := filepath.Glob(filepath.Join(s.parts(), "*.attempts"))
			for _, name := range files {
				text, _ := os.ReadFile(name)
				last := string(text[bytes.LastIndexByte(bytes.TrimSpace(text), '\n')+1:])
				job, begins := strings.CutPrefix(strings.TrimSpace(last), "begin ")
				if !begins || poison != "" && job != poison {
					continue
				}
				poison = job
				shard, _, _ := strings.Cut(filepath.Base(name), "-")
				for _, pid := range s.workers() {
					if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); bytes.Contains(line, []byte("--shard\x00"+shard+"/3\x00")) && syscall.Kill(pid, syscall.SIGKILL) == nil {
						kills++
						time.Sleep(50 * time.Millisecond) // until it is dead and noted
					}
				}
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
	s.wait(array, merger)
	log, _ := os.ReadFile(filepath.Join(s.parts(), "log", "merge.log"))
	out := string(log)
	if kills < 3 || !strings.Contains(out, fmt.Sprintf("%d of %d cases are in", cases, cases)) || !strings.Contains(out, "1 cases were given up, the first: given up: 3 runs") {
		s.t.Errorf("%d kills: %s%s", kills, out, s.logs())
	}
	cmd := s.command("weft", "lab", "diff", "poisoned-whole.db", s.output)
	cmd.Dir = s.work
	if diff, _ := cmd.Output(); !strings.Contains(string(diff), fmt.Sprintf("%d rows are the same, 1 differ; 0 are only", cases-1)) {
		s.t.Errorf("%s", diff)
	}
	s.t.Logf("a case whose workers got %d signals was given up", kills)
}

// round runs the sweep to its end, and disturbs it at most so many times. It returns how often it
// did.
func (s *slurmSweep) round(most int) (n int) {
	s.t.Helper()
	array, merger := s.submit()
	if got := s.query("squeue", "-h", "-j", merger, "-o", "%E %k"); len(got) != 1 || !strings.HasPrefix(got[0], "afterany:"+array) || !strings.Contains(got[0], "by the site") {
		s.t.Errorf("the merge waits for %q", got)
	}
	if out := s.refused(); !strings.Contains(out, "runs already, as jobs "+array) {
		s.t.Errorf("submitted twice: %s", out)
	}
	over := func() bool { return len(s.query("squeue", "-h", "-j", array)) == 0 }
	for n < most && !over() {
		s.until("running task", func() bool {
			s.start(array)
			return len(s.workers()) > 0 || over()
		})
		time.Sleep(time.Duration(s.rng.Int64N(int64(time.Second))))
		cancel := n%10 == 9 || n == most-1
		if what := s.disturb(array, cancel); what != "" {
			s.did[what]++
			n++
		}
	}
	s.wait(array, merger)
	log, err := os.ReadFile(filepath.Join(s.parts(), "log", "merge.log"))
	if err != nil {
		s.t.Fatal(err)
	}
	// A cancelled task may just have ended: then nothing is missing.
	_, cases := killedText()
	whole := bytes.Contains(log, []byte(fmt.Sprintf("%d of %d cases are in", cases, cases)))
	if goOn := "to go on, unless they still work: weft lab sweep sweep.yaml --on slurm"; whole == bytes.Contains(log, []byte(goOn)) {
		s.t.Errorf("all cases are there %t, and the merge says how to go on: %s%s", whole, log, s.logs())
	}
	for range 3 {
		if strings.Contains(s.again(), "all tasks have finished") {
			break
		}
	}
	return n
}

// parts returns the folder of parts.
func (s *slurmSweep) parts() string {
	return filepath.Join(s.work, strings.TrimSuffix(s.output, ".db")+".parts")
}

// refused submits the sweep where that must fail, and returns the message.
func (s *slurmSweep) refused() string {
	s.t.Helper()
	cmd := s.command("weft", "lab", "sweep", "sweep.yaml", "--on", "slurm", "-o", s.output)
	cmd.Dir = s.work
	out, err := cmd.CombinedOutput()
	if err == nil {
		s.t.Errorf("no error: %s", out)
	}
	return string(out)
}

// start lets tasks that were put back run at once.
func (s *slurmSweep) start(job string) {
	for _, line := range s.query("squeue", "-h", "-r", "-j", job, "-o", "%F_%K %r") {
		if task, reason, _ := strings.Cut(line, " "); reason == "BeginTime" {
			s.query("scontrol", "update", "JobId="+task, "StartTime=now")
		}
	}
}

// again submits the sweep again, waits for its end, and returns what weft said.
func (s *slurmSweep) again() string {
	s.t.Helper()
	out := s.weft("lab", "sweep", "sweep.yaml", "--on", "slurm", "-o", s.output)
	if jobs := submitted.FindStringSubmatch(out); jobs != nil {
		s.wait(jobs[1], jobs[2])
	}
	return out
}
