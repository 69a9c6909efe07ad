package loop

import (
	"math/rand/v2"
	"time"

	"weft/wire"
)

// Faults decides what happens to a datagram on its way: it appends to delays one
// delay for every copy that arrives. None: it is lost. Two: it is duplicated.
// Unequal delays reorder. A medium calls its Faults for one datagram at a time.
type Faults func(d *wire.Datagram, delays []time.Duration) []time.Duration

// Rates of random faults. Each is the probability, 0 to 1, for one datagram in one
// direction.
type Rates struct {
	Loss      float64
	Duplicate float64
	Late      float64       // arrives after Delay, so that others overtake it
	Delay     time.Duration // of late datagrams, uniformly up to this
}

// Random gives faults at these rates; the same seed gives the same faults to the
// same sequence of datagrams.
func Random(seed uint64, r Rates) Faults {
	rng := rand.New(rand.NewPCG(seed, 0))
	delay := func() time.Duration {
		if r.Delay <= 0 || rng.Float64() >= r.Late {
			return 0
		}
		return time.Duration(rng.Int64N(int64(r.Delay))) + 1
	}
	return func(_ *wire.Datagram, delays []time.Duration) []time.Duration {
		if rng.Float64() < r.Loss {
			return delays
		}
		delays = append(delays, delay())
		if rng.Float64() < r.Duplicate {
			delays = append(delays, delay())
		}
		return delays
	}
}
