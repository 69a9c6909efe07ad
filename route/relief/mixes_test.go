package relief_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/fabric"
	"weft/judge/check"
	"weft/judge/jobload"
	"weft/judge/quality"
	"weft/lab/stats"
	"weft/route"
	"weft/route/planfile"
	"weft/route/relief"
	"weft/sim/packet"
	"weft/study/app/mixtest"
)

var mixes = flag.Int("mixes", 1, "random mixes of jobs that TestMixes runs on each tree")

func count(t testing.TB, g *fabric.Graph, p *route.Plan, jobs [][]int32) *jobload.Report {
	t.Helper()
	r, err := jobload.Count(context.Background(), g, p, jobs)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// compare holds a Plan for jobs against the one before, by the judge and by counts.
func compare(t testing.TB, g *fabric.Graph, before, after *route.Plan, jobs [][]int32) (old, now *jobload.Report) {
	t.Helper()
	a, err := quality.Judge(context.Background(), g, before, check.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	b, err := quality.Judge(context.Background(), g, after, check.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if b.OK != a.OK || b.DeadlockFree != a.DeadlockFree || b.Entries.Delivered != a.Entries.Delivered || b.Minimal != a.Minimal || b.Hops.Max != a.Hops.Max {
		t.Errorf("verdict %v, deadlock-free %v, entries %+v, hops %+v; before %v, %v, %+v, %+v", b.OK, b.DeadlockFree, b.Entries, b.Hops, a.OK, a.DeadlockFree, a.Entries, a.Hops)
	}
	old, now = count(t, g, before, jobs), count(t, g, after, jobs)
	if now.Unused > old.Unused {
		t.Errorf("%d channels unused, %d before", now.Unused, old.Unused)
	}
	for i := range jobs {
		if now.Jobs[i].Largest > old.Jobs[i].Largest {
			t.Errorf("job %d: %d pairs on a channel, %d before", i, now.Jobs[i].Largest, old.Jobs[i].Largest)
		}
	}
	return old, now
}

// TestForJobs: whatever engine routed, a Plan for jobs is proven as the one before, no path is
// longer, no job's hottest channel rises, and no more channels are unused. LIDs, SLs and lanes
// stay, the given Plan too, and the same input gives the same bytes.
func TestForJobs(t *testing.T) {
	moved := map[string]int{}
	for i, formula := range []string{
		"rlft(8,2)", "rlft(8,2)|without(roots=2)", "rlft(4,3)", "rlft(8,2)|fail(links=6,seed=2)", "torus(4x4,hosts=3)", "torus(3x3x3,hosts=1)|fail(links=4,seed=1)",
		"irregular(switches=16,hosts=48)", "dragonfly(4,2,2)", "kautz(2,3,hosts=24)",
	} {
		g := graph(t, formula, "", 0)
		for _, name := range []string{"ftree", "updn", "sssp", "dfsssp", "lash", "nue", "dor"} {
			plan := routed(t, g, name, nil)
			if plan == nil {
				continue
			}
			jobs := mixtest.Draw(g, rand.New(rand.NewPCG(uint64(i), 3)), 4)
			before := saved(t, g, plan)
			out, moves, err := relief.ForJobs(context.Background(), g, plan, &relief.Jobs{Hosts: jobs})
			if no, ok := errors.AsType[*relief.Impossible](err); ok {
				t.Logf("%s, %s: %v", formula, name, no)
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Run(formula+" "+name, func(t *testing.T) { compare(t, g, plan, out, jobs) })
			again, _, err := relief.ForJobs(context.Background(), g, plan, &relief.Jobs{Hosts: jobs})
			if err != nil || !bytes.Equal(saved(t, g, out), saved(t, g, again)) || !bytes.Equal(before, saved(t, g, plan)) {
				t.Errorf("%s, %s: another Plan at the second time, or the given one changed: %v", formula, name, err)
			}
			if out.SL != plan.SL || out.SL2VL != plan.SL2VL || !slices.Equal(out.Ends.Base, plan.Ends.Base) {
				t.Errorf("%s, %s: LIDs, SLs or lanes changed", formula, name)
			}
			moved[name] += moves.Entries
		}
	}
	for _, name := range []string{"ftree", "updn", "sssp", "dfsssp", "lash", "nue"} {
		if moved[name] == 0 {
			t.Errorf("%s: no entry moved on any network", name)
		}
	}
}

func saved(t testing.TB, g *fabric.Graph, p *route.Plan) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := planfile.Save(&b, g, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestOneJob: for one job only entries towards its hosts move, and at most as many as allowed; with
// a small maximum the Plan says that moves are left.
func TestOneJob(t *testing.T) {
	g := graph(t, "rlft(8,2)|without(roots=1)", "", 0)
	plan := routed(t, g, "ftree", nil)
	for seed := range uint64(5) {
		jobs := mixtest.Draw(g, rand.New(rand.NewPCG(seed, 9)), 4)
		all := 0
		for _, most := range []int{0, 10, 1} {
			out, moves, err := relief.ForJobs(context.Background(), g, plan, &relief.Jobs{Hosts: jobs, Only: []int{0}, Most: most})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, g, plan, out, jobs)
			n := 0
			for end, lid := range plan.Ends.Base {
				for x := range int32(g.NumSwitches) {
					if plan.Tables.Port(x, lid) != out.Tables.Port(x, lid) {
						n++
						if !slices.Contains(jobs[0], int32(end)) {
							t.Fatalf("seed %d: an entry to end port %d moved, which is not in %v", seed, end, jobs[0])
						}
					}
				}
			}
			if all = max(all, n); n != moves.Entries || most > 0 && n > most || n < all && !moves.Left {
				t.Errorf("seed %d, at most %d moves: %d entries differ, %+v", seed, most, n, moves)
			}
		}
	}
}

// TestImpossibleForJobs: hosts with several LIDs are refused.
func TestImpossibleForJobs(t *testing.T) {
	g := graph(t, "rlft(4,2)", "", 0)
	plan := routed(t, g, "ftree", nil)
	plan.Ends.LMC = slices.Clone(plan.Ends.LMC)
	plan.Ends.LMC[3] = 1
	_, _, err := relief.ForJobs(context.Background(), g, plan, &relief.Jobs{Hosts: [][]int32{{1, 3}}})
	if _, ok := errors.AsType[*relief.Impossible](err); !ok {
		t.Errorf("several LIDs: %v", err)
	}
}

// byPackets runs all-to-all in every job at once. It returns the mean slow-down against each job
// alone, and the mean time as a multiple of that on one switch.
func byPackets(t *testing.T, g *fabric.Graph, p *route.Plan, jobs [][]int32) (slow, time float64) {
	t.Helper()
	for _, j := range mixtest.Run(t, g, p, jobs, mixtest.Exchange(jobs), packet.Default()) {
		slow += j.SlowDown / float64(len(jobs))
		time += j.TimeNS / j.IdealNS / float64(len(jobs))
	}
	return slow, time
}

// TestMixes: on a full tree and on one with half the roots, jobs routed by ftree and then by jobs
// leave fewer channels unused wherever more than the lower bound were, no job's hottest channel
// rises, and the mean slow-down by packets falls. -mixes=20 -v prints the table of
// docs/design/2026-11-29-jobs.md; the interval of the difference then excludes 0.
func TestMixes(t *testing.T) {
	for _, formula := range []string{"rlft(36,2)", "rlft(36,2)|without(roots=9)"} {
		g := graph(t, formula, "", 0)
		plan := routed(t, g, "ftree", nil)
		var slow, time []float64
		worst := 0
		for seed := range *mixes {
			jobs := mixtest.Draw(g, rand.New(rand.NewPCG(uint64(seed), 5)), 6)
			out, moves, err := relief.ForJobs(context.Background(), g, plan, &relief.Jobs{Hosts: jobs})
			if err != nil {
				t.Fatal(err)
			}
			old, now := compare(t, g, plan, out, jobs)
			if old.Unused > old.LeastUnused && now.Unused >= old.Unused || now.Unused < now.LeastUnused {
				t.Errorf("%s, mix %d: %d channels unused, %d before, at least %d", formula, seed, now.Unused, old.Unused, now.LeastUnused)
			}
			slowBefore, timeBefore := byPackets(t, g, plan, jobs)
			slowAfter, timeAfter := byPackets(t, g, out, jobs)
			slow, time = append(slow, slowAfter-slowBefore), append(time, timeAfter-timeBefore)
			if slow[seed] > slow[worst] {
				worst = seed
			}
			t.Logf("| `%s` | %d | %d | %d, %d (%d) | %.3f, %.3f | %.3f, %.3f | %d |", formula, seed, len(jobs), old.Unused, now.Unused, now.LeastUnused, slowBefore, slowAfter, timeBefore, timeAfter, moves.Entries)
		}
		a, b := stats.IntervalOf(slow), stats.IntervalOf(time)
		t.Logf("%s: slow-down %+v, worst mix %d with %+.3f; time %+v", formula, a, worst, slow[worst], b)
		if stats.Mean(slow) >= 0 || stats.Mean(time) >= 0 || len(slow) >= 20 && (a.Mean+a.Half >= 0 || b.Mean+b.Half >= 0) {
			t.Errorf("%s: slow-down %v, time %v", formula, slow, time)
		}
	}
}
