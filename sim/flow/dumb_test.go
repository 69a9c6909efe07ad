package flow

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/draws"
	"weft/route"
	"weft/sim/traffic"
)

// hop is a link as a person would name it: the port that it leaves.
type hop struct {
	host bool
	from int32
	port uint8
}

// channel is the channel that the hop is, or fabric.Nothing.
func (h hop) channel(g *fabric.Graph) int32 {
	if h.host {
		return fabric.Nothing
	}
	c, _ := g.At(h.from, h.port)
	return c
}

// lidOf is the LID that a source uses for a target.
func lidOf(p *route.Plan, src, dst int32) fabric.LID {
	if p.Choice.By == route.AnyLID {
		return p.Ends.Base[dst]
	}
	for lid := p.Ends.Base[dst]; ; lid++ {
		if p.Uses(src, dst, lid) {
			return lid
		}
	}
}

// pathOf follows the tables hop by hop; nil when they do not deliver.
func pathOf(g *fabric.Graph, p *route.Plan, src, dst int32) []hop {
	return pathTo(g, p, src, dst, lidOf(p, src, dst))
}

// pathTo follows the tables to one LID of a target.
func pathTo(g *fabric.Graph, p *route.Plan, src, dst int32, lid fabric.LID) []hop {
	path := []hop{{true, src, 0}}
	for s := g.EndSwitch[src]; len(path) <= g.NumSwitches+1; {
		port := p.Tables.Port(s, lid)
		path = append(path, hop{false, s, port})
		c, host := g.At(s, port)
		if c < 0 {
			if host == dst {
				return path
			}
			return nil
		}
		s = g.To[c]
	}
	return nil
}

// dumbRound is the definition: a map of loads and the largest on each path.
func dumbRound(g *fabric.Graph, p *route.Plan, src, dst []int32) (congestion []int) {
	load := map[hop]int{}
	for i := range src {
		for _, h := range pathOf(g, p, src[i], dst[i]) {
			load[h]++
		}
	}
	for i := range src {
		most := 0
		for _, h := range pathOf(g, p, src[i], dst[i]) {
			most = max(most, load[h])
		}
		congestion = append(congestion, most)
	}
	return congestion
}

// drawFlows draws flows between hosts that have LIDs.
func drawFlows(t *rapid.T, n *Network) (src, dst []int32) {
	if len(n.Hosts) < 2 {
		return nil, nil
	}
	host := rapid.SampledFrom(n.Hosts)
	for range rapid.IntRange(0, 40).Draw(t, "flows") {
		a, b := host.Draw(t, "src"), host.Draw(t, "dst")
		if a != b {
			src, dst = append(src, a), append(dst, b)
		}
	}
	return src, dst
}

func TestCountingIsTheDefinition(t *testing.T) {
	delivered, lost := 0, 0
	draws.Check(t, func(rt *rapid.T) {
		g, p := drawNetwork(rt, t)
		n := network(t, g, p)
		c := newCounter(n, nil)
		for range 2 { // twice: reset must leave nothing behind
			src, dst := drawFlows(rt, n)
			want := dumbRound(g, p, src, dst)
			hist := map[int]int64{}
			worst, inverse := 0, 0.0
			for _, v := range want {
				hist[v]++
				worst = max(worst, v)
				if v > 0 {
					inverse += 1 / float64(v)
					delivered++
				} else {
					lost++
				}
			}
			c.place(src, dst)
			if got := c.measure(); int(got) != worst {
				rt.Fatalf("largest congestion %d, want %d", got, worst)
			}
			for v, flows := range c.hist {
				if flows != hist[v] {
					rt.Fatalf("%d flows of congestion %d, want %d", flows, v, hist[v])
				}
			}
			if got := c.settle(); math.Abs(got-inverse) > 1e-9 {
				rt.Fatalf("sum of 1/c %g, want %g", got, inverse)
			}
			c.reset()
			for l, load := range c.load {
				if load != 0 {
					rt.Fatalf("load %d is left on link %d", load, l)
				}
			}
		}
	}, func() string {
		if delivered == 0 || lost == 0 {
			return fmt.Sprintf("%d flows delivered and %d not: one kind was not tried", delivered, lost)
		}
		return ""
	})
	t.Logf("%d flows delivered, %d not", delivered, lost)
}

