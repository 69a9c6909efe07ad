package check

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/judge/check/internal/search"
	"weft/route"
)

// What cyclicSLs leaves of all traffic is what the components of the whole graph of VLs
// leave, no cycle of hosts is lost, and the same cycle is found in it.
func TestOnCyclesLikeComponents(t *testing.T) {
	cycles := 0
	for _, formula := range []string{"kautz(3,3,hosts=90)", "torus(5x5,hosts=2)", "torus(4x4,hosts=2)|ports(2)"} {
		for seed := range uint64(6) {
			g, p := plan(t, formula, "minhop", 0, nil)
			randomSLs(g, p, rand.New(rand.NewPCG(seed, 2)))
			p.Service = route.Service{Default: uint8(seed % 3), ReplySameSL: seed%2 == 0}
			j := prepare(g, p, 2, room{})
			if err := j.walk(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			left, err := j.cyclicSLs(context.Background())
			if err != nil || left == nil {
				t.Fatal(formula, err, "VLs are not kept")
			}
			nv := len(j.lanes.vls)
			for _, traffic := range []int{assigned, hostOnly, noRecord} {
				want, _ := j.dependencies(traffic).ShortestCycle(search.LengthStep(g))
				rest := j.cyclicPart(traffic, left)
				got, _ := rest.ShortestCycle(search.LengthStep(g))
				for i, x := range got {
					got[i] = rest.Names[x]
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%s, seed %d, traffic %d: cycle %v in what is left, %v in all", formula, seed, traffic, got, want)
				}
				part, _ := j.dependencies(traffic).Components()
				for x, number := range part {
					c := int32(x / nv)
					field, bit := j.lanes.field(left[c], traffic), uint64(0)
					for i, v := range j.keepsVL(c)[:len(j.lanes.sls)] {
						if int(v) == x%nv {
							bit = field >> i & 1
						}
					}
					on := number >= 0
					if on && bit == 0 || traffic != hostOnly && !on && bit == 1 {
						t.Fatalf("%s, seed %d, traffic %d: node %d is on a cycle %v, left %d", formula, seed, traffic, x, on, bit)
					}
					if on {
						cycles++
					}
				}
			}
		}
	}
	if cycles == 0 {
		t.Error("no cycle was met")
	}
}
