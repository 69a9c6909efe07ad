package main

import "testing"

// TestEdits: every edit of the lists has its place in the code.
func TestEdits(t *testing.T) {
	edits, err := readEdits("../..")
	if err != nil || len(edits) == 0 {
		t.Errorf("%d edits, %v", len(edits), err)
	}
}
