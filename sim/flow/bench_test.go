package flow

import (
	"context"
	"math/rand/v2"
	"testing"

	"weft/fabric"
	"weft/route"
	"weft/sim/traffic"
)

var sizes = []struct {
	name, formula string
	k             int
}{
	{"128", "rlft(8,3)", 4},
	{"648", "rlft(36,2)", 18},
	{"1024", "rlft(16,3)", 8},
	{"3456", "rlft(24,3)", 12},
	{"11664", "rlft(36,3)", 18},
}

// BenchmarkBisection measures random bisections a second on one core: shuffling,
// routing and counting.
func BenchmarkBisection(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			g := parse(b, size.formula)
			n := network(b, g, dModK(b, g, size.k))
			p, err := traffic.Parse("bisect", len(n.Hosts))
			if err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			if _, err := n.Run(context.Background(), p, Options{Runs: b.N, Seed: 1, Shuffle: true, Workers: 1}); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "patterns/s")
		})
	}
}

// yardstick is the least that counting can be: a table by switch, walked once to
// count, once to look and once to undo. No host links, no holes, no histogram.
type yardstick struct {
	hosts, stride int
	lft           []uint8 // by switch, then host
	to            []int32 // by switch and port
	home          []int32
	load          []uint16
	order         []int32
}

func newYardstick(g *fabric.Graph, p *route.Plan) *yardstick {
	y := &yardstick{hosts: g.NumHosts, home: g.EndSwitch}
	for _, ports := range g.SwitchPorts {
		y.stride = max(y.stride, int(ports)+1)
	}
	y.lft = make([]uint8, g.NumSwitches*g.NumHosts)
	y.to = make([]int32, g.NumSwitches*y.stride)
	y.load = make([]uint16, len(y.to))
	for s := range int32(g.NumSwitches) {
		for h := range g.NumHosts {
			y.lft[int(s)*g.NumHosts+h] = p.Tables.Port(s, p.Ends.Base[h])
		}
		for q := range y.stride {
			y.to[int(s)*y.stride+q] = -1
			if c, _ := g.At(s, uint8(q)); c >= 0 {
				y.to[int(s)*y.stride+q] = g.To[c]
			}
		}
	}
	for h := range int32(g.NumHosts) {
		y.order = append(y.order, h)
	}
	return y
}

func (y *yardstick) pattern(rng *rand.PCG) float64 {
	traffic.Shuffle(y.order, rng)
	for i := 0; i+1 < len(y.order); i += 2 {
		dst := int(y.order[i])
		for s := y.home[y.order[i+1]]; s >= 0; {
			slot := int(s)*y.stride + int(y.lft[int(s)*y.hosts+dst])
			y.load[slot]++
			s = y.to[slot]
		}
	}
	sum := 0.0
	for i := 0; i+1 < len(y.order); i += 2 {
		dst, most := int(y.order[i]), uint16(0)
		for s := y.home[y.order[i+1]]; s >= 0; {
			slot := int(s)*y.stride + int(y.lft[int(s)*y.hosts+dst])
			most = max(most, y.load[slot])
			s = y.to[slot]
		}
		sum += 1 / float64(most)
	}
	for i := 0; i+1 < len(y.order); i += 2 {
		dst := int(y.order[i])
		for s := y.home[y.order[i+1]]; s >= 0; {
			slot := int(s)*y.stride + int(y.lft[int(s)*y.hosts+dst])
			y.load[slot] = 0
			s = y.to[slot]
		}
	}
	return sum / float64(len(y.order)/2)
}

// BenchmarkYardstick measures the least that counting can be, beside Bisection.
func BenchmarkYardstick(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			g := parse(b, size.formula)
			y := newYardstick(g, dModK(b, g, size.k))
			rng := rand.NewPCG(1, 1)
			for b.Loop() {
				y.pattern(rng)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "patterns/s")
		})
	}
}

// BenchmarkAllPairs measures the loads over all pairs of 11,664 hosts.
func BenchmarkAllPairs(b *testing.B) {
	g := parse(b, "rlft(36,3)")
	n := network(b, g, dModK(b, g, 18))
	for _, bench := range []struct {
		name    string
		workers int
	}{{"1core", 1}, {"2cores", 2}} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := n.AllPairs(context.Background(), bench.workers); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkNew measures the compilation of tables of 11,664 hosts on one core.
func BenchmarkNew(b *testing.B) {
	g := parse(b, "rlft(36,3)")
	p := dModK(b, g, 18)
	for b.Loop() {
		if _, err := New(context.Background(), g, p, 1); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMaxMin measures max-min fair shares of bisections of 1,024 hosts.
func BenchmarkMaxMin(b *testing.B) {
	g := parse(b, "rlft(16,3)")
	n := network(b, g, dModK(b, g, 8))
	p, err := traffic.Parse("bisect", len(n.Hosts))
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	if _, err := n.Run(context.Background(), p, Options{Runs: b.N, Seed: 1, Shuffle: true, MaxMin: true, Workers: 1}); err != nil {
		b.Fatal(err)
	}
}
