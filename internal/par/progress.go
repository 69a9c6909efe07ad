package par

import (
	"context"
	"sync/atomic"
)

// Progress tells how far the loop is that runs under a context: the outermost one, where loops
// run within loops.
type Progress struct {
	loop  atomic.Pointer[loopState]
	begun atomic.Int64 // loops so far
}

// loopState is a loop under way.
type loopState struct {
	number int64 // of the loop, from 1
	total  int
	done   atomic.Int64
}

// progressKey is the key of a Progress in a context.
type progressKey struct{}

// WithProgress makes the loops under the context tell p how far they are.
func WithProgress(ctx context.Context, p *Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
}

// enter notes a loop of n steps. It returns nil where nobody asked, or a loop around it is noted.
func enter(ctx context.Context, n int) (p *Progress, loop *loopState) {
	p, asked := ctx.Value(progressKey{}).(*Progress)
	if !asked {
		return nil, nil
	}
	loop = &loopState{number: p.begun.Add(1), total: n}
	if !p.loop.CompareAndSwap(nil, loop) {
		return nil, nil
	}
	return p, loop
}

// Steps notes work of n steps as the loop under way until end is called, loops within it are not noted; step says that one more is
// done. It is for loops whose bodies take long and know how far they are.
func Steps(ctx context.Context, n int) (step, end func()) {
	progress, loop := enter(ctx, n)
	if progress == nil {
		return func() {}, func() {}
	}
	return func() { loop.done.Add(1) }, func() { progress.loop.Store(nil) }
}

// Share returns how much of the loop under way is done, from 0 to 1, and the number of the
// loop; between loops the number is 0.
func (p *Progress) Share() (loop int64, share float64) {
	now := p.loop.Load()
	if now == nil || now.total == 0 {
		return 0, 0
	}
	return now.number, float64(now.done.Load()) / float64(now.total)
}
