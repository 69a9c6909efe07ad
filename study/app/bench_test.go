package app

import (
	"context"
	"fmt"
	"testing"

	"weft/apps/collective"
	"weft/apps/machine"
	"weft/apps/places"
	"weft/sim/flow"
	"weft/sim/packet"
	"weft/sim/traffic"
)

// BenchmarkRing runs a ring all-reduce of 512 ranks by flows: 523,264 messages.
func BenchmarkRing(b *testing.B) {
	g, r := routed(b, "rlft(16,3)", "ftree")
	p, err := Open("allreduce(ring,ranks=512,size=1GiB)", collective.Defaults{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		_, err := On(context.Background(), g, r, &Request{Jobs: []*Program{p}, Costs: machine.Usual, Placement: "leaf", OnPorts: true, Hardware: packet.Default(), Memory: memory, Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIdeal runs the same on the ideal network.
func BenchmarkIdeal(b *testing.B) {
	p, err := Open("allreduce(ring,ranks=512,size=1GiB)", collective.Defaults{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Ideal(context.Background(), p, machine.Usual); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPackets sends the same messages by packets twice: as rounds of the packet simulator, and
// as a program.
func BenchmarkPackets(b *testing.B) {
	g, r := routed(b, "rlft(8,3)", "ftree")
	net, err := flow.New(context.Background(), g, r.Plan, 1)
	if err != nil {
		b.Fatal(err)
	}
	pattern, err := traffic.Parse("shift", len(net.Hosts))
	if err != nil {
		b.Fatal(err)
	}
	rounds := make([]traffic.Flows, pattern.Rounds)
	for i := range rounds {
		pattern.Round(&rounds[i], i, nil)
	}
	where, err := places.On(&places.Request{By: "leaf", Ranks: len(net.Hosts), Names: namesOf(g), Hosts: net.ByLeaf(), OnPorts: true})
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []int64{4 << 10, 16 << 10, 64 << 10, 256 << 10} {
		b.Run(fmt.Sprintf("plain/%d", size), func(b *testing.B) {
			for b.Loop() {
				sim, err := packet.New(g, r.Plan, packet.Default(), packet.NewRounds(rounds, net.ByLeaf(), g.NumEnds, size))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := sim.Run(context.Background(), 0, 1<<62); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("program/%d", size), func(b *testing.B) {
			p, err := Open(fmt.Sprintf("alltoall(shift,ranks=%d,size=%d)", len(net.Hosts), size), collective.Defaults{})
			if err != nil {
				b.Fatal(err)
			}
			req := &Request{Costs: machine.Parameters{Overhead: 200, Eager: 1 << 40}, Hardware: packet.Default(), Memory: memory}
			s := &stage{g: g, routing: r, net: net, req: req}
			for b.Loop() {
				c, err := start([]*Program{p}, unit)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := s.byPackets(context.Background(), c, where); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
