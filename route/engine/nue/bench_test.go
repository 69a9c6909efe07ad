package nue

import (
	"testing"

	"weft/judge/conformance"
)

// BenchmarkTreeFailed is 3,456 hosts and 720 switches, 69 links of which have failed.
func BenchmarkTreeFailed(b *testing.B) {
	conformance.Bench(b, Spec(), "fat3456|fail(links=69,seed=1)", 0)
}

// BenchmarkTorus is 2,048 switches.
func BenchmarkTorus(b *testing.B) { conformance.Bench(b, Spec(), "torus(16x16x8,hosts=1)", 0) }

// BenchmarkKautz is 392 switches and 2,744 hosts.
func BenchmarkKautz(b *testing.B) { conformance.Bench(b, Spec(), "kautz(7,3,hosts=2744)", 0) }
