package wiretest

import (
	"runtime"
	"testing"
	"time"
)

// NoLeaks fails the test if, after all its other clean-ups, more goroutines run than when NoLeaks
// was called. The test must not be parallel.
func NoLeaks(tb testing.TB) {
	tb.Helper()
	before := runtime.NumGoroutine()
	tb.Cleanup(func() {
		const pause = 10 * time.Millisecond
		for range int(patience / pause) {
			if runtime.NumGoroutine() <= before {
				return
			}
			<-time.NewTimer(pause).C
		}
		stacks := make([]byte, 1<<16)
		stacks = stacks[:runtime.Stack(stacks, true)]
		tb.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks)
	})
}
