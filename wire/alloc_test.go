//go:build !race

package wire_test

import (
	"testing"

	"weft/wire"
	"weft/wire/loop"
)

// TestNoAllocation: a request costs no allocation. The race detector makes
// sync.Pool forget, so it is left out there.
func TestNoAllocation(t *testing.T) {
	r := requester(t, loop.New(echo, loop.Options{}), wire.Options{})
	q, ended := nodeInfo(t), make(chan error, 1)
	q.Done = func(res *wire.Result) { ended <- res.Err }
	if n := testing.AllocsPerRun(2000, func() {
		r.Start(q)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations a request", n)
	}
}
