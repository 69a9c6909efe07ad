// Package racing lets tests choose small cases under the race detector, where computations take
// five to twenty times as long. Only tests import it.
package racing

import "testing"

// Small reports whether a test runs under the race detector with -short, as in CI: then it is
// enough to run a case's loops on several cores once.
func Small() bool { return watched && testing.Short() }

// SkipLong skips a long test if Small is true, for a test whose parallel loops other tests of its
// package run too, or one that simulates a machine in a single goroutine.
func SkipLong(tb testing.TB) {
	tb.Helper()
	if Small() {
		tb.Skip("long under the race detector")
	}
}
