package par

import (
	"context"
	"testing"
	"time"
)

// TestRest: a context waits at its gate until that opens or the context ends.
func TestRest(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		var g Gate
		r := g.Rest(ctx)
		if r.Err() != nil {
			t.Fatal("it is not open")
		}
		g.Set(false)
		g.Set(false)
		passed := make(chan error, 1)
		go func() { passed <- r.Err() }()
		select {
		case err := <-passed:
			t.Fatal("it is not shut", err)
		case <-time.After(20 * time.Millisecond):
		}
		if cancelled {
			cancel()
		} else {
			g.Set(true)
		}
		if err := <-passed; (err != nil) != cancelled {
			t.Fatal(err)
		}
		cancel()
	}
}
