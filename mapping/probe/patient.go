package probe

import "weft/mapping"

// delayable is a prober that knows of answers which came after the timeout because a wire
// was held by a message that had collided with itself.
type delayable interface {
	Delays() int
	WaitLonger()
}

// Patiently lets a host map, and once more with a longer timeout when answers were delayed:
// it took them for silence. Of a delay the host learns by the answer, at most
// mapping.Hardware.Break after its last probe. The second time is told what the first
// made; the limit is what is left of one, 0 for none.
func Patiently[R any](p mapping.Prober, limit int, sent func(R) int, run func(limit int, before R) (R, error)) (R, error) {
	var none R
	d, ok := p.(delayable)
	if !ok {
		return run(limit, none)
	}
	delays := d.Delays()
	r, err := run(limit, none)
	if err != nil || d.Delays() == delays {
		return r, err
	}
	d.WaitLonger()
	if limit > 0 {
		limit = max(1, limit-sent(r))
	}
	return run(limit, r)
}
