package manage

import (
	"context"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"weft/sm/service"
	"weft/sm/terms"
)

// newNotifier returns the connection to systemd; without systemd its messages are dropped.
func newNotifier() *service.Notifier {
	return &service.Notifier{Send: func(state string) {
		_, _ = daemon.SdNotify(false, state) // who cannot be told is not needed
	}}
}

// watchdog reports to systemd that the manager is alive, if systemd asks for it and while the
// manager accepts events.
func (r *serving) watchdog(ctx context.Context) {
	every, err := daemon.SdWatchdogEnabled(false)
	if err != nil || every <= 0 {
		return
	}
	ticks := time.NewTicker(every / 3)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
		if r.ask(ctx, &terms.Event{Kind: terms.Tick}) == nil {
			r.notify.Alive()
		}
	}
}
