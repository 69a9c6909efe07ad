package machine

import (
	"math/rand/v2"
	"testing"
)

// TestTable: after any changes the table holds the same as a map.
func TestTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 50 {
		var have table
		want := map[address]ends{}
		span := 1 + rng.Int32N(12)
		for range 2000 {
			k := address{rng.Int32N(span), rng.Int32N(span) - 1, rng.Int32N(3) - 1}
			switch rng.IntN(3) {
			case 0:
				have.remove(k)
				delete(want, k)
			default:
				v := ends{rng.Int32(), rng.Int32()}
				have.set(k, v)
				want[k] = v
			}
			probe := address{rng.Int32N(span), rng.Int32N(span) - 1, rng.Int32N(3) - 1}
			got, ok := have.get(probe)
			if v, known := want[probe]; ok != known || known && got != v {
				t.Fatalf("%v: %v %v, want %v %v", probe, got, ok, v, known)
			}
			if have.count != len(want) {
				t.Fatalf("%d entries, want %d", have.count, len(want))
			}
		}
	}
}
