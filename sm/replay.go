package sm

import (
	"context"
	"time"

	"weft/sm/recording"
	"weft/sm/round"
	"weft/sm/terms"
	"weft/sm/watch"
)

// Replay gives a new Manager all events of a recording, and computes its Plans again. See, which may be nil, is shown every event with
// the actions that follow. It ends with an error if other actions follow than were recorded.
func Replay(ctx context.Context, r *recording.Recording, see func(now time.Duration, ev *terms.Event, actions []terms.Action)) error {
	return recording.Player{Machine: watch.NewManager(r.Made.Config, r.Made.Watch), Plan: round.Plan}.Play(ctx, r, see)
}
