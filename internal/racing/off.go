//go:build !race

// Package racing says whether the race detector watches a test. Under it computations take five to
// twenty times as long, so that tests choose small cases. Only tests import it.
package racing

// Watched reports whether the race detector is on.
const Watched = false
