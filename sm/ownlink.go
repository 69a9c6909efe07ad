package sm

import (
	"context"
	"errors"
	"time"

	"weft/wire/mad"
)

// ErrNoLink ends a Run whose port has lost its link, if Runner.Leaves says so.
var ErrNoLink = errors.New("sm: our own port has lost its link")

// lookAtLink is the interval at which a Runner with Leaves checks the link of our port. Two checks
// in a row must find none.
const lookAtLink = 100 * time.Millisecond

// lookAtLink ends the Run when our port has no link. It returns the channel of the next check; nil
// for none.
func (d *run) lookAtLink(ctx context.Context, next <-chan time.Time) <-chan time.Time {
	short, cancel := context.WithTimeout(ctx, lookAtLink)
	defer cancel()
	switch p, err := d.requester.Transport().Port(short); {
	case err != nil: // a dead Transport reports that by itself
		return next
	case p.State >= mad.PortInit:
		d.linkless = 0
		return next
	}
	if d.linkless++; d.linkless < 2 {
		return next
	}
	d.failure = errors.Join(ErrNoLink, d.failure)
	d.stop(ctx)
	d.failure = errors.Join(d.failure, d.requester.Close(context.Background())) // requests under way end now, cancelled
	return nil
}
