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
	"testing"
	"time"
)

var (
	sweepKills = flag.Int("sweep-kills", 5, "how often TestSweepKilled kills a process, for each number of workers")
	sweepCases = flag.Int("sweep-cases", 60, "about how many cases its sweep has; 500 for the full test")
)

// killedSweep runs the processes of a sweep, and kills them.
type killedSweep struct {
	t   *testing.T
	dir string
	rng *rand.Rand
}

// weft starts weft with arguments.
func (k *killedSweep) weft(args ...string) (*exec.Cmd, *bytes.Buffer) {
	k.t.Helper()
	cmd := exec.Command("weft", args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = k.dir, &out, &out
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	return cmd, &out
}

// finish waits for a process that must succeed.
func (k *killedSweep) finish(cmd *exec.Cmd, out *bytes.Buffer) {
	k.t.Helper()
	if err := cmd.Wait(); err != nil {
		k.t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}

// kill lets a process run for a random time, and kills it. It reports false if the process had
// ended.
func (k *killedSweep) kill(longest time.Duration, args ...string) bool {
	cmd, out := k.weft(args...)
	time.Sleep(time.Duration(k.rng.Int64N(int64(longest))))
	if err := cmd.Process.Kill(); err != nil {
		k.finish(cmd, out)
		return false
	}
	_ = cmd.Wait()
	return true
}

// args returns the arguments of a worker.
func (k *killedSweep) args(worker, workers int, output string) []string {
	args := []string{"lab", "sweep", "sweep.yaml", "-j", "1", "-o", output}
	if workers > 1 {
		args = append(args, "--shard", fmt.Sprintf("%d/%d", worker, workers))
	}
	return args
}

// TestSweepKilled: workers and mergers of a sweep are killed at random times. The rows are those of
// an undisturbed run, with 1, 2 and 5 workers.
func TestSweepKilled(t *testing.T) {
	k := &killedSweep{t: t, dir: t.TempDir(), rng: rand.New(rand.NewPCG(*killSeed, 39))}
	draws := max(1, *sweepCases/12)
	text := fmt.Sprintf("fabrics: [\"rlft(12,2)\", \"torus(6x6,hosts=2)\"]\ndamage: [0.05, 0.1]\ndraws: {least: %d}\nengines: [updn, nue, dfsssp]\nworkloads: [flow: {runs: 300}]\n", draws)
	if err := os.WriteFile(filepath.Join(k.dir, "sweep.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	k.finish(k.weft(k.args(1, 1, "whole.db")...))
	full := time.Since(begun)
	for _, workers := range []int{1, 2, 5} {
		output, merged := fmt.Sprintf("parts%d", workers), fmt.Sprintf("merged%d.db", workers)
		if workers == 1 {
			output = merged
		}
		kills, there := 0, 0
		for kills < *sweepKills {
			worker := 1 + k.rng.IntN(workers)
			for range min(workers, 2) { // two at a time, where there are several
				if k.kill(full/time.Duration(workers), k.args(worker, workers, output)...) {
					there++
				}
				kills++
				worker = worker%workers + 1
			}
			if workers > 1 && k.rng.IntN(2) == 0 {
				k.kill(300*time.Millisecond, "lab", "merge", output, "-o", merged)
				kills++
			}
		}
		if there == 0 {
			t.Errorf("%d workers: no process was killed while it worked", workers)
		}
		for worker := 1; worker <= workers; worker++ {
			k.finish(k.weft(k.args(worker, workers, output)...))
		}
		if workers > 1 {
			k.finish(k.weft("lab", "merge", output, "-o", merged))
		}
		cmd, out := k.weft("lab", "diff", "whole.db", merged)
		k.finish(cmd, out)
		if !strings.Contains(out.String(), fmt.Sprintf("%d rows are the same, 0 differ", 12*draws)) {
			t.Errorf("%d workers: %s", workers, out)
		}
		k.hidden(output)
		t.Logf("%d workers: %d kills, %d of them of a worker at work: %s", workers, kills, there, out)
	}
}

// hidden logs how many half-written files the kills left.
func (k *killedSweep) hidden(folder string) {
	left, err := filepath.Glob(filepath.Join(k.dir, folder, ".*"))
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Logf("%s: %d half-written files", folder, len(left))
}
