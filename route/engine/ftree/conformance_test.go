package ftree

import (
	"testing"

	"weft/judge/conformance"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, Spec(), conformance.Claims{DeadlockFree: true, Refuses: true})
}

// BenchmarkTree36 is 11,664 hosts and 1,620 switches.
func BenchmarkTree36(b *testing.B) { conformance.Bench(b, Spec(), "rlft(36,3)", 0) }

// BenchmarkTree64 is 40,960 hosts and 5,120 switches.
func BenchmarkTree64(b *testing.B) { conformance.Bench(b, Spec(), "rlft(64,3,hosts=40960)", 0) }

func TestBaseLIDs(t *testing.T) { conformance.BaseLIDs(t, Spec()) }
