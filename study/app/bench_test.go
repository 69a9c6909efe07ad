package app

import (
	"context"
	"testing"

	"weft/apps/collective"
	"weft/apps/machine"
	"weft/sim/packet"
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
