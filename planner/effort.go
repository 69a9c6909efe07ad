package planner

import (
	"context"
	"fmt"
)

// Effort says how many engines Auto tries. The zero value is Usual.
type Effort uint8

// The efforts.
const (
	Usual Effort = iota // a few times the effort of the engine that it chooses
	Low                 // the first engine with a proven Plan
	Most                // all engines, though one may be known to be the best, and more bisections
)

var effortNames = [...]string{Usual: "usual", Low: "low", Most: "most"}

// String returns the name of an Effort.
func (e *Effort) String() string { return effortNames[*e] }

// Set takes the name of an Effort.
func (e *Effort) Set(name string) error {
	for i, has := range effortNames {
		if has == name {
			*e = Effort(i)
			return nil
		}
	}
	return fmt.Errorf("%q is none of low, usual and most", name)
}

// Type is the kind of value, for the help of commands.
func (*Effort) Type() string { return "EFFORT" }

const (
	// mostRuns is the number of bisections with Most.
	mostRuns = 400
	// timesMost multiplies the usual bound of all trials with Most.
	timesMost = 10
)

// hurried returns a context that ends with Request.Enough too. Call end when the job is done.
func (req *Request) hurried(ctx context.Context) (hurried context.Context, end func()) {
	if req.Enough == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-req.Enough:
			cancel()
		case <-ctx.Done():
		}
	}()
	return untilEnough{ctx, req}, cancel
}

// untilEnough is a context that ends with Enough. Err says so at once, not only when the goroutine
// of hurried has run.
type untilEnough struct {
	context.Context
	req *Request
}

// Err returns why the job ends, nil if it does not.
func (c untilEnough) Err() error {
	if c.req.hasEnough() {
		return context.Canceled
	}
	return c.Context.Err()
}

// hasEnough reports whether the job is to end with the best Plan so far.
func (req *Request) hasEnough() bool {
	select {
	case <-req.Enough:
		return true
	default: // also without Enough
		return false
	}
}
