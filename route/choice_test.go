package route

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
)

// A Choice answers as the rows say, whatever their order and however often they
// are repeated; a pair without a row uses the base LID.
func TestChoice(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(rt, "ends")
		end := rapid.Int32Range(0, int32(n-1))
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) ChoiceRow {
			return ChoiceRow{end.Draw(t, "source"), end.Draw(t, "target"), rapid.Uint8Range(0, 4).Draw(t, "offset")}
		}), 0, 30).Draw(rt, "rows")
		given := slices.Clone(rows)
		c := NewChoice(n, rows)
		if !slices.Equal(rows, given) {
			rt.Fatal("the rows were changed")
		}
		p := Plan{Choice: c, Ends: Ends{Base: make([]fabric.LID, n), LMC: make([]uint8, n)}}
		for e := range n {
			p.Ends.Base[e], p.Ends.LMC[e] = fabric.LID(8*(e+1)), 3
		}
		for s := range int32(n) {
			for d := range int32(n) {
				var want []uint8
				for o := range uint8(8) {
					if slices.Contains(rows, ChoiceRow{s, d, o}) {
						want = append(want, o)
					}
				}
				if want == nil {
					want = []uint8{0}
				}
				if got := c.Offsets(s, d); !slices.Equal(got, want) {
					rt.Fatalf("offsets from %d to %d: %v, want %v", s, d, got, want)
				}
				for o := range uint8(8) {
					if p.Uses(s, d, p.Ends.Base[d]+fabric.LID(o)) != slices.Contains(want, o) {
						rt.Fatalf("whether %d uses offset %d of %d, want %v", s, o, d, want)
					}
				}
			}
		}
	})
}

func TestNoChoice(t *testing.T) {
	p := Plan{Ends: Ends{Base: []fabric.LID{4, 8}, LMC: []uint8{2, 2}}}
	if !p.Uses(0, 1, 8) || !p.Uses(0, 1, 11) {
		t.Error("without a Choice a source may not use every LID")
	}
}

// TestHashedOffset: sources of consecutive blocks of LIDs use all LIDs of a target equally,
// though base LIDs are multiples of the size of a block.
func TestHashedOffset(t *testing.T) {
	for lmc := range uint8(4) {
		for _, count := range []int{1, 2, 8} {
			uses := make([]int, count)
			for block := range 16 {
				uses[HashedOffset(fabric.LID(block<<lmc), lmc, count)]++
			}
			for offset, n := range uses {
				if n != 16/count {
					t.Errorf("LMC %d: %d of 16 sources use offset %d of %d", lmc, n, offset, count)
				}
			}
		}
	}
}
