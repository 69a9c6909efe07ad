// Package mixtest draws random mixes of jobs, and runs them by packets. Only tests import it.
package mixtest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/apps/machine"
	"weft/apps/places"
	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/sim/packet"
	"weft/study/app"
)

// Draw draws jobs on random parts of a machine: single hosts, or runs of neighbours. A job has
// about 2 to 2^largest hosts, in order of switches. Some hosts stay free.
func Draw(g *fabric.Graph, rng *rand.Rand, largest int) (jobs [][]int32) {
	order := func(a, b int32) int {
		return cmp.Or(cmp.Compare(g.EndSwitch[a], g.EndSwitch[b]), cmp.Compare(g.EndPort[a], g.EndPort[b]))
	}
	var hosts []int32
	for h := range int32(g.NumHosts) {
		if g.IsHost(h) {
			hosts = append(hosts, h)
		}
	}
	slices.SortFunc(hosts, order)
	run := []int{1, 2, 3, 4, 9}[rng.IntN(5)]
	runs := slices.Collect(slices.Chunk(hosts, run))
	rng.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	free := slices.Concat(runs...)
	free = free[:len(free)-rng.IntN(len(free)/2)]
	for len(free) > 1 {
		n := min(len(free), 2<<rng.IntN(largest)+rng.IntN(4))
		job := slices.Clone(free[:n])
		slices.SortFunc(job, order)
		jobs, free = append(jobs, job), free[n:]
	}
	return jobs
}

// Exchange returns all-to-all by pairs of 4 KiB for each job.
func Exchange(jobs [][]int32) (programs []string) {
	for _, job := range jobs {
		programs = append(programs, fmt.Sprintf("alltoall(pairwise,ranks=%d,size=4KiB)", len(job)))
	}
	return programs
}

// Run runs a program in each job, all at once.
func Run(t testing.TB, g *fabric.Graph, p *route.Plan, jobs [][]int32, programs []string, hardware packet.Config) []app.Job {
	t.Helper()
	var (
		file strings.Builder
		rank int
	)
	for _, job := range jobs {
		for _, h := range job {
			fmt.Fprintf(&file, "%d %q\n", rank, g.EndDesc[h])
			rank++
		}
	}
	opened, err := app.OpenAll(programs, app.DefaultsOf(g, true, "file"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := app.On(context.Background(), g, &planner.Result{Plan: p}, &app.Request{
		Jobs: opened, Costs: machine.Parameters{Overhead: 200, Eager: 1 << 40}, Packets: true, Placement: "file", File: file.String(),
		OnPorts: true, Hardware: hardware, Memory: places.UsualMemory, Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return run.Jobs
}
