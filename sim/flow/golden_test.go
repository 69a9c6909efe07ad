package flow

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/internal/racing"
)

// Effective bisection bandwidth under destination-mod-k tables: measured with ORCS
// 2.0 on the same trees where it is fast enough, and with a second program, whose
// mean and standard error these are.
var golden = []struct {
	formula string
	k       int
	pattern string
	runs    int
	mean    float64
	stderr  float64
}{
	{"rlft(8,3)", 4, "bisect", 100000, 0.75371, 0.00013},
	{"rlft(36,2)", 18, "bisect", 10000, 0.80915, 0.00013},
	{"rlft(16,3)", 8, "bisect", 10000, 0.70255, 0.00015},
	{"rlft(24,3)", 12, "bisect", 2000, 0.68568, 0.00018},
	{"rlft(36,3)", 18, "bisect", 300, 0.67415, 0.00025},
	{"rlft(16,3)", 8, "bisect_fb_sym", 5000, 0.53046, 0.00014},
}

func TestGoldenBisection(t *testing.T) {
	racing.SkipLong(t)
	for _, want := range golden {
		t.Run(want.formula+" "+want.pattern, func(t *testing.T) {
			if testing.Short() && want.k > 8 {
				t.Skip("large; not in short mode")
			}
			g := parse(t, want.formula)
			n := network(t, g, dModK(t, g, want.k))
			r := simulate(t, n, want.pattern, Options{Runs: want.runs, Seed: 1, Shuffle: true, Workers: 2})
			ours := r.Bandwidth.StdDev / math.Sqrt(float64(want.runs))
			if diff := math.Abs(r.Bandwidth.Mean - want.mean); diff > 3*math.Hypot(ours, want.stderr) {
				t.Errorf("%.5f (standard error %.5f), want %.5f (%.5f)", r.Bandwidth.Mean, ours, want.mean, want.stderr)
			}
			if r.Undelivered != 0 {
				t.Errorf("%d flows were not delivered", r.Undelivered)
			}
			t.Logf("%.5f +- %.5f, golden %.5f", r.Bandwidth.Mean, r.Bandwidth.CI95, want.mean)
		})
	}
}

func TestGoldenOrdered(t *testing.T) {
	g := parse(t, "rlft(8,3)")
	n := network(t, g, dModK(t, g, 4))
	for pattern, sum := range map[string]float64{"recdbl": 7, "bruck": 7, "tree": 7, "gather": 127, "scatter": 127, "shift": 127, "storage:8": 15, "storage:8,read": 15} {
		r := simulate(t, n, pattern, Options{Runs: 10, Seed: 1, Workers: 2})
		if r.Runs != 1 || r.SumMaxCongestion.Mean != sum {
			t.Errorf("%s: %d runs, sum of largest congestions %g, want 1 and %g", pattern, r.Runs, r.SumMaxCongestion.Mean, sum)
		}
	}
	if r := simulate(t, n, "shift", Options{Runs: 1, Seed: 1}); r.MaxCongestion.Max != 1 || r.Rounds != 127 {
		t.Errorf("the %d shifts have congestion up to %g, want 1", r.Rounds, r.MaxCongestion.Max)
	}
}

func TestGoldenPairs(t *testing.T) {
	for _, want := range []struct {
		formula string
		k       int
		load    float64
	}{{"rlft(8,3)", 4, 124}, {"rlft(16,3)", 8, 1016}} {
		g := parse(t, want.formula)
		n := network(t, g, dModK(t, g, want.k))
		p, err := n.AllPairs(context.Background(), 2)
		if err != nil {
			t.Fatal(err)
		}
		path, err := n.PathLoads(context.Background(), p.Loads, 2)
		if err != nil {
			t.Fatal(err)
		}
		if want := (Spread{want.load, want.load, want.load, 0}); path != want || p.Load.Max != want.Max {
			t.Errorf("path loads %v, channel loads %v, want %v", path, p.Load, want)
		}
	}
}

func TestResultDoesNotDependOnWorkers(t *testing.T) {
	g := parse(t, "rlft(8,3)|fail(links=9,seed=2)")
	plan := dModK(t, g, 4) // some entries now lead nowhere
	type everything struct {
		Bisect, Shift *Result
		Pairs         *Pairs
		Path          Spread
		A2A           int64
	}
	measure := func(workers int) (all everything) {
		n, err := New(context.Background(), g, plan, workers)
		if err != nil {
			t.Fatal(err)
		}
		opt := Options{Runs: 50, Seed: 3, Shuffle: true, MaxMin: true, Workers: workers}
		all.Bisect, all.Shift = simulate(t, n, "bisect", opt), simulate(t, n, "shift", opt)
		if all.Pairs, err = n.AllPairs(context.Background(), workers); err != nil {
			t.Fatal(err)
		}
		if all.Path, err = n.PathLoads(context.Background(), all.Pairs.Loads, workers); err != nil {
			t.Fatal(err)
		}
		if all.A2A, err = n.A2A(context.Background(), all.Pairs.Targets, workers); err != nil {
			t.Fatal(err)
		}
		return all
	}
	want := measure(1)
	if want.Bisect.Undelivered == 0 || want.Pairs.Undelivered == 0 {
		t.Error("failed links lose no flow: the test is too easy")
	}
	for _, workers := range []int{2, 7} {
		if d := cmp.Diff(want, measure(workers)); d != "" {
			t.Errorf("%d workers: %s", workers, d)
		}
	}
}
