package peaks

import (
	"testing"

	"pgregory.net/rapid"

	"weft/route/engine/conformance"
)

// TestJoin: of all the peaks of a connected part one is left, and what is not raised above
// all keeps its height.
func TestJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		height := make([]int32, g.NumSwitches)
		part := make([]int32, g.NumSwitches) // by switch: number of its part from 1 on, 0 when drained
		var parts [][]int32
		for s := range int32(g.NumSwitches) {
			height[s] = Bottom
			if !g.Drained[s] {
				height[s] = int32(rapid.IntRange(0, 3).Draw(t, "height"))
			}
			if g.Drained[s] || part[s] > 0 {
				continue
			}
			part[s] = int32(len(parts) + 1)
			list := []int32{s}
			for k := 0; k < len(list); k++ {
				for _, c := range g.OutOf(list[k]) {
					if v := g.To[c]; !g.Drained[v] && part[v] == 0 {
						part[v] = part[s]
						list = append(list, v)
					}
				}
			}
			parts = append(parts, list)
		}
		before := append([]int32(nil), height...)
		for _, among := range parts {
			Join(g, among, height)
			peaks := 0
			for _, s := range among {
				if isPeak(g, s, height) {
					peaks++
				}
				if height[s] >= 0 && height[s] != before[s] {
					t.Fatalf("switch %d was at height %d and is at %d", s, before[s], height[s])
				}
			}
			if peaks != 1 {
				t.Fatalf("%d peaks in a part of %d switches", peaks, len(among))
			}
		}
	})
}
