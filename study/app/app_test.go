package app

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/apps/collective"
	"weft/apps/machine"
	"weft/apps/places"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/planner"
	"weft/route/engine"
	"weft/sim/flow"
	"weft/sim/packet"
)

var memory = places.Memory{Latency: 500, Rate: 200_000}

// routed returns a fabric and its routing.
func routed(t testing.TB, formula, chain string) (*fabric.Graph, *planner.Result) {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	specs, err := engine.Parse(chain, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := f.Compile()
	r, err := planner.Run(context.Background(), g, &planner.Request{Chain: specs, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return g, r
}

// play runs a program on a fabric.
func play(t *testing.T, g *fabric.Graph, r *planner.Result, text string, byPackets bool) *Run {
	t.Helper()
	p, err := Open(text, DefaultsOf(g, true, "leaf"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := On(context.Background(), g, r, &Request{
		Jobs: []*Program{p}, Costs: machine.Parameters{Eager: 1 << 40}, Packets: byPackets, Placement: "leaf", OnPorts: true,
		Hardware: packet.Default(), Memory: memory, Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestFormulas: in leaf order on a whole tree, rounds of one message to one other rank take the
// time of that message alone, on the longest path.
func TestFormulas(t *testing.T) {
	g, r := routed(t, "rlft(8,3)", "ftree")
	h := packet.Default()
	rate := float64(g.EndRate[0]) / 8e6 * float64(h.MTU) / float64(h.MTU+h.Headers) // bytes in a picosecond
	const size = 128 << 16
	for text, want := range map[string]float64{
		fmt.Sprintf("allreduce(ring,size=%d)", size):     2*127*size/128/rate + ringLatency(h),
		fmt.Sprintf("alltoall(pairwise,size=%d)", 1<<16): 127*(1<<16/rate) + pairwiseLatency(h),
	} {
		for byPackets, within := range map[bool]float64{false: 0.001, true: 0.02} {
			run := play(t, g, r, text, byPackets)
			if got := run.EndNS * 1000; math.Abs(got/want-1) > within {
				t.Errorf("%s, by packets %v: %.3f us, want %.3f within %v", text, byPackets, got/1e6, want/1e6, within)
			}
		}
	}
}

// latency is the time of a first byte between two hosts of a tree with leaves of 4 hosts and pods
// of 16.
func latency(h packet.Config, a, b int) float64 {
	switches := 5
	if a/4 == b/4 {
		switches = 1
	} else if a/16 == b/16 {
		switches = 3
	}
	return float64(switches+1)*float64(h.CableDelay) + float64(switches)*float64(h.SwitchLatency)
}

// pairwiseLatency is the sum over rounds of the latency to rank r xor s.
func pairwiseLatency(h packet.Config) (sum float64) {
	for s := 1; s < 128; s++ {
		sum += latency(h, 0, s)
	}
	return sum
}

// ringLatency is the latency of a chunk that goes on for 254 rounds, from the rank where that takes
// longest.
func ringLatency(h packet.Config) (longest float64) {
	for first := range 128 {
		sum := 0.0
		for s := range 254 {
			sum += latency(h, (first+s)%128, (first+s+1)%128)
		}
		longest = max(longest, sum)
	}
	return longest
}

// TestSameTimes: on a whole tree, several engines end a permutation at the same instant, although
// their tables differ. The reason: two messages share as many links under one engine as under the
// other; the engines only call the spines by other names.
func TestSameTimes(t *testing.T) {
	var networks []*flow.Network
	for _, chain := range []string{"ftree", "updn", "minhop", "dfsssp"} {
		g, r := routed(t, "rlft(8,3)", chain)
		n, err := flow.New(context.Background(), g, r.Plan, 1)
		if err != nil {
			t.Fatal(err)
		}
		networks = append(networks, n)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	counts := map[int]int{}
	for range 100_000 {
		var ends [4]int32
		for i := range ends {
			ends[i] = rng.Int32N(128)
		}
		if ends[0] == ends[1] || ends[2] == ends[3] {
			continue
		}
		want := -1
		for i, n := range networks {
			a, _ := n.Path(ends[0], ends[1], nil)
			b, _ := n.Path(ends[2], ends[3], nil)
			common := 0
			for _, l := range a {
				if slices.Contains(b, l) {
					common++
				}
			}
			if i == 0 {
				want = common
				counts[want]++
			} else if common != want {
				t.Fatalf("engine %d: %d -> %d and %d -> %d share %d links, with ftree %d", i, ends[0], ends[1], ends[2], ends[3], common, want)
			}
		}
	}
	if len(counts) < 4 {
		t.Errorf("too few kinds of couples: %v", counts)
	}
}

// TestTooLongFlow: a message that is under way for weeks is an error that names it.
func TestTooLongFlow(t *testing.T) {
	g, r := routed(t, "rlft(4,2)", "ftree")
	name := filepath.Join(t.TempDir(), "big.goal")
	text := "num_ranks 2\nrank 0 {\nsend 9000000000000000000b to 1\n}\nrank 1 {\nrecv 9000000000000000000b from 0\n}\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Open(name, collective.Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = On(context.Background(), g, r, &Request{Jobs: []*Program{p}, Placement: "leaf", Hardware: packet.Default(), Memory: memory, Workers: 1})
	want := "a message from rank 0 on host 0[1] to rank 1 on host 1[1]: 9e+18 bytes: it ends after 26 days"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestBandwidth: the figures are those of nccl-tests, which divides the blocks of all ranks by the
// time: 8 ranks with blocks or vectors that take 1 us.
func TestBandwidth(t *testing.T) {
	for _, c := range []struct {
		name           string
		algorithm, bus float64
	}{
		{"allreduce", 4, 7}, {"reducescatter", 4, 3.5}, {"allgather", 32, 28}, {"alltoall", 32, 28}, {"broadcast", 4, 4}, {"reduce", 4, 4},
	} {
		b := bandwidthOf(&collective.Spec{Name: c.name, Ranks: 8, Bytes: 4000}, 1000)
		if b == nil || b.Algorithm != c.algorithm || b.Bus != c.bus {
			t.Errorf("%s: %+v, want %v and %v", c.name, b, c.algorithm, c.bus)
		}
	}
}
