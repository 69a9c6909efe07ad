package relief_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"

	"weft/route/relief"
	"weft/study/app/mixtest"
)

var (
	benchOn   = flag.String("bench-on", "rlft(36,2)", "the network of BenchmarkForJobs")
	benchJobs = flag.Int("bench-jobs", 1000, "the maximum number of jobs of BenchmarkForJobs")
	benchTurn = flag.Int("bench-turn", 0, "so many of the jobs get paths in BenchmarkForJobs, with at most 2,000 moves; 0: all, and any number")
)

// BenchmarkForJobs moves paths of ftree for a random mix of jobs of 2 to 130 hosts.
func BenchmarkForJobs(b *testing.B) {
	g := graph(b, *benchOn, "", 0)
	plan := routed(b, g, "ftree", nil)
	jobs := mixtest.Draw(g, rand.New(rand.NewPCG(1, 5)), 7)
	request := &relief.Jobs{Hosts: jobs[:min(len(jobs), *benchJobs)]}
	for j := range *benchTurn {
		request.Only, request.Most = append(request.Only, j), 2000
	}
	b.ReportAllocs()
	for b.Loop() {
		_, moves, err := relief.ForJobs(context.Background(), g, plan, request)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(moves.Entries), "moved/op")
	}
	b.ReportMetric(float64(len(request.Hosts)), "jobs")
}
