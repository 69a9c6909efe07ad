package repeat

import (
	"testing"
	"time"
)

func TestLonger(t *testing.T) {
	wait := time.Duration(0)
	for i, want := range []time.Duration{2, 4, 8, 9, 9} {
		if wait = Longer(wait, 2, 9); wait != want {
			t.Errorf("wait %d is %d, not %d", i, wait, want)
		}
	}
}

// TestSeldom: each key is admitted once in a period, whatever others do. The memory is bounded: in
// a period no more keys are admitted than it holds, and in the next one there is room again.
func TestSeldom(t *testing.T) {
	s := Seldom[int]{Every: 10}
	for _, c := range []struct {
		now  time.Duration
		key  int
		want bool
	}{{0, 1, true}, {9, 1, false}, {9, 2, true}, {10, 1, true}, {18, 2, false}, {19, 1, false}, {19, 2, true}} {
		if got := s.Admits(c.now, c.key); got != c.want {
			t.Errorf("key %d at %d: %t", c.key, c.now, got)
		}
	}
	admitted := 0
	for k := range 2 * mostKeys {
		if s.Admits(100, k) {
			admitted++
		}
	}
	if admitted != mostKeys || len(s.last) != mostKeys {
		t.Errorf("%d keys are admitted, %d are held", admitted, len(s.last))
	}
	if !s.Admits(110, 2*mostKeys) || len(s.last) != 1 {
		t.Errorf("%d keys are held in the next period", len(s.last))
	}
}
