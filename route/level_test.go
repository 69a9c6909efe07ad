package route

import (
	"testing"

	"pgregory.net/rapid"

	"weft/route/routetest"
)

// TestLevelArbitration: a VL has turns in the list of its level's priority alone, in proportion to
// the shares where a list has room for it, and nearly so elsewhere. A VL that no level uses has the
// share of the first level.
func TestLevelArbitration(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := routetest.Line(t, 2, 2).Compile()
		n := rapid.IntRange(1, 2).Draw(rt, "SLs of paths")
		levels := rapid.IntRange(1, 6).Draw(rt, "levels")
		p := &Plan{VLs: n*levels + rapid.IntRange(0, 2).Draw(rt, "VLs of no level")}
		p.SL = NewSLs(make([]int32, g.NumEnds), []int32{0}, n, 1)
		var table VLTable
		for sl := range table {
			if sl < n*levels {
				table[sl] = uint8(sl)
			}
		}
		p.SL2VL = UniformVL(g, table)
		shares, high := make([]int, p.VLs), make([]bool, p.VLs)
		for i := range levels {
			l := Level{Share: uint8(rapid.IntRange(1, 9).Draw(rt, "share")), High: rapid.Bool().Draw(rt, "high")}
			for k := range n {
				p.SL.Set(int32(k), 0, uint8(k))
				l.SL[k] = uint8(i*n + k)
				shares[i*n+k], high[i*n+k] = int(l.Share), l.High
			}
			p.Levels = append(p.Levels, l)
		}
		for vl := n * levels; vl < p.VLs; vl++ {
			shares[vl] = shares[0]
		}
		p.Arbitration = p.LevelArbitration(g)
		exact := true
		for _, table := range p.Arbitration.Pool {
			if table.Limit != highLimit {
				rt.Fatalf("limit %d", table.Limit)
			}
			exact = sameShares(rt, table.High, shares, high, true) && exact
			exact = sameShares(rt, table.Low, shares, high, false) && exact
		}
		if p.SharesAreExact() != exact {
			rt.Fatalf("exact: %v, want %v", !exact, exact)
		}
	})
}

// sameShares compares the turns of a list with the shares of the VLs that belong to it. It reports
// whether they are exact.
func sameShares(t *rapid.T, list []ArbEntry, shares []int, high []bool, is bool) (exact bool) {
	weight := make([]int, len(shares))
	for _, e := range list {
		weight[e.VL] += int(e.Weight)
	}
	unit, most, vls := 0, 1, 0
	for vl, share := range shares {
		if high[vl] != is {
			if weight[vl] != 0 {
				t.Fatalf("VL %d has turns in both lists: %v", vl, list)
			}
			continue
		}
		unit = commonUnit(unit, share)
		vls, most = vls+1, max(most, share)
	}
	entries := 0
	for vl, share := range shares {
		if high[vl] == is {
			entries += (share/unit + 2) / 3 // 3 large packets an entry
		}
	}
	exact = entries <= entriesOfPort
	for vl, share := range shares {
		want := share * 255 / most
		if exact {
			want = share / max(unit, 1) * fullPacket
		}
		if high[vl] == is && weight[vl] != want {
			t.Fatalf("VL %d has weight %d, want %d: shares %v, list %v", vl, weight[vl], want, shares, list)
		}
	}
	if len(list) > max(entriesOfPort, vls) {
		t.Fatalf("%d entries for %d VLs: %v", len(list), vls, list)
	}
	return exact
}

// commonUnit is the greatest number that divides both, by trying all; the other one where one is 0.
func commonUnit(a, b int) int {
	for k := max(a, b); ; k-- {
		if a%k == 0 && b%k == 0 {
			return k
		}
	}
}
