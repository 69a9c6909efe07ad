package concurrent

import (
	"context"
	"iter"
	"time"

	"weft/mapping"
)

// coroutine runs a mapper from probe to probe. The caller takes each probe from next, and sets
// reply and took before it calls next again.
type coroutine struct {
	next  func() ([]mapping.Turn, bool) // the next probe; false after the mapper has ended
	stop  func()
	reply mapping.Reply
	took  time.Duration
}

// newCoroutine prepares a mapper. Stopping it ends its context, and it sends no more probes.
func newCoroutine(ctx context.Context, run func(context.Context, mapping.Prober)) *coroutine {
	c := &coroutine{}
	c.next, c.stop = iter.Pull(func(yield func([]mapping.Turn) bool) {
		ctx, end := context.WithCancel(ctx)
		defer end()
		run(ctx, mapping.ProbeFunc(func(turns []mapping.Turn) (mapping.Reply, time.Duration) {
			if !yield(turns) {
				end()
				return mapping.Reply{}, 0
			}
			return c.reply, c.took
		}))
	})
	return c
}
