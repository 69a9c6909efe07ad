package dfsssp

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/draws"
	"weft/judge/conformance"
	"weft/route"
	"weft/route/engine/sssp"
	"weft/route/lids"
)

// TestBalanced: hosts send over the paths of package sssp, and the lanes have the paths from
// all switches to all LIDs.
func TestBalanced(t *testing.T) {
	one, several := 0, 0
	draws.Check(t, func(t *rapid.T) {
		formula := rapid.SampledFrom([]string{
			"", "", "rlft(6,3)|fail(links=4,seed=4)", "xgft(3;3,3,3;1,2,3)|fail(links=10,seed=3)", "rlft(8,2)|fail(links=10,seed=4)", "torus(4x4,hosts=1)",
		}).Draw(t, "formula")
		f := conformance.Draw(t)
		if formula != "" {
			f = parse(t, formula)
		}
		g := f.Compile()
		ends, err := lids.Assign(g, lids.Options{LMC: rapid.Uint8Range(0, 1).Draw(t, "LMC")})
		if err != nil {
			t.Fatal(err)
		}
		in := &route.Input{Graph: g, Ends: ends, MaxVLs: 8, Workers: 2}
		plain, err := sssp.Build(t.Context(), in, 2)
		if err != nil {
			t.Fatal(err)
		}
		u, err := chooseUpDown(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		tables, acyclic, err := form{balanced: true, passes: 2, others: true}.build(t.Context(), in, u)
		if errors.Is(err, errLanes) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for end := range int32(g.NumHosts) {
			for k := range ends.Count(end) {
				lid := ends.Base[end] + fabric.LID(k)
				if !g.IsHost(end) {
					continue
				}
				for from := range int32(g.NumHosts) {
					for s := g.EndSwitch[from]; g.IsHost(from) && s >= 0 && s != g.EndSwitch[end]; {
						port := plain.Port(s, lid)
						if got := tables.Port(s, lid); got != port {
							t.Fatalf("LID %d leaves switch %d by port %d, by sssp %d", lid, s, got, port)
						}
						c, _ := g.At(s, port)
						if s = fabric.Nothing; c >= 0 {
							s = g.To[c]
						}
					}
				}
			}
		}
		if acyclic.Lanes() == 1 {
			one++
		} else {
			several++
		}
	}, func() string {
		if min(one, several) == 0 {
			return fmt.Sprintf("%d networks with one lane, %d with several: too few", one, several)
		}
		return ""
	})
}
