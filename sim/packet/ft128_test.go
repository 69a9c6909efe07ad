package packet_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/engine"
	"weft/route/recipe"
	"weft/sim/packet"
)

// graph compiles a formula.
func graph(t rapid.TB, formula string) *fabric.Graph {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// qdr makes all links 4x QDR.
func qdr(g *fabric.Graph) *fabric.Graph {
	for _, rates := range [][]int32{g.ChanRate, g.EndRate[:g.NumHosts]} {
		for i := range rates {
			rates[i] = 32_000
		}
	}
	return g
}

// planned routes a fabric by an engine, with at most vls VLs.
func planned(t rapid.TB, g *fabric.Graph, name string, vls int, options map[string]string) *route.Plan {
	t.Helper()
	spec, err := engine.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, Options: options, MaxVLs: vls, Workers: 2}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// permutation reads who sends to whom.
func permutation(t rapid.TB, seed int) (to []int32) {
	t.Helper()
	f, err := os.Open(fmt.Sprintf("testdata/permutation-%d.txt", seed))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		n, err := strconv.Atoi(s.Text())
		if err != nil {
			t.Fatal(err)
		}
		to = append(to, int32(n))
	}
	return to
}

// ft128 is the set-up of the reference: packets of 2,048 bytes with all headers, 12,800 bytes of
// buffer.
func ft128() packet.Config {
	c := packet.Default()
	c.Headers, c.Buffer = 0, 12_800
	return c
}

// saturate makes every host send to its target without pause.
func saturate(to []int32) *packet.Streams {
	w := &packet.Streams{}
	for src, dst := range to {
		if int32(src) != dst {
			w.List = append(w.List, packet.Stream{Src: int32(src), Dst: dst, Bytes: packet.Forever})
		}
	}
	return w
}

func run(t rapid.TB, g *fabric.Graph, p *route.Plan, c packet.Config, w packet.Workload, warmup, until packet.Time) *packet.Result {
	t.Helper()
	s, err := packet.New(g, p, c, w)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(context.Background(), warmup, until)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestInfiniBandModel: the packets delivered in 500 us are within 1 % of the InfiniBand model on
// OMNeT++ (Mellanox's ib_model, and ib_flit_sim in the first row).
func TestInfiniBandModel(t *testing.T) {
	g := qdr(graph(t, "mport(8,3)"))
	p := planned(t, g, "ftree", 1, nil)
	for _, c := range []struct {
		seed  int
		limit int32
		want  int64
	}{{7, 26_000, 65_176}, {7, 0, 71_261}, {8, 0, 72_620}, {9, 0, 74_108}, {10, 0, 71_699}} {
		config := ft128()
		if config.Inject, config.Drain = c.limit, c.limit; c.limit > 0 {
			config.CreditInterval = 256 * packet.Nanosecond
		}
		r := run(t, g, p, config, saturate(permutation(t, c.seed)), 0, 500*packet.Microsecond)
		off := float64(r.Arrived)/float64(c.want) - 1
		t.Logf("seed %d, limit %d: %d packets, the model %d: %+.2f %%", c.seed, c.limit, r.Arrived, c.want, 100*off)
		if off < -.01 || off > .01 {
			t.Errorf("%+.2f %%", 100*off)
		}
	}
}

func BenchmarkPermutation(b *testing.B) {
	for _, formula := range []string{"mport(8,3)", "mport(16,3)", "rlft(36,3)"} {
		b.Run(formula, func(b *testing.B) {
			g := graph(b, formula)
			p := planned(b, g, "ftree", 1, nil)
			to := permutation(b, 7)
			for len(to) < g.NumHosts {
				n := int32(len(to))
				for _, d := range to[:min(len(to), g.NumHosts-len(to))] {
					to = append(to, n+d)
				}
			}
			for i := range to {
				if int(to[i]) >= g.NumHosts {
					to[i] = int32((i + g.NumHosts/2) % g.NumHosts)
				}
			}
			b.ReportAllocs()
			packets := int64(0)
			for b.Loop() {
				packets += run(b, g, p, packet.Default(), saturate(to), 0, 500*packet.Microsecond).Arrived
			}
			b.ReportMetric(float64(packets)/b.Elapsed().Seconds(), "packets/s")
		})
	}
}
