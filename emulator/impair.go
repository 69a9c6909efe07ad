package emulator

import (
	"fmt"
	"time"

	"weft/fabric"
	"weft/wire/mad"
)

// Impairment describes the faults of a link, in both directions.
type Impairment struct {
	Loss      float64       // probability, 0 to 1, of losing a datagram
	Duplicate float64       // probability of a second copy a little later
	Late      float64       // probability of a further delay, so that others overtake
	LateBy    time.Duration // maximum of that delay, which is uniform
	Delay     time.Duration // of every datagram
}

func (i *Impairment) active() bool { return *i != Impairment{} }

// validate refuses probabilities and delays that make no sense.
func (i *Impairment) validate() error {
	for _, p := range [...]float64{i.Loss, i.Duplicate, i.Late} {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("emulator: %v is not a probability (want 0 to 1)", p)
		}
	}
	if i.Delay < 0 || i.LateBy < 0 {
		return fmt.Errorf("emulator: delays cannot be negative")
	}
	return nil
}

// Impair sets the Impairment of all links without one of their own.
func (w *wires) Impair(i Impairment) error {
	if err := i.validate(); err != nil {
		return err
	}
	w.common = i
	w.refreshImpaired()
	return nil
}

// ImpairLink gives one link its own Impairment; nil restores the common one.
func (w *wires) ImpairLink(id fabric.LinkID, i *Impairment) error {
	if err := w.checkLink(id); err != nil {
		return err
	}
	if i != nil {
		if err := i.validate(); err != nil {
			return err
		}
		own := *i
		i = &own
	}
	w.cables[id].impairment = i
	w.refreshImpaired()
	return nil
}

func (w *wires) refreshImpaired() {
	w.impaired = w.common.active()
	for c := range w.cables {
		w.impaired = w.impaired || w.cables[c].impairment != nil
	}
}

// survives draws the effect of the link from port out to its peer on a datagram; it returns false
// if the datagram is lost.
func (w *wires) survives(out, peer int32, t *arrival) bool {
	i := w.cables[w.ports[out].cable].impairment
	if i == nil {
		i = &w.common
	}
	if i.Loss > 0 && w.rng.Float64() < i.Loss {
		w.counts[out][mad.CounterXmitPkts]++
		w.counts[peer][mad.CounterRcvErrors]++
		w.counts[peer][mad.CounterSymbolError]++
		return false
	}
	if i.Duplicate > 0 && w.rng.Float64() < i.Duplicate {
		t.duplicated = true
	}
	t.delay += i.Delay
	if i.Late > 0 && i.LateBy > 0 && w.rng.Float64() < i.Late {
		t.delay += time.Duration(w.rng.Int64N(int64(i.LateBy))) + 1
	}
	return true
}

// duplicateDelay draws the delay of a datagram's second copy.
func (w *wires) duplicateDelay() time.Duration {
	return time.Duration(w.rng.Int64N(int64(100*time.Microsecond))) + 1
}
