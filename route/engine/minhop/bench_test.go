package minhop_test

import (
	"testing"

	"weft/judge/conformance"
	"weft/route/engine/minhop"
)

// BenchmarkTree36 is 11,664 hosts and 1,620 switches.
func BenchmarkTree36(b *testing.B) { conformance.Bench(b, minhop.Spec(), "rlft(36,3)", 0) }

// BenchmarkTree36LMC2 is the same with four LIDs a port.
func BenchmarkTree36LMC2(b *testing.B) { conformance.Bench(b, minhop.Spec(), "rlft(36,3)", 2) }

// BenchmarkTree64 is 40,960 hosts and 5,120 switches.
func BenchmarkTree64(b *testing.B) { conformance.Bench(b, minhop.Spec(), "rlft(64,3,hosts=40960)", 0) }
