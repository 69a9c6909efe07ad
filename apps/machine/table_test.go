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
				c, fresh := have.add(k)
				if _, known := want[k]; fresh == known {
					t.Fatalf("%v: fresh %v, known %v", k, fresh, known)
				}
				c.ends, want[k] = v, v
			}
			probe := address{rng.Int32N(span), rng.Int32N(span) - 1, rng.Int32N(3) - 1}
			got := have.get(probe)
			if v, known := want[probe]; known != (got != nil) || known && got.ends != v {
				t.Fatalf("%v: %v, want %v %v", probe, got, v, known)
			}
			if have.count != len(want) {
				t.Fatalf("%d entries, want %d", have.count, len(want))
			}
		}
	}
}
