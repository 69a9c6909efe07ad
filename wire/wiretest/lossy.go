package wiretest

import (
	"math/rand/v2"
	"time"

	"weft/wire"
	"weft/wire/loop"
)

// Lossy makes the medium of a subnet unreliable: it loses one in twenty requests and answers,
// repeats another one, and delays one in five answers by up to lateBy, so that others overtake it.
// The same seed gives the same faults to the same sequence. r must answer at once or never.
func Lossy(r loop.Responder, seed uint64, lateBy time.Duration) loop.Responder {
	rng := rand.New(rand.NewPCG(seed, 0))
	copies := func() int {
		switch p := rng.Float64(); {
		case p < 0.05:
			return 0
		case p < 0.10:
			return 2
		}
		return 1
	}
	return func(d *wire.Datagram, reply func(*wire.Datagram)) {
		for range copies() {
			var request wire.Datagram
			request.CopyFrom(d)
			r(&request, func(answer *wire.Datagram) {
				for range copies() {
					if rng.Float64() >= 0.2 {
						reply(answer)
						continue
					}
					var late wire.Datagram
					late.CopyFrom(answer)
					time.AfterFunc(time.Duration(rng.Int64N(int64(lateBy)))+1, func() { reply(&late) })
				}
			})
		}
	}
}
