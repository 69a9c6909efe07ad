// Package par runs loops on several cores. The results of a loop body must depend on its index
// only, never on the worker or the order, so that they are the same on any number of cores.
//
// progress.go counts the finished steps of the running loop for a progress bar. gate.go lets loops
// rest while something more urgent needs the processor. Under the race detector a worker lets
// others run now and then (yield_race.go).
package par

import (
	"context"
	"sync"
	"sync/atomic"
)

// For calls body(worker, i) for every i in [0, n), on up to workers goroutines (at least one);
// worker is in [0, workers) and selects scratch memory. It stops handing out indices when ctx ends
// or body fails, waits for running calls, and returns the error of the lowest failed index, or of
// ctx. A Progress in ctx sees its progress.
func For(ctx context.Context, workers, n int, body func(worker, i int) error) error {
	workers = max(1, min(workers, n))
	var (
		next   atomic.Int64
		failed atomic.Bool
		wg     sync.WaitGroup
		mu     sync.Mutex
		first  error
		at     = n
	)
	progress, loop := enter(ctx, n)
	if progress != nil {
		defer progress.loop.Store(nil)
	}
	work := func(worker int) {
		for !failed.Load() && ctx.Err() == nil {
			yield()
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if err := body(worker, i); err != nil {
				mu.Lock()
				if i < at {
					first, at = err, i
				}
				mu.Unlock()
				failed.Store(true)
			}
			if loop != nil {
				loop.done.Add(1)
			}
		}
	}
	for w := 1; w < workers; w++ {
		wg.Go(func() { work(w) })
	}
	work(0)
	wg.Wait()
	if first != nil {
		return first
	}
	return ctx.Err()
}
