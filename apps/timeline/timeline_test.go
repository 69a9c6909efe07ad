package timeline

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestHeat: amounts are neither lost nor moved: each step has what a sum over single units of time
// says.
func TestHeat(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 41))
	for range 40 {
		h := newHeat(3, 1+rng.Int64N(4))
		const long = 20_000
		want := make([][]float64, 3)
		for r := range want {
			want[r] = make([]float64, long)
		}
		for k := range int64(60) {
			row, from := rng.IntN(3), rng.Int64N(long*(k+1)/60)
			to := from + rng.Int64N(long*(k+1)/60-from+1)
			amount := 100 * rng.Float64()
			h.Add(int32(row), from, to, amount)
			for at := from; at < max(to, from+1); at++ {
				want[row][min(at, long-1)] += amount / float64(max(to-from, 1))
			}
		}
		for row := range want {
			for s, got := range h.Row(row) {
				sum := 0.0
				for at := int64(s) * h.Width; at < min(int64(s+1)*h.Width, long); at++ {
					sum += want[row][at]
				}
				if math.Abs(float64(got)-sum) > 0.01 {
					t.Fatalf("row %d, step %d of %d units: %v, want %v", row, s, h.Width, got, sum)
				}
			}
		}
	}
}

// TestEnd: after the end all parts have the same steps.
func TestEnd(t *testing.T) {
	r := NewRecorder(2, 2, 10)
	r.Computing.Add(0, 0, 100_000, 7)
	r.Links.Add(1, 0, 50, 3)
	r.End()
	if r.Links.Width != r.Computing.Width || r.Links.Used() != r.Computing.Used() || math.Abs(float64(r.Links.Row(1)[0])-3) > 1e-4 {
		t.Errorf("%d and %d, %d and %d steps", r.Links.Width, r.Computing.Width, r.Links.Used(), r.Computing.Used())
	}
}
