package sm

import (
	"context"
	"time"

	"weft/sm/recording"
	"weft/sm/round/planning"
	"weft/sm/terms"
	"weft/sm/watch"
)

// Replay gives a new Manager all events of a recording, and computes its Plans again. It shows see,
// unless nil, each event and the actions that follow. Other actions than recorded are an error.
func Replay(ctx context.Context, r *recording.Recording, see func(now time.Duration, ev *terms.Event, actions []terms.Action)) error {
	return recording.Player{Machine: watch.NewManager(r.Made.Config, r.Made.Watch), Plan: planning.Plan}.Play(ctx, r, see)
}
