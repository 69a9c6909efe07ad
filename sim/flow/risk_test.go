package flow

import "testing"

// TestManyLeaves: on a network of more than 64 leaves the all-to-all risk, and the most pairs on a
// channel, are the same on any number of workers.
func TestManyLeaves(t *testing.T) {
	g := parse(t, "rlft(12,3)") // 72 leaves
	plan := dModK(t, g, 6)
	n := network(t, g, plan)
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
	most := func(workers int) int64 {
		m, err := endPairs(t.Context(), g, plan, workers)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if one, three := most(1), most(3); one == 0 || one != three {
		t.Errorf("%d pairs on a channel by one worker, %d by three", one, three)
	}
}
