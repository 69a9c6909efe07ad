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
	mixes   = flag.Int("mixes", 1, "random mixes of jobs that TestMixes runs on each tree")
	portMem = flag.Int("port-buffer", 64<<10, "bytes of buffer of a port in TestMixes, for all VLs together")
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

// outcome holds mean figures of the jobs that are no hot-spots, and of those that are.
type outcome struct{ slow, time, hotSlow, hotTime, worst float64 }

// byPackets runs a mix on a Plan with so many bytes of buffer a VL.
func byPackets(t *testing.T, g *fabric.Graph, p *route.Plan, jobs [][]int32, hot bool, buffer int) (o outcome) {
	t.Helper()
	programs := mixtest.Exchange(jobs)
	isHot := make([]bool, len(jobs))
	if hot {
		isHot = withIncast(jobs, programs)
	}
	hardware := packet.Default()
	hardware.Buffer = buffer
	var cool, hots float64
	for j, r := range mixtest.Run(t, g, p, jobs, programs, hardware) {
		if isHot[j] {
			hots++
			o.hotSlow += r.SlowDown
			o.hotTime += r.TimeNS / r.IdealNS
		} else {
			cool++
			o.slow += r.SlowDown
			o.time += r.TimeNS / r.IdealNS
			o.worst = max(o.worst, r.SlowDown)
		}
	}
	o.slow, o.time = o.slow/cool, o.time/cool
	if hots > 0 {
		o.hotSlow, o.hotTime = o.hotSlow/hots, o.hotTime/hots
	}
	return o
}

func TestExperiment(t *testing.T) {
	for _, formula := range []string{"rlft(36,2)", "rlft(36,2)|without(roots=9)"} {
		g := graph(t, formula)
		plan := routed(t, g, "ftree", 8)
		for _, hot := range []bool{true, false} {
			type variant struct{ copies, buffer int }
			m := *portMem
			vs := []variant{{1, m}, {2, m / 2}, {4, m / 4}, {8, m / 8}, {1, m / 4}, {1, m / 8}}
			res := make([][]outcome, len(vs))
			for seed := range *mixes {
				jobs := mixtest.Draw(g, rand.New(rand.NewPCG(uint64(seed), 5)), 6)
				moved, _, err := relief.ForJobs(context.Background(), g, plan, &relief.Jobs{Hosts: jobs})
				if err != nil {
					t.Fatal(err)
				}
				line := ""
				for i, v := range vs {
					p := moved
					var left int
					if v.copies > 1 {
						var lanes *joblanes.Lanes
						if p, lanes, err = joblanes.Give(context.Background(), g, moved, &joblanes.Request{Hosts: jobs, Copies: v.copies}); err != nil {
							t.Fatal(err)
						}
						for _, l := range lanes.Jobs {
							left += l.Shared
						}
					}
					o := byPackets(t, g, p, jobs, hot, v.buffer)
					res[i] = append(res[i], o)
					line += fmt.Sprintf(" | %d×%d: %.3f %.3f w%.2f hot %.3f %.3f (%d)", v.copies, v.buffer, o.slow, o.time, o.worst, o.hotSlow, o.hotTime, left)
				}
				t.Logf("%s hot=%v mix %d jobs %d%s", formula, hot, seed, len(jobs), line)
			}
			for _, pair := range [][2]int{{0, 1}, {0, 2}, {0, 3}, {4, 2}, {5, 3}} {
				var slow, time, hs, ht []float64
				for k := range res[0] {
					a, b := res[pair[0]][k], res[pair[1]][k]
					slow, time = append(slow, b.slow-a.slow), append(time, b.time-a.time)
					hs, ht = append(hs, b.hotSlow-a.hotSlow), append(ht, b.hotTime-a.hotTime)
				}
				a, b, c, d := stats.IntervalOf(slow), stats.IntervalOf(time), stats.IntervalOf(hs), stats.IntervalOf(ht)
				t.Logf("%s hot=%v %v -> %v: slow %+.3f ±%.3f time %+.3f ±%.3f; hot slow %+.3f ±%.3f time %+.3f ±%.3f", formula, hot, vs[pair[0]], vs[pair[1]], a.Mean, a.Half, b.Mean, b.Half, c.Mean, c.Half, d.Mean, d.Half)
			}
		}
	}
}

func graph(t testing.TB, formula string) *fabric.Graph { return parsed(t, formula) }
