package probe

import "weft/mapping"

// delayable is a prober that counts answers which missed the timeout because a message that had
// collided with itself held a wire.
type delayable interface {
	Delays() int
	WaitLonger()
}

// Patiently lets a host map, and once more with a longer timeout if answers were delayed, since it
// took them for silence. The host learns of a delay from the answer, at most mapping.Hardware.Break
// after its last probe. The second run gets the first result; limit covers both runs, 0 for none.
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
