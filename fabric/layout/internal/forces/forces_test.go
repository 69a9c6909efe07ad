package forces

import (
	"math"
	"testing"
)

// TestPlace: in a chain, linked nodes are nearer to each other than nodes two links apart, and all
// places differ.
func TestPlace(t *testing.T) {
	const n = 12
	var links [][2]int32
	for i := range int32(n - 1) {
		links = append(links, [2]int32{i, i + 1})
	}
	x, y := Place(n, links)
	distance := func(i, j int) float64 { return math.Hypot(x[i]-x[j], y[i]-y[j]) }
	for i := range n - 2 {
		if distance(i, i+1) >= distance(i, i+2) {
			t.Errorf("node %d is %.2f away from the next one and %.2f from the one behind it", i, distance(i, i+1), distance(i, i+2))
		}
	}
	for i := range n {
		for j := range i {
			if distance(i, j) < 0.1 {
				t.Errorf("nodes %d and %d are in one place", i, j)
			}
		}
	}
}
