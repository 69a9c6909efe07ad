package app

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"weft/apps/machine"
	"weft/apps/program"
	"weft/sim/packet"
)

// TestPermutation: on 128 hosts that send 2 MB each to a drawn partner, the mean rate by flows is
// that by packets within 3 %.
func TestPermutation(t *testing.T) {
	g, r := routed(t, "rlft(8,3)", "ftree")
	const hosts, size = 128, 2_000_000
	to := rand.New(rand.NewPCG(11, 41)).Perm(hosts)
	from := make([]int, hosts)
	for i, x := range to {
		from[x] = i
	}
	b := program.NewBuilder(0, 0)
	for i := range hosts {
		b.Rank()
		for _, o := range []program.Op{{Kind: program.Send, Peer: int32(to[i]), Size: size}, {Kind: program.Recv, Peer: int32(from[i]), Size: size}} {
			if _, err := b.Add(o, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := b.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	var rates [2]float64
	for i, byPackets := range []bool{false, true} {
		run, err := On(context.Background(), g, r, &Request{
			Jobs: []*Program{{Name: "permutation", schedule: s}}, Costs: machine.Parameters{Eager: 1 << 40}, Packets: byPackets, Placement: "leaf", OnPorts: true,
			Hardware: packet.Default(), Memory: memory, Workers: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, rank := range run.Ranks {
			rates[i] += size / rank.EndNS / hosts
		}
	}
	t.Logf("%.3f and %.3f bytes in a nanosecond", rates[0], rates[1])
	if math.Abs(rates[1]/rates[0]-1) > 0.03 {
		t.Errorf("mean rate by flows %.3f bytes in a nanosecond, by packets %.3f", rates[0], rates[1])
	}
}
