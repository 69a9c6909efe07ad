package fold

import "testing"

// TestCount: only 1 is one.
func TestCount(t *testing.T) {
	for n, want := range []string{"0 entries", "1 entry", "2 entries"} {
		if got := Count(n, "entry", "entries"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
