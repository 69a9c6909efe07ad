package joblanes_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/fabric"
	"weft/lab/stats"
	"weft/route"
	"weft/route/joblanes"
	"weft/route/relief"
	"weft/sim/packet"
	"weft/study/app/mixtest"
)

var (
	mixes      = flag.Int("mixes", 1, "random mixes of jobs that TestMixes runs on each tree")
	copies     = flag.Int("copies", 8, "copies of the lanes in TestMixes")
	portBuffer = flag.Int("port-buffer", 64<<10, "bytes of buffer of a port in TestMixes, for all VLs together")
	divided    = flag.Bool("divided", false, "in TestMixes, buffers are divided among VLs that no job uses, too")
	calm       = flag.Bool("calm", false, "TestMixes without hot-spots")
)

// leastIncast is the number of hosts from which on a job may be an incast in TestMixes.
const leastIncast = 4

// withIncast makes every other job of enough hosts an incast: all its hosts send to the last one, 1
// MiB in all.
func withIncast(jobs [][]int32, programs []string) (isHot []bool) {
	isHot = make([]bool, len(jobs))
	next := false
	for j, hosts := range jobs {
		if len(hosts) >= leastIncast {
			if isHot[j] = next; next {
				programs[j] = fmt.Sprintf("checkpoint(ranks=%d,storage=1,size=%d)", len(hosts), 1<<20/(len(hosts)-1))
			}
			next = !next
		}
	}
	return isHot
}

// outcome holds means over the jobs that exchange data: the slow-down against each alone, and the
// time as a multiple of that on one switch; and the largest of these slow-downs. hotSlow is the
// mean slow-down of the incasts.
type outcome struct{ slow, time, worst, hotSlow float64 }

// byPackets runs a mix on a Plan with so many bytes of buffer a VL.
func byPackets(t *testing.T, g *fabric.Graph, p *route.Plan, jobs [][]int32, buffer int) (o outcome) {
	t.Helper()
	programs := mixtest.Exchange(jobs)
	isHot := make([]bool, len(jobs))
	if !*calm {
		isHot = withIncast(jobs, programs)
	}
	hardware := packet.Default()
	hardware.Buffer = buffer
	var cool, hots float64
	for j, r := range mixtest.Run(t, g, p, jobs, programs, hardware) {
		if isHot[j] {
			hots++
			o.hotSlow += r.SlowDown
		} else {
			cool++
			o.slow += r.SlowDown
			o.time += r.TimeNS / r.IdealNS
			o.worst = max(o.worst, r.SlowDown)
		}
	}
	o.slow, o.time = o.slow/cool, o.time/cool
	if hots > 0 {
		o.hotSlow /= hots
	}
	return o
}

// TestMixes: on a full tree and on one with half the roots, jobs are routed by ftree and then by
// jobs. Jobs that exchange data suffer less from jobs with hot-spots if all have lanes, though the
// buffers of a port are then divided. -mixes=20 -v prints the figures of
// docs/design/2026-11-29-job-lanes.md; the interval of the difference then excludes 0.
func TestMixes(t *testing.T) {
	for _, formula := range []string{"rlft(36,2)", "rlft(36,2)|without(roots=9)"} {
		g := graph(t, formula)
		plan := routed(t, g, "ftree", *copies)
		var slow, time, hotSlow []float64
		worst := 0
		for seed := range max(1, *mixes) {
			jobs := mixtest.Draw(g, rand.New(rand.NewPCG(uint64(seed), 5)), 6)
			moved, _, err := relief.ForJobs(context.Background(), g, plan, &relief.Jobs{Hosts: jobs})
			if err != nil {
				t.Fatal(err)
			}
			laned, lanes := give(t, g, moved, &joblanes.Request{Hosts: jobs, Copies: *copies, MaxVLs: *copies})
			shared := 0
			for _, l := range lanes.Jobs {
				shared += l.Shared
			}
			whole := *portBuffer
			if *divided {
				whole /= *copies
			}
			before := byPackets(t, g, moved, jobs, whole)
			after := byPackets(t, g, laned, jobs, *portBuffer / *copies)
			slow, time, hotSlow = append(slow, after.slow-before.slow), append(time, after.time-before.time), append(hotSlow, after.hotSlow-before.hotSlow)
			if slow[seed] > slow[worst] {
				worst = seed
			}
			t.Logf("| `%s` | %d | %d | %d | %.3f, %.3f | %.3f, %.3f | %.2f, %.2f | %.3f, %.3f |",
				formula, seed, len(jobs), shared, before.slow, after.slow, before.time, after.time, before.worst, after.worst, before.hotSlow, after.hotSlow)
		}
		a, b, c := stats.IntervalOf(slow), stats.IntervalOf(time), stats.IntervalOf(hotSlow)
		t.Logf("%s: slow-down %+.3f (+-%.3f), worst mix %d with %+.3f; time %+.3f (+-%.3f); hot-spots %+.3f (+-%.3f)", formula, a.Mean, a.Half, worst, slow[worst], b.Mean, b.Half, c.Mean, c.Half)
		if *copies == 8 && !*calm && *portBuffer == 64<<10 && (a.Mean >= 0 || b.Mean >= 0 || len(slow) >= 20 && (a.Mean+a.Half >= 0 || b.Mean+b.Half >= 0)) {
			t.Errorf("%s: slow-down %v, time %v", formula, slow, time)
		}
	}
}