// capacityOf is what a link can carry: its rate, as a share of the fastest of all.
func capacityOf(g *fabric.Graph, h hop) float64 {
	fastest := slices.Max(append(append([]int32{0}, g.ChanRate...), g.EndRate...))
	rate := int32(0)
	if c := h.channel(g); c >= 0 {
		rate = g.ChanRate[c]
	} else {
		end := h.from
		if !h.host {
			_, end = g.At(h.from, h.port)
		}
		rate = g.EndRate[end]
	}
	if rate == 0 {
		return 1
	}
	return float64(rate) / float64(fastest)
}

// Every flow of a max-min allocation has a full link on which no flow gets more
// (Bertsekas and Gallager, section 6.5.2), and no link carries more than it can.
func TestMaxMinHasBottlenecks(t *testing.T) {
	shared, slow := 0, 0
	draws.Check(t, func(rt *rapid.T) {
		g, p := drawNetwork(rt, t)
		n := network(t, g, p)
		equal := rapid.Bool().Draw(rt, "equal")
		capacity := func(h hop) float64 {
			if equal {
				return 1
			}
			return capacityOf(g, h)
		}
		_, room := n.rates(equal)
		c, f := newCounter(n, nil), newFiller(room)
		for range 2 {
			src, dst := drawFlows(rt, n)
			c.place(src, dst)
			sum := f.shares(&flowSet{path: c.path, end: c.end})
			c.reset()
			used, most := map[hop]float64{}, map[hop]float64{}
			total := 0.0
			for i := range src {
				for _, h := range pathOf(g, p, src[i], dst[i]) {
					used[h] += f.rate[i]
					most[h] = max(most[h], f.rate[i])
				}
				total += f.rate[i]
			}
			if math.Abs(total-sum) > 1e-9 {
				rt.Fatalf("sum %g, want %g", sum, total)
			}
			for i := range src {
				path := pathOf(g, p, src[i], dst[i])
				if path == nil {
					if f.rate[i] != 0 {
						rt.Fatalf("a flow that is not delivered gets %g", f.rate[i])
					}
					continue
				}
				full := false
				for _, h := range path {
					room := capacity(h)
					if used[h] > room+1e-9 {
						rt.Fatalf("link %v of %g carries %g", h, room, used[h])
					}
					if room < 1 {
						slow++
					}
					full = full || used[h] > room-1e-9 && most[h] <= f.rate[i]*(1+1e-9)
				}
				if !full {
					rt.Fatalf("flow %d of rate %g has no bottleneck", i, f.rate[i])
				}
				if f.rate[i] < 1 {
					shared++
				}
			}
		}
	}, func() string {
		if shared == 0 || slow == 0 {
			return fmt.Sprintf("%d flows shared a link, %d links were slow", shared, slow)
		}
		return ""
	})
}

