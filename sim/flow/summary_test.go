package flow

import (
	"math"
	"testing"
)

// TestSummariseFew: the interval of a few values by Student's t, from a table of its quantiles.
func TestSummariseFew(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		want float64
	}{{[]float64{1, 2, 3}, 4.302653 / math.Sqrt(3)}, {[]float64{0, 2}, 12.706205}, {[]float64{7}, 0}, {nil, 0}} {
		if got := SummariseFew(c.v); math.Abs(got.CI95-c.want) > 1e-5 || got.Mean != Summarise(c.v).Mean {
			t.Errorf("%v: %+v, want +-%v", c.v, got, c.want)
		}
	}
}
