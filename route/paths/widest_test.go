package paths_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/route"
	"weft/route/paths"
)

// Pair by pair, shortest-widest takes one of the shortest legal ways whose heaviest
// link, or all of whose links together, have as few paths as can be: all ways are looked at.
func TestShortestWidest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		sum := rapid.Bool().Draw(t, "sum")
		in.Options = route.Options{"weight": map[bool]string{false: "heaviest", true: "sum"}[sum], "order": rapid.SampledFrom([]string{"drawn", "switch"}).Draw(t, "order")}
		g := in.Graph
		s := compute(t, "shortest-widest", in)
		way := map[[2]int32][]int32{}
		for p, w := range allWays(s) {
			way[[2]int32{s.Source(p), s.Dest(p)}] = w
		}
		level := levels(g, paths.RootOf(&in))
		legal := func(c, d int32) bool { return goesUp(g, level, c) || !goesUp(g, level, d) }
		load := make([]int, g.NumChannels)
		heaviest := func(way []int32) (most int) {
			for _, c := range way {
				if sum {
					most += load[c]
				}
				most = max(most, load[c])
			}
			return most
		}
		order := paths.HostOrder(&in)
		for _, src := range order {
			for _, dst := range order {
				taken, ok := way[[2]int32{src, dst}]
				if !ok || g.EndSwitch[src] == g.EndSwitch[dst] {
					continue
				}
				all := simpleWays(g, legal, g.EndSwitch[src], g.EndSwitch[dst])
				all = slices.DeleteFunc(all, func(w []int32) bool { return len(w) > len(taken) })
				for _, w := range all {
					if heaviest(w) < heaviest(taken) {
						t.Fatalf("%d to %d goes by %v, with %d paths on a link; %v has %d", src, dst, taken, heaviest(taken), w, heaviest(w))
					}
				}
				for _, c := range taken {
					load[c]++
				}
			}
		}
	})
}
