package lash

import (
	"testing"

	"weft/judge/conformance"
)

// BenchmarkFat3456 has 720 switches in three levels.
func BenchmarkFat3456(b *testing.B) { conformance.Bench(b, Spec(), "fat3456", 0) }

// BenchmarkKautz has 392 switches.
func BenchmarkKautz(b *testing.B) { conformance.Bench(b, Spec(), "kautz(7,3,hosts=2744)", 0) }
