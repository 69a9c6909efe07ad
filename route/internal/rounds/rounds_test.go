package rounds

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestPrice: the sixth power of the share, by floating point.
func TestPrice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		largest := rapid.Int64Range(1, 1<<16).Draw(t, "largest")
		load := rapid.Int64Range(0, 3*largest).Draw(t, "load")
		part := math.Floor(float64(load*(ShareUnit<<16/largest)) / (1 << 16))
		want := math.Floor(PacketPrice * math.Pow(min(part/ShareUnit, 2), 6))
		if got := Price(load, Scale(largest)); float64(got) != want {
			t.Errorf("a load of %d where the largest is %d has the price %d, want %g", load, largest, got, want)
		}
	})
}

// TestRounds: hosts send to a place in the rounds that a search over all of them finds.
func TestRounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		places := rapid.Int32Range(1, 40).Draw(t, "places")
		first := rapid.Int32Range(0, places-1).Draw(t, "first")
		n := rapid.Int32Range(1, places-first).Draw(t, "hosts")
		to := rapid.Int32Range(0, places-1).Draw(t, "to")
		var want, got, cells []int32
		for round := range places {
			cells = append(cells, round)
			for host := first; host < first+n; host++ {
				if (host+round)%places == to {
					want = append(want, round)
				}
			}
		}
		now, later := Cells(cells, FirstRound(first, n, to, places), n)
		got = append(slices.Clone(now), later...)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%d hosts from place %d of %d send to %d in rounds %v, want %v", n, first, places, to, got, want)
		}
	})
}
