package par

import (
	"context"
	"sync/atomic"
)

// Progress shows the progress of the loop running under a context: of the outermost one if loops
// are nested.
type Progress struct {
	loop  atomic.Pointer[loopState]
	begun atomic.Int64 // loops so far
}

// loopState is a running loop.
type loopState struct {
	number int64 // of the loop, from 1
	total  int
	done   atomic.Int64
}

// progressKey is the key of a Progress in a context.
type progressKey struct{}

// WithProgress makes the loops under the context report to p.
func WithProgress(ctx context.Context, p *Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
}

// enter notes a loop of n steps. It returns nil if there is no Progress, or an outer loop is
// already noted.
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

// Steps notes work of n steps as the running loop until end is called; nested loops are not noted.
// Call step after each step. It is for loops with long bodies that know their progress.
func Steps(ctx context.Context, n int) (step, end func()) {
	progress, loop := enter(ctx, n)
	if progress == nil {
		return func() {}, func() {}
	}
	return func() { loop.done.Add(1) }, func() { progress.loop.Store(nil) }
}

// Share returns the finished share of the running loop, from 0 to 1, and the loop's number; between
// loops the number is 0.
func (p *Progress) Share() (loop int64, share float64) {
	now := p.loop.Load()
	if now == nil || now.total == 0 {
		return 0, 0
	}
	return now.number, float64(now.done.Load()) / float64(now.total)
}
