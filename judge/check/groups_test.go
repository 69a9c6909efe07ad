package check

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/route"
)

// With one LID a port all rules of choice allow the same, and rows make the judge keep a
// mask for each source instead of sets for groups: the Report is the same.
func TestGroupsLikeSingleSources(t *testing.T) {
	for _, formula := range []string{"rlft(8,3)|fail(links=9,seed=1)", "kautz(3,3,hosts=90)", "torus(4x4,hosts=2)|ports(2)"} {
		for seed := range uint64(8) {
			g, p := plan(t, formula, "updn", 0, nil)
			randomSLs(g, p, rand.New(rand.NewPCG(seed, 1)))
			if seed%4 > 1 {
				selfSLs(g, p)
			}
			p.Service = route.Service{Default: uint8(seed % 3), ReplySameSL: seed%2 == 0}
			var reports [4]string
			for i, choice := range []route.Choice{{}, {By: route.BaseLID}, {By: route.HashedLID}, route.NewChoice(g.NumEnds, nil)} {
				p.Choice = choice
				r, err := Judge(context.Background(), g, p, Options{Workers: 2})
				if err != nil {
					t.Fatal(err)
				}
				text, err := json.MarshalIndent(r, "", " ")
				if err != nil {
					t.Fatal(err)
				}
				reports[i] = string(text)
			}
			for i, report := range reports[1:] {
				if diff := cmp.Diff(reports[0], report); diff != "" {
					t.Errorf("%s, seed %d: groups -, sources by rule %d +\n%s", formula, seed, i+1, diff)
				}
			}
		}
	}
}

// randomSLs puts ends and LIDs into classes at random, and gives few SLs often, the
// others seldom.
func randomSLs(g *fabric.Graph, p *route.Plan, rng *rand.Rand) {
	numSrc, numDst := 1+rng.IntN(g.NumEnds), 1+rng.IntN(g.NumEnds)
	src, dst := make([]int32, g.NumEnds), make([]int32, int(p.Ends.Top())+1)
	for i := range src {
		src[i] = int32(rng.IntN(numSrc))
	}
	for i := range dst {
		dst[i] = int32(rng.IntN(numDst))
	}
	p.SL = route.NewSLs(src, dst, numSrc, numDst)
	for s := range int32(numSrc) {
		for d := range int32(numDst) {
			if rng.IntN(40) == 0 {
				p.SL.Set(s, d, uint8(rng.IntN(6)))
			}
		}
	}
	if row := (numSrc + 1) / 2; numSrc%2 == 1 {
		for end := row; end <= len(p.SL.Cells); end += row {
			p.SL.Cells[end-1] |= 0xF0 // what no class has
		}
	}
	p.SL2VL = route.UniformVL(g, route.VLTable{0, 1, 2, 3, 4, 5, 6})
	p.VLs = 6
}

// selfSLs gives every end port a class of its own, and an SL to what no packet is sent
// on: that to itself.
func selfSLs(g *fabric.Graph, p *route.Plan) {
	old := p.SL
	src, dst := make([]int32, g.NumEnds), make([]int32, len(old.Dst))
	for e, base := range p.Ends.Base {
		src[e], dst[base] = int32(e), int32(e)
	}
	p.SL = route.NewSLs(src, dst, g.NumEnds, g.NumEnds)
	for s := range int32(g.NumEnds) {
		for d, base := range p.Ends.Base {
			p.SL.Set(s, int32(d), old.At(s, base))
		}
		p.SL.Set(s, s, 6)
	}
}

func TestNotZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 10_000 {
		row, want := make([]uint8, rng.IntN(40)), []int32{7}
		for i := range 2 * len(row) {
			if rng.IntN(3) == 0 {
				row[i/2] |= uint8(1+rng.IntN(15)) << (4 * (i % 2))
				want = append(want, int32(i))
			}
		}
		if got := notZero([]int32{7}, row); !slices.Equal(got, want) {
			t.Fatalf("%v: %v, want %v", row, got, want)
		}
	}
}
