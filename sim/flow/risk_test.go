package flow

import "testing"

// TestManyLeaves: the all-to-all risk of a network of more than 64 leaves is the same on any number
// of workers.
func TestManyLeaves(t *testing.T) {
	g := parse(t, "rlft(12,3)") // 72 leaves
	n := network(t, g, dModK(t, g, 6))
	pairs, err := n.AllPairs(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	risk := func(workers int) int64 {
		r, err := n.A2A(t.Context(), pairs.Targets, workers)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if one, three := risk(1), risk(3); one == 0 || one != three {
		t.Errorf("risk %d by one worker, %d by three", one, three)
	}
}
