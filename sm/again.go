package sm

import (
	"context"
	"time"
)

// Replay gives a new Manager all events of a recording, and computes its Plans again. See, which may be nil, is shown every event with
// the actions that follow. It ends with an error if other actions follow than were recorded.
func Replay(ctx context.Context, r *Recording, see func(now time.Duration, ev *Event, actions []Action)) error {
	return Player{NewManager(r.Made.Config, r.Made.Watch), Plan}.Play(ctx, r, see)
}
