package quality

import "testing"

// BenchmarkTree36 is 11,664 hosts and 1,620 switches, the proof included: the difference
// to the judge's own benchmark of this name is what the measures cost.
func BenchmarkTree36(b *testing.B) {
	g, p := plan(b, "rlft(36,3)", "updn", 0)
	b.ReportAllocs()
	for b.Loop() {
		if r := judged(b, g, p, 2); !r.OK {
			b.Fatal(r.Faults)
		}
	}
}

// BenchmarkTorus has ways of many lengths and VLs by input and output port.
func BenchmarkTorus(b *testing.B) {
	g, p := plan(b, "torus(10x10x10,hosts=4)", "dor", 0)
	for b.Loop() {
		if r := judged(b, g, p, 2); !r.OK {
			b.Fatal(r.Faults)
		}
	}
}
