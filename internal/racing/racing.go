// Package racing lets tests choose small cases under the race detector, where computations take five
// to twenty times as long. Imported by tests only.
package racing

import "testing"

// Small reports whether a test runs under the race detector with -short, as in CI: a case that sends
// its loops over several cores once is enough there.
func Small() bool { return watched && testing.Short() }

// SkipLong skips a long test where Small is true: one whose loops on several cores are run by others
// of its package, or one that runs a machine in virtual time, in a single goroutine.
func SkipLong(tb testing.TB) {
	tb.Helper()
	if Small() {
		tb.Skip("long under the race detector")
	}
}
