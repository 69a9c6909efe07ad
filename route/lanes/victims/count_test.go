package victims_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/engine/ftree"
	"weft/route/engine/minhop"
	"weft/route/lanes/victims"
	"weft/route/recipe"
)

// queue is a lane of a host's link, if channel is -1, or of a channel.
type queue struct {
	host, channel int32
	lane          uint8
}

// flow is a pair of hosts with the queues that its packets pass.
type flow struct {
	src, dst int32
	queues   []queue
}

func flowsOf(g *fabric.Graph, p *route.Plan) (flows []flow) {
	for a := range int32(g.NumHosts) {
		for b := range int32(g.NumHosts) {
			if a == b {
				continue
			}
			lid := p.Ends.Base[b]
			lane := p.SL.At(a, lid)
			f := flow{a, b, []queue{{a, -1, lane}}}
			for s := g.EndSwitch[a]; s != g.EndSwitch[b]; {
				c, _ := g.At(s, p.Tables.Port(s, lid))
				f.queues = append(f.queues, queue{-1, c, lane})
				s = g.To[c]
			}
			flows = append(flows, f)
		}
	}
	return flows
}

// victimsOf counts the victims of a hot-spot by the definition: it marks full queues until no more
// become full.
func victimsOf(flows []flow, hot int32) (n int64) {
	full := map[queue]bool{}
	for changed := true; changed; {
		changed = false
		for _, f := range flows {
			blocked := f.dst == hot
			for i := len(f.queues) - 1; i >= 0; i-- {
				if blocked = blocked || full[f.queues[i]]; blocked && !full[f.queues[i]] {
					full[f.queues[i]], changed = true, true
				}
			}
		}
	}
	for _, f := range flows {
		if f.dst == hot {
			continue
		}
		for _, q := range f.queues {
			if full[q] {
				n++
				break
			}
		}
	}
	return n
}

func graph(t interface{ Fatal(...any) }, formula string) *fabric.Graph {
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// checkCount compares the victims of all hosts with those by the definition.
func checkCount(t interface{ Fatalf(string, ...any) }, g *fabric.Graph, p *route.Plan, lanes int) {
	x := victims.NewPaths(g, p)
	by, err := x.CountBy(context.Background(), 2, lanes)
	if err != nil {
		t.Fatalf("%v", err)
	}
	flows := flowsOf(g, p)
	total := int64(0)
	for h := range int32(g.NumHosts) {
		want := victimsOf(flows, h)
		if total += want; by[h] != want {
			t.Fatalf("%s, %d lanes: host %d has %d victims, want %d", g.Name, lanes, h, by[h], want)
		}
	}
	if n, _ := x.Count(context.Background(), 1, lanes); n != total || n < x.Least(lanes) {
		t.Fatalf("%d victims of all hosts, want %d, no less than %d", n, total, x.Least(lanes))
	}
}

// TestCount: the victims in trees and a torus, with lanes by vFtree, drawn by host, or the same for
// all packets to a host, are those of the definition. In the torus queues wait for each other in
// cycles.
func TestCount(t *testing.T) {
	formulas := []string{"tree(6,14,ratio=2)", "xgft(2;4,4;1,2)", "xgft(3;2,3,2;1,2,2)", "rlft(6,2)|fail(links=3,seed=4)", "xgft(2;2,3;3,2)|hosts(even=1,odd=3)", "torus(3x3,hosts=2)"}
	rapid.Check(t, func(t *rapid.T) {
		formula := rapid.SampledFrom(formulas).Draw(t, "network")
		g := graph(t, formula)
		lanes := rapid.IntRange(2, 5).Draw(t, "lanes")
		how := rapid.SampledFrom([]string{"vftree", "drawn", "by target"}).Draw(t, "how")
		r := &recipe.Request{Engine: ftree.Spec(), Options: map[string]string{"lanes": "vftree", "vls": fmt.Sprint(lanes)}, Workers: 1}
		if strings.HasPrefix(formula, "torus") {
			r, how = &recipe.Request{Engine: minhop.Spec(), Workers: 1}, "drawn"
		}
		plan, err := recipe.Run(context.Background(), g, r, func(string) {})
		if err != nil {
			t.Skip(err)
		}
		if how != "vftree" {
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
			n := g.NumHosts
			plan.SL = route.NewSLs(fabric.Numbers(g.NumEnds), make([]int32, int(plan.Ends.Top())+1), g.NumEnds, n+1)
			for lid := range plan.SL.Dst {
				plan.SL.Dst[lid] = int32(n)
			}
			for h := range int32(n) {
				plan.SL.Dst[plan.Ends.Base[h]] = h
				for a := range int32(n) {
					if how == "drawn" {
						plan.SL.Set(a, h, uint8(rng.IntN(lanes)))
					} else {
						plan.SL.Set(a, h, uint8(int(h)%lanes))
					}
				}
			}
		}
		checkCount(t, g, plan, lanes)
	})
}
