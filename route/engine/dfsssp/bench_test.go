package dfsssp

import (
	"testing"

	"weft/judge/conformance"
)

// BenchmarkTree36 is 11,664 hosts and 1,620 switches.
func BenchmarkTree36(b *testing.B) { conformance.Bench(b, Spec(), "rlft(36,3)", 0) }

// BenchmarkFat3456 has 720 switches in three levels.
func BenchmarkFat3456(b *testing.B) { conformance.Bench(b, Spec(), "fat3456", 0) }

// BenchmarkFaulted is the same with one link in a hundred failed.
func BenchmarkFaulted(b *testing.B) { conformance.Bench(b, Spec(), "fat3456|fail(links=69,seed=1)", 0) }
