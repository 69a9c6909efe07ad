package gen

import (
	"testing"

	"weft/fabric"
)

// The two sizes that every stage is measured on: a full tree of radix 36 and
// the tree of radix 64 with 20 hosts on each leaf.
var sizes = []struct{ name, expr string }{
	{"rlft36x3", "rlft(36,3)"},
	{"rlft64x3", "rlft(64,3,hosts=40960)"},
}

func BenchmarkParse(b *testing.B) {
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				parse(b, s.expr)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			f := parse(b, s.expr)
			b.ReportAllocs()
			for b.Loop() {
				f.Compile()
			}
		})
	}
}

func BenchmarkClone(b *testing.B) {
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			f := parse(b, s.expr)
			b.ReportAllocs()
			var c *fabric.Fabric
			for b.Loop() {
				c = f.Clone()
			}
			_ = c
		})
	}
}

func BenchmarkFail(b *testing.B) {
	f := parse(b, sizes[0].expr)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Apply(f, "fail(share=0.05,links=up,seed=1)"); err != nil {
			b.Fatal(err)
		}
	}
}
