package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/internal/racing"
)

var (
	sweepKills = flag.Int("sweep-kills", 5, "how often TestSweepKilled kills a process at work, for each number of workers")
	sweepCases = flag.Int("sweep-cases", 60, "about how many cases its sweep has; 500 for the full test")
)

// killedSweep runs the processes of a sweep, and kills them.
type killedSweep struct {
	t     *testing.T
	dir   string
	rng   *rand.Rand
	cases int
	pause time.Duration // between two kills, at most
	kills [2]int        // of workers, of mergers; each while it was at work
}

// killedText returns a sweep of about -sweep-cases cases, and their number.
func killedText() (text string, cases int) {
	draws := (*sweepCases + 11) / 12
	return fmt.Sprintf("fabrics: [\"rlft(12,2)\", \"torus(6x6,hosts=2)\"]\ndamage: [0.05, 0.1]\ndraws: {least: %d}\nengines: [updn, nue, dfsssp]\nworkloads: [flow: {runs: 100}]\n", draws), 12 * draws
}

// process is a running weft.
type process struct {
	worker int // 0: a merger
	cmd    *exec.Cmd
	out    bytes.Buffer
}

// start starts weft. Its end goes to a channel, if there is one.
func (k *killedSweep) start(worker int, ended chan<- *process, args ...string) *process {
	k.t.Helper()
	p := &process{worker: worker, cmd: exec.Command("weft", args...)}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = k.dir, &p.out, &p.out
	if err := p.cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	if ended != nil {
		go func() {
			_ = p.cmd.Wait() // its state says how it ended
			ended <- p
		}()
	}
	return p
}

// killed reports whether a process that has ended was killed. Any other failure fails the test.
func (k *killedSweep) killed(p *process) bool {
	k.t.Helper()
	if p.cmd.ProcessState.Success() {
		return false
	}
	if s, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGKILL {
		k.t.Fatalf("%v: %v\n%s", p.cmd.Args, p.cmd.ProcessState, &p.out)
	}
	return true
}

// run runs weft to its end and returns what it printed.
func (k *killedSweep) run(args ...string) string {
	k.t.Helper()
	p := k.start(0, nil, args...)
	if err := p.cmd.Wait(); err != nil {
		k.t.Fatalf("%v: %v\n%s", args, err, &p.out)
	}
	return p.out.String()
}

// args returns the arguments of a worker.
func (k *killedSweep) args(worker, workers int, output string) []string {
	args := []string{"lab", "sweep", "sweep.yaml", "-j", "1", "-o", output}
	if workers > 1 {
		args = append(args, "--shard", fmt.Sprintf("%d/%d", worker, workers))
	}
	return args
}

// round runs a sweep to its end with some workers at once. It kills workers, which start again, and
// mergers, at most so many, and compares the rows with those of an undisturbed run.
func (k *killedSweep) round(workers, most int, output string) {
	k.t.Helper()
	ended := make(chan *process)
	running := map[int]*process{}
	for worker := 1; worker <= workers; worker++ {
		running[worker] = k.start(worker, ended, k.args(worker, workers, output)...)
	}
	merged := "merged-" + output
	for len(running) > 0 {
		var tick <-chan time.Time
		if k.kills[0]+k.kills[1] < most {
			tick = time.After(time.Duration(k.rng.Int64N(int64(k.pause))))
		}
		select {
		case p := <-ended:
			if delete(running, p.worker); k.killed(p) {
				k.kills[0]++
				running[p.worker] = k.start(p.worker, ended, k.args(p.worker, workers, output)...)
			}
		case <-tick:
			if sheets, _ := filepath.Glob(filepath.Join(k.dir, output, "*.json")); len(sheets) > 0 && k.rng.IntN(3) == 0 {
				k.killMerger(output, merged)
				continue
			}
			worker := 1 + k.rng.IntN(workers)
			if p := running[worker]; p != nil {
				p.cmd.Process.Kill() //nolint:errcheck // it may have ended
			}
		}
	}
	if workers > 1 {
		k.run("lab", "merge", output, "-o", merged)
		output, merged = merged, output
	}
	if out := k.run("lab", "diff", "whole.db", output); !strings.Contains(out, fmt.Sprintf("%d rows are the same, 0 differ; 0 are only", k.cases)) {
		k.t.Errorf("%d workers: %s", workers, out)
	}
	for _, pattern := range []string{".*", output + "-*", filepath.Join(merged, ".*")} {
		if left, _ := filepath.Glob(filepath.Join(k.dir, pattern)); len(left) > 0 {
			k.t.Errorf("files are left: %v", left)
		}
	}
}

// killMerger starts a merger and kills it.
func (k *killedSweep) killMerger(folder, merged string) {
	ended := make(chan *process)
	p := k.start(0, ended, "lab", "merge", folder, "-o", merged)
	time.Sleep(time.Duration(k.rng.Int64N(int64(300 * time.Millisecond))))
	p.cmd.Process.Kill() //nolint:errcheck // it may have ended
	if k.killed(<-ended) {
		k.kills[1]++
	}
}

// TestSweepKilled: workers and mergers of a sweep are killed at random times. The rows are those of
// an undisturbed run, with 1, 2 and 5 workers.
func TestSweepKilled(t *testing.T) {
	racing.SkipLong(t)
	k := &killedSweep{t: t, dir: t.TempDir(), rng: rand.New(rand.NewPCG(*killSeed, 39))}
	var text string
	text, k.cases = killedText()
	if err := os.WriteFile(filepath.Join(k.dir, "sweep.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	k.run(k.args(1, 1, "whole.db")...)
	whole := time.Since(begun)
	begun = time.Now()
	k.run(k.args(1, 1, "whole.db")...) // has nothing to compute
	idle := time.Since(begun)
	for _, workers := range []int{1, 2, 5} {
		k.kills = [2]int{}
		// So the kills of one worker fall into one sweep; those of several into few.
		k.pause = (idle + 2*whole/time.Duration(*sweepKills)) / time.Duration(min(workers, 2))
		rounds := 0
		for k.kills[0]+k.kills[1] < *sweepKills && !t.Failed() {
			rounds++
			k.round(workers, *sweepKills, fmt.Sprintf("%d-%d.db", workers, rounds))
		}
		t.Logf("%d workers: %d kills of workers and %d of mergers, in %d sweeps of %d cases", workers, k.kills[0], k.kills[1], rounds, k.cases)
	}
}
