package sm

import (
	"context"
	"errors"
	"time"

	"weft/wire/mad"
)

// ErrNoLink ends a Run whose port has no link any more, where Runner.Leaves says so.
var ErrNoLink = errors.New("sm: our own port has no link any more")

// lookAtLink is the time between two looks of a Runner that leaves at the link of our port. Two looks in a row must find none.
const lookAtLink = 100 * time.Millisecond

// lookAtLink ends the Run when our port has no link. It returns what tells of the next look; nil where there is none.
func (d *run) lookAtLink(ctx context.Context, next <-chan time.Time) <-chan time.Time {
	short, cancel := context.WithTimeout(ctx, lookAtLink)
	defer cancel()
	switch p, err := d.requester.Transport().Port(short); {
	case err != nil: // a Transport that has died says so by itself
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
	d.failure = errors.Join(d.failure, d.requester.Close(context.Background())) // what is under way ends now, cancelled
	return nil
}
