package minhop

import (
	"context"
	"testing"

	"weft/fabric/gen"
	"weft/route"
)

func benchmark(b *testing.B, formula string, lmc uint8) {
	f, err := gen.Parse(formula)
	if err != nil {
		b.Fatal(err)
	}
	g := f.Compile()
	req := &route.Request{Engine: Spec(), Names: route.NameOptions{LMC: lmc}, Workers: 2}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := route.Run(context.Background(), g, req, func(string) {}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTree36 is 11,664 hosts and 1,620 switches.
func BenchmarkTree36(b *testing.B) { benchmark(b, "rlft(36,3)", 0) }

// BenchmarkTree36LMC2 is the same with four LIDs a port.
func BenchmarkTree36LMC2(b *testing.B) { benchmark(b, "rlft(36,3)", 2) }

// BenchmarkTree64 is 40,960 hosts and 5,120 switches.
func BenchmarkTree64(b *testing.B) { benchmark(b, "rlft(64,3,hosts=40960)", 0) }