func TestPairsAreTheDefinition(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		g, p := drawNetwork(rt, t)
		n := network(t, g, p)
		want := &Pairs{Channels: g.NumChannels, Loads: make([]int64, g.NumChannels), Targets: make([]int64, g.NumChannels)}
		sources, targets := make([]map[int32]bool, g.NumChannels), make([]map[fabric.LID]bool, g.NumChannels)
		for c := range sources {
			sources[c], targets[c] = map[int32]bool{}, map[fabric.LID]bool{}
		}
		each := func(body func(src, dst int32, path []hop)) {
			for _, src := range n.Hosts {
				for _, dst := range n.Hosts {
					if src != dst {
						body(src, dst, pathOf(g, p, src, dst))
					}
				}
			}
		}
		each(func(src, dst int32, path []hop) {
			want.Pairs++
			if path == nil {
				want.Undelivered++
			}
			for _, h := range path {
				if c := h.channel(g); c >= 0 {
					want.Loads[c]++
					sources[c][src], targets[c][lidOf(p, src, dst)] = true, true
				}
			}
		})
		var all, paths population
		risk := int64(0)
		for c, load := range want.Loads {
			all.add(load, 1)
			want.Index = max(want.Index, load)
			want.Targets[c] = int64(len(targets[c]))
			risk = max(risk, min(int64(len(sources[c])), int64(len(targets[c]))))
			if load == 0 {
				want.DarkChannels++
				if c%2 == 0 && want.Loads[c^1] == 0 {
					want.DarkLinks++
				}
			}
		}
		want.Load = all.result()
		each(func(_, _ int32, path []hop) {
			most := int64(-1)
			for _, h := range path {
				if c := h.channel(g); c >= 0 {
					most = max(most, want.Loads[c])
				}
			}
			if most >= 0 {
				paths.add(most, 1)
			}
		})
		got, err := n.AllPairs(ctx, 2)
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			rt.Fatal(d)
		}
		path, err := n.PathLoads(ctx, got.Loads, 2)
		if err != nil {
			rt.Fatal(err)
		}
		if wantPath := paths.result(); math.Abs(path.Mean-wantPath.Mean) > 1e-9 || math.Abs(path.StdDev-wantPath.StdDev) > 1e-6 ||
			path.Min != wantPath.Min || path.Max != wantPath.Max {
			rt.Fatalf("path loads %v, want %v", path, wantPath)
		}
		if p.Choice.By != route.AnyLID {
			return
		}
		if got, err := n.A2A(ctx, got.Targets, 2); err != nil || got != risk {
			rt.Fatalf("A2A risk %d (%v), want %d", got, err, risk)
		}
	})
}

// A run is the definition with the hosts in the drawn order.
func TestRunPutsRanksOnHosts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g, p := drawNetwork(rt, t)
		n := network(t, g, p)
		kind := rapid.SampledFrom([]string{"bisect", "bisect_fb_sym", "rand", "recdbl", "shift", "null"}).Draw(rt, "pattern")
		pattern, err := traffic.Parse(kind, rapid.IntRange(0, len(n.Hosts)).Draw(rt, "ranks"))
		if err != nil {
			rt.Fatal(err)
		}
		opt := Options{Runs: rapid.IntRange(1, 4).Draw(rt, "runs"), Seed: 7, Shuffle: true}
		got, err := n.Run(context.Background(), pattern, opt)
		if err != nil {
			rt.Fatal(err)
		}
		var bandwidth, worst, sums []float64
		for run := range opt.Runs {
			var rng rand.PCG
			order := append([]int32(nil), n.Hosts...)
			traffic.Seed(&rng, opt.Seed, run, -1)
			traffic.Shuffle(order, &rng)
			inverse, flows, largest, sum := 0.0, 0, 0, 0
			for round := range pattern.Rounds {
				var f traffic.Flows
				traffic.Seed(&rng, opt.Seed, run, round)
				pattern.Round(&f, round, &rng)
				for i := range f.Src {
					f.Src[i], f.Dst[i] = order[f.Src[i]], order[f.Dst[i]]
				}
				most := 0
				for _, c := range dumbRound(g, p, f.Src, f.Dst) {
					if c > 0 {
						inverse += 1 / float64(c)
					}
					most = max(most, c)
					flows++
				}
				largest, sum = max(largest, most), sum+most
			}
			bandwidth = append(bandwidth, inverse/float64(max(flows, 1)))
			worst, sums = append(worst, float64(largest)), append(sums, float64(sum))
		}
		var steps [20]int64
		for _, b := range bandwidth {
			for k := len(steps) - 1; k >= 0; k-- {
				if b >= 0.05*float64(k)-1e-12 {
					steps[k]++
					break
				}
			}
		}
		if len(bandwidth) == got.Runs && got.RunHistogram != steps {
			rt.Fatalf("runs by bandwidth %v, want %v", got.RunHistogram, steps)
		}
		if want := Summarise(bandwidth); math.Abs(got.Bandwidth.Mean-want.Mean) > 1e-9 || math.Abs(got.Bandwidth.Min-want.Min) > 1e-9 {
			rt.Fatalf("bandwidth %v, want %v", got.Bandwidth, want)
		}
		if got.MaxCongestion != Summarise(worst) || got.SumMaxCongestion != Summarise(sums) {
			rt.Fatalf("congestion %v and %v, want %v and %v", got.MaxCongestion, got.SumMaxCongestion, worst, sums)
		}
	})
}
