package wiretest

import (
	"runtime"
	"testing"
	"time"
)

// NoLeaks fails the test when, once all its other clean-ups are done, more
// goroutines run than when NoLeaks was called. The test must not be parallel.
func NoLeaks(tb testing.TB) {
	tb.Helper()
	before := runtime.NumGoroutine()
	tb.Cleanup(func() {
		for range 200 {
			if runtime.NumGoroutine() <= before {
				return
			}
			<-time.NewTimer(10 * time.Millisecond).C
		}
		stacks := make([]byte, 1<<16)
		stacks = stacks[:runtime.Stack(stacks, true)]
		tb.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks)
	})
}
