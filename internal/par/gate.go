package par

import (
	"context"
	"sync"
)

// Gate lets work rest: loops poll their context all the time, and a context of Rest waits there
// while its Gate is shut. It is open at first. A nil Gate is always open.
type Gate struct {
	mu     sync.Mutex
	opened chan struct{} // closed when the gate opens; nil while it is open
}

// Set opens or shuts the gate.
func (g *Gate) Set(open bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case open && g.opened != nil:
		close(g.opened)
		g.opened = nil
	case !open && g.opened == nil:
		g.opened = make(chan struct{})
	}
}

// Rest returns a context whose Err waits while the gate is shut, until the context ends.
func (g *Gate) Rest(ctx context.Context) context.Context {
	if g == nil {
		return ctx
	}
	return resting{ctx, g}
}

// pass waits until the gate is open or the context ends.
func (g *Gate) pass(ctx context.Context) {
	g.mu.Lock()
	opened := g.opened
	g.mu.Unlock()
	if opened == nil {
		return
	}
	select {
	case <-opened:
	case <-ctx.Done():
	}
}

// resting is a context whose Err waits while a gate is shut.
type resting struct {
	context.Context
	gate *Gate
}

// Err returns why the context has ended, nil if it has not.
func (r resting) Err() error {
	r.gate.pass(r.Context)
	return r.Context.Err()
}
