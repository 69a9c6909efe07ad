package watch

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"weft/internal/racing"
	"weft/sm/terms"
)

var hasty = flag.Int("hasty", 3, "seeds of TestHastyTakeovers, of 30 faults each")

// TestHastyTakeovers: managers die and return in turn at any moment, in the middle of takeovers and
// handovers too, while customers register, subscribe, join and leave. A master of some time has
// everything acknowledged since clients were last asked to register again.
func TestHastyTakeovers(t *testing.T) {
	racing.SkipLong(t)
	faults, asked := 0, 0
	for seed := *takeoverSeed; seed < *takeoverSeed+uint64(*hasty); seed++ {
		m := newMarket(t, "rlft(6,2)", seed, 3)
		m.wrote = func(_ *virtual, a *terms.Action) {
			if a.Kind != terms.Note || a.Incident.Kind != terms.Reregistration {
				return
			}
			if m.acks > 0 {
				asked++
			}
			for name := range m.acked { // customers do not register again: nobody knows what is there
				m.open[name] = true
			}
		}
		for i := range m.managers {
			m.start(i)
			m.run(time.Duration(m.rng.IntN(3000))*time.Millisecond, false)
		}
		m.run(20*time.Second, false)
		for range 30 {
			m.run(time.Duration(m.rng.IntN([]int{50, 500, 3000, 12000}[m.rng.IntN(4)]))*time.Millisecond, true)
			at := m.rng.IntN(len(m.managers))
			if n, master := masters(m.living()); n == 1 && m.rng.IntN(2) == 0 {
				at = slices.Index(m.managers, master)
			}
			if v := m.managers[at]; v != nil && len(m.living()) > 1 {
				m.sub.Detach(v.id)
				m.managers[at] = nil
				faults++
			} else if v == nil {
				m.start(at)
			}
			if m.rng.IntN(3) > 0 {
				continue
			}
			m.run(12*time.Second, true)
			m.rest()
			if n, master := masters(m.living()); n == 1 {
				m.check(master, fmt.Sprintf("seed %d, %d faults, %d times asked", seed, faults, asked))
			}
		}
		if m.acks == 0 {
			t.Fatalf("seed %d: nothing was acknowledged", seed)
		}
	}
	t.Logf("%d faults, clients were asked to register again %d times", faults, asked)
}
