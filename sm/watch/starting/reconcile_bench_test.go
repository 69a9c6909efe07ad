package starting

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/hostlist"
	"weft/planner"
	"weft/route/engine"
	"weft/route/joblanes"
	"weft/sm/terms"
)

func BenchmarkReconcile(b *testing.B) {
	f, _ := gen.Parse("rlft(36,3)")
	g := f.Compile()
	chain, _ := engine.Parse("ftree", nil)
	r, err := planner.Run(b.Context(), g, &planner.Request{Chain: chain, JobLanes: joblanes.Ask(8)})
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		jobs, hosts int
		near        bool
	}{{3000, 4, false}, {3000, 16, false}} {
		b.Run(fmt.Sprint(c), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			w := &terms.JobWrite{Whole: true}
			for j := range c.jobs {
				var names []string
				from := rng.IntN(g.NumHosts - c.hosts)
				for i, h := range rng.Perm(g.NumHosts)[:c.hosts] {
					if c.near {
						h = from + i
					}
					names = append(names, fmt.Sprintf("host%d", h))
				}
				w.All = append(w.All, terms.Job{ID: fmt.Sprint(j), Nodes: hostlist.Compress(names), Count: len(names)})
			}
			for b.Loop() {
				runtime.GC()

				m := Resume(nil, 0, rule)
				m.On(g, r.Plan)
				m.lanes.finder()
				t := cpu()
				jobs, _, err := m.Write(0, w, rule, nil)
				if err != nil {
					b.Fatal(err)
				}
				b.Logf("write %v", cpu()-t)
				t = cpu()
				out := m.Answer(terms.Action{Kind: terms.Decided, Jobs: jobs}, nil)
				b.Logf("answer %v", cpu()-t)
				t = cpu()
				out[0].Do()
				b.Logf("do, beside %v", cpu()-t)
				t = cpu()
				m.Placed(nil)
				b.Logf("placed %v", cpu()-t)

				t = cpu()
				m.Pairs()
				b.Logf("pairs %v", cpu()-t)
				t = cpu()
				n := 0
				for _, j := range m.list {
					n += len(j.Shares)
				}
				b.Logf("shares %d", n)
				g2 := f.Compile()
				t = cpu()
				m.On(g2, r.Plan)
				b.Logf("on another graph with the same hosts %v", cpu()-t)
				h := fabric.Graph{}
				h = *g2
				h.EndDesc = append([]string{"x"}, h.EndDesc[1:]...)
				t = cpu()
				m.On(&h, r.Plan)
				b.Logf("on another graph with other hosts %v", cpu()-t)
				t = cpu()
				x := Resume(m.list, 0, rule)
				x.On(g2, r.Plan)
				b.Logf("first on after a start %v", cpu()-t)
				t = cpu()
				jobs, _, _ = m.Write(0, &terms.JobWrite{Start: &terms.Job{ID: "x", Nodes: "host[1-4]", Count: 4}}, rule, nil)
				out = m.Answer(terms.Action{Kind: terms.Decided, Jobs: jobs}, nil)
				b.Logf("next start %v", cpu()-t)
				t = cpu()
				out[0].Do()
				b.Logf("beside %v", cpu()-t)
				t = cpu()
				m.Placed(nil)
				b.Logf("placed %v", cpu()-t)
				jobs, _, _ = m.Write(0, &terms.JobWrite{Start: &terms.Job{ID: "y", Nodes: "host[1-4]", Count: 4}}, rule, nil)
				out = m.Answer(terms.Action{Kind: terms.Decided, Jobs: jobs}, nil)
				t = cpu()
				out[0].Do()
				b.Logf("second start, beside %v", cpu()-t)
			}
		})
	}
}

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
