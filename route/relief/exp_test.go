package relief_test

import (
	"strings"
	"weft/apps/machine"
	"weft/apps/places"
	"weft/planner"
	"weft/sim/packet"
	"weft/study/app"

	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"weft/fabric"
	"weft/fabric/source"
	"weft/judge/jobload"
	"weft/route"
	"weft/route/engine"
	"weft/route/recipe"
	"weft/route/relief"
	"weft/sim/flow"
	"weft/sim/traffic"
)

func drawMix(g *fabric.Graph, rng *rand.Rand) (jobs [][]int32) {
	var free []int32
	for h := range int32(g.NumHosts) {
		free = append(free, h)
	}
	slices.SortFunc(free, func(a, b int32) int {
		return int(g.EndSwitch[a]-g.EndSwitch[b])*1000 + int(g.EndPort[a]) - int(g.EndPort[b])
	})
	chunk := []int{1, 1, 2, 4, 9}[rng.IntN(5)]
	var chunks [][]int32
	for i := 0; i < len(free); i += chunk {
		chunks = append(chunks, free[i:min(len(free), i+chunk)])
	}
	rng.Shuffle(len(chunks), func(i, j int) { chunks[i], chunks[j] = chunks[j], chunks[i] })
	free = slices.Concat(chunks...)
	sizes := []int{2, 4}
	for len(free) > 20 {
		n := min(len(free), sizes[rng.IntN(2)]<<rng.IntN(6)+rng.IntN(4))
		job := slices.Clone(free[:n])
		free = free[n:]
		slices.SortFunc(job, func(a, b int32) int {
			return int(g.EndSwitch[a]-g.EndSwitch[b])*1000 + int(g.EndPort[a]) - int(g.EndPort[b])
		})
		jobs = append(jobs, job)
	}
	return jobs
}

func figures(t *testing.T, g *fabric.Graph, p *route.Plan, jobs [][]int32) (rep *jobload.Report, ebb, shift, all float64) {
	rep, err := jobload.Count(context.Background(), g, p, jobs)
	if err != nil {
		t.Fatal(err)
	}
	n, err := flow.New(context.Background(), g, p, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, job := range jobs {
		pat, _ := traffic.Parse("bisect_fb_sym", len(job)/2*2)
		r, err := n.Run(context.Background(), pat, flow.Options{Place: traffic.OnHosts(job), Runs: 50, Shuffle: true, Seed: 1, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		ebb += r.Bandwidth.Mean / float64(len(jobs))
		pat, _ = traffic.Parse("shift", len(job))
		r, err = n.Run(context.Background(), pat, flow.Options{Place: traffic.OnHosts(job), Runs: 1, Seed: 1, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		shift += r.Bandwidth.Mean / float64(len(jobs))
	}
	// all jobs at once: random permutation in each
	rng := rand.New(rand.NewPCG(1, 2))
	var hosts []int32
	for _, j := range jobs {
		hosts = append(hosts, j...)
	}
	var rounds []traffic.Flows
	for range 100 {
		var f traffic.Flows
		at := 0
		for _, j := range jobs {
			k := rng.Perm(len(j))
			for i := range k {
				f.Add(int32(at+k[i]), int32(at+k[(i+1)%len(k)]))
			}
			at += len(j)
		}
		rounds = append(rounds, f)
	}
	r, err := n.Run(context.Background(), traffic.FromRounds("x", len(hosts), rounds), flow.Options{Place: traffic.OnHosts(hosts), Runs: 1, Seed: 1, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return rep, ebb, shift, r.Bandwidth.Mean
}

func TestExp(t *testing.T) {
	for _, formula := range []string{"rlft(36,2)", "rlft(36,2)|without(roots=9)"} {
		src, err := source.Generate(formula)
		if err != nil {
			t.Fatal(err)
		}
		g := src.Fabric.Compile()
		spec, _ := engine.Find("ftree")
		plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, Workers: 1}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(formula, g.NumHosts, g.NumSwitches, g.NumChannels)
		for seed := range uint64(6) {
			jobs := drawMix(g, rand.New(rand.NewPCG(seed, 5)))
			a, ea, sa, aa := figures(t, g, plan, jobs)
			b := time.Now()
			p, m, err := relief.ForJobs(context.Background(), g, plan, &relief.Jobs{Hosts: jobs})
			if err != nil {
				t.Fatal(err)
			}
			took := time.Since(b)
			c, ec, sc, ac := figures(t, g, p, jobs)
			rises := 0
			for i := range a.Jobs {
				if c.Jobs[i].Largest > a.Jobs[i].Largest {
					rises++
				}
			}
			fmt.Printf("seed %d: %d jobs; unused %d -> %d (least %d); ebb %.4f -> %.4f shift %.4f -> %.4f all %.4f -> %.4f rises %d moved %d in %v\n", seed, len(jobs), a.Unused, c.Unused, c.LeastUnused, ea, ec, sa, sc, aa, ac, rises, m.Entries, took)
		}
	}
}

func byPackets(t *testing.T, g *fabric.Graph, p *route.Plan, jobs [][]int32, prog string) (slow, cost, worst float64) {
	var texts []string
	var file strings.Builder
	rank := 0
	for _, j := range jobs {
		texts = append(texts, fmt.Sprintf(prog, len(j)))
		for _, h := range j {
			fmt.Fprintf(&file, "%d %q\n", rank, g.EndDesc[h])
			rank++
		}
	}
	programs, err := app.OpenAll(texts, app.DefaultsOf(g, true, "file"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := app.On(context.Background(), g, &planner.Result{Plan: p}, &app.Request{
		Jobs: programs, Costs: machine.Parameters{Overhead: 200, Eager: 1 << 40}, Packets: true, Placement: "file", File: file.String(), OnPorts: true,
		Hardware: packet.Default(), Memory: places.UsualMemory, Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range run.Jobs {
		slow += j.SlowDown / float64(len(jobs))
		cost += j.TimeNS / j.IdealNS / float64(len(jobs))
		worst = max(worst, j.TimeNS/j.IdealNS)
	}
	return slow, cost, worst
}

func TestExp2(t *testing.T) {
	for _, formula := range []string{"rlft(36,2)", "rlft(36,2)|without(roots=9)"} {
		src, err := source.Generate(formula)
		if err != nil {
			t.Fatal(err)
		}
		g := src.Fabric.Compile()
		spec, _ := engine.Find("ftree")
		plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, Workers: 1}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(3) {
			jobs := drawMix(g, rand.New(rand.NewPCG(seed, 5)))
			p, m, err := relief.ForJobs(context.Background(), g, plan, &relief.Jobs{Hosts: jobs})
			if err != nil {
				t.Fatal(err)
			}
			a, ea, sa, aa := figures(t, g, plan, jobs)
			c, ec, sc, ac := figures(t, g, p, jobs)
			fmt.Printf("%s %d: moved %d unused %d %d (%d) ebb %+.2f %% shift %+.2f %% all %+.2f %%", formula, seed, m.Entries, a.Unused, c.Unused, c.LeastUnused, 100*(ec/ea-1), 100*(sc/sa-1), 100*(ac/aa-1))
			for _, prog := range []string{"alltoall(pairwise,ranks=%d,size=4KiB)"} {
				s0, c0, w0 := byPackets(t, g, plan, jobs, prog)
				s1, c1, w1 := byPackets(t, g, p, jobs, prog)
				fmt.Printf(" | %s slow %.3f %.3f cost %.3f %.3f worst %.3f %.3f", prog[:12], s0, s1, c0, c1, w0, w1)
			}
			fmt.Println()
		}
	}
}
