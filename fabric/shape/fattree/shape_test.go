package fattree

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
)

// drawPGFT draws a small tree by its parameters, with at least least children and parents.
func drawPGFT(t *rapid.T, least int) string {
	h := rapid.IntRange(2, 4).Draw(t, "levels")
	f := &formula{}
	for i := range h {
		m, w, p := rapid.IntRange(max(2, least), 4).Draw(t, "m"), 1, 1
		if i > 0 {
			w, p = rapid.IntRange(least, 3).Draw(t, "w"), rapid.IntRange(1, 2).Draw(t, "p")
		}
		f.m, f.w, f.p = append(f.m, m), append(f.w, w), append(f.p, p)
	}
	return f.pgft()
}

func parsed(t interface{ Fatal(args ...any) }, formula string) *fabric.Fabric {
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(formula, err)
	}
	return f
}

// TestFormula: every PGFT is recognised by its own parameters.
func TestFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		formula := drawPGFT(t, 1)
		s := Describe(parsed(t, formula).Compile())
		if s.PGFT != formula || len(s.Missing) > 0 || len(s.Irregular) > 0 {
			t.Fatalf("%s is taken for %q, missing %v, irregular %v", formula, s.PGFT, s.Missing, s.Irregular)
		}
	})
}

// TestMergedTrees: of two trees with the same roots or the same leaves the levels do not depend on
// which one comes first: hosts are on level 0 alone, and the roots of the higher tree on the
// highest level.
func TestMergedTrees(t *testing.T) {
	for _, c := range []struct {
		formula string
		levels  []int // switches
	}{
		{"rlft(8,2)|merge(rlft(8,3))", []int{40, 32, 16}},
		{"rlft(8,3)|merge(rlft(8,2))", []int{40, 32, 16}},
		{"rlft(6,2)|merge(rlft(8,3))", []int{38, 32, 16}},
		{"rlft(8,3)|merge(rlft(6,3))", []int{50, 50, 16}},
		{"rlft(8,2)|merge(rlft(8,3),at=leaves)", []int{32, 36, 16}},
		{"rlft(8,3)|merge(rlft(8,2),at=leaves)", []int{32, 36, 16}},
		{"rlft(8,3)|merge(rlft(8,3),links=32)", []int{64, 64, 32}},
	} {
		s := Describe(parsed(t, c.formula).Compile())
		var levels []int
		for i, l := range s.Levels {
			levels = append(levels, l.Switches)
			if (l.Hosts.Max > 0) != (i == 0) {
				t.Errorf("%s: %d hosts on a switch of level %d", c.formula, l.Hosts.Max, i)
			}
		}
		if !s.Tree || !slices.Equal(levels, c.levels) {
			t.Errorf("%s: tree %v, levels %v, want %v", c.formula, s.Tree, levels, c.levels)
		}
	}
}

// distanceProfile is how many pairs of switches are how far apart, with how many shortest
// ways: alike in networks that are alike.
func distanceProfile(g *fabric.Graph) string {
	times := map[[2]int32]int{}
	for s := range int32(g.NumSwitches) {
		search := g.NewSearch(nil)
		search.From(s)
		far := search.Hops
		ways := make([]int32, g.NumSwitches)
		ways[s] = 1
		order := make([]int32, g.NumSwitches)
		for v := range order {
			order[v] = int32(v)
		}
		slices.SortFunc(order, func(a, b int32) int { return int(far[a] - far[b]) })
		for _, v := range order {
			for _, c := range g.OutOf(v) {
				if far[g.To[c]] == far[v]+1 {
					ways[g.To[c]] += ways[v]
				}
			}
			times[[2]int32{far[v], ways[v]}]++
		}
	}
	return fmt.Sprint(times)
}

// TestFormulaOfCrossed: two links of one level crossed leave every switch its number of
// links. The formula that is then found, if any, is of a network that is alike.
func TestFormulaOfCrossed(t *testing.T) {
	refused := 0
	draws.Check(t, func(t *rapid.T) {
		formula := drawPGFT(t, 1)
		f := parsed(t, formula)
		whole := Describe(f.Compile())
		level := map[string]int32{}
		for _, s := range whole.Switches {
			level[s.GUID] = s.Level
		}
		low := func(l *fabric.Link) (low, high *fabric.End) {
			if level[f.Nodes[l.A.Node].GUID.String()] < level[f.Nodes[l.B.Node].GUID.String()] {
				return &l.A, &l.B
			}
			return &l.B, &l.A
		}
		var links []fabric.LinkID
		for i := range f.Links {
			if f.IsSwitchLink(fabric.LinkID(i)) {
				links = append(links, fabric.LinkID(i))
			}
		}
		a, b := rapid.SampledFrom(links).Draw(t, "a"), rapid.SampledFrom(links).Draw(t, "b")
		lowA, highA := low(&f.Links[a])
		lowB, highB := low(&f.Links[b])
		if level[f.Nodes[lowA.Node].GUID.String()] != level[f.Nodes[lowB.Node].GUID.String()] {
			t.Skip("of two levels")
		}
		*highA, *highB = *highB, *highA
		f.Nodes[highA.Node].Ports[highA.Port].Link, f.Nodes[highB.Node].Ports[highB.Port].Link = a, b
		g := f.Compile()
		s := Describe(g)
		if s.PGFT == "" {
			refused++
			return
		}
		if distanceProfile(g) != distanceProfile(parsed(t, s.PGFT).Compile()) {
			t.Fatalf("%s with links %d and %d crossed (%v %v) is no %s", formula, a, b, lowA, lowB, s.PGFT)
		}
	}, func() string {
		if refused == 0 {
			return "no formula was ever refused"
		}
		return ""
	})
}

// TestGaps: exactly the failed links are missing, and the formula is still found.
func TestGaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		formula := drawPGFT(t, 3)
		f := parsed(t, formula)
		var want []string
		for i := range f.Links {
			if l := &f.Links[i]; f.IsSwitchLink(fabric.LinkID(i)) && len(want) < 2 && rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
				l.Down = true
				ends := []string{f.Nodes[l.A.Node].GUID.String(), f.Nodes[l.B.Node].GUID.String()}
				slices.Sort(ends)
				want = append(want, fmt.Sprint(ends))
			}
		}
		s := Describe(f.Compile())
		var got []string
		for _, gap := range s.Missing {
			ends := []string{guidIn(gap.Switch), guidIn(gap.Other)}
			slices.Sort(ends)
			for range gap.Want - gap.Have {
				got = append(got, fmt.Sprint(ends))
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) || len(want) > 0 && s.Nearly != formula {
			t.Fatalf("%s: missing %v, want %v, nearly %q", formula, got, want, s.Nearly)
		}
	})
}

// guidIn is the GUID at the end of a switch's name.
func guidIn(name string) string {
	return strings.Trim(name[strings.LastIndexByte(name, '(')+1:], ")")
}

// TestShape counts what named fabrics are made of.
func TestShape(t *testing.T) {
	for _, c := range []struct {
		formula, pgft, rlft                                  string
		levels, roots, leaves, cores, paired, shared, beside int
		missing                                              int
	}{
		{"fat648", "pgft(2;18,36;1,18;1,1)", "rlft(36,2)", 2, 18, 36, 1, 0, 0, 0, 0},
		{"rlft(4,4)", "pgft(4;2,2,2,4;1,2,2,2;1,1,1,1)", "rlft(4,4)", 4, 8, 16, 2, 0, 16, 0, 0},
		{"racks648", "", "", 3, 18, 54, 1, 54, 0, 324, 0},
		{"ranger", "", "", 4, 288, 328, 2, 0, 328, 0, 0},
		{"dual4608", "", "", 4, 288, 384, 2, 0, 384, 0, 0},
		{"juropa", "", "", 3, 144, 432, 8, 432, 432, 2592, 0},
		{"fat3456|fail(share=0.2,links=up,seed=1)", "", "", 3, 144, 288, 12, 0, 288, 0, 1382},
		{"fat3456|fail(switches=2,seed=1)", "", "", 3, 144, 287, 12, 0, 287, 0, 3},
		{"rlft(36,1)", "pgft(1;36;1;1)", "rlft(36,1)", 1, 0, 1, 1, 0, 0, 0, 0},
	} {
		s := Describe(parsed(t, c.formula).Compile())
		got := []any{s.PGFT, s.RLFT, len(s.Levels), s.Roots, s.Leaves, s.Cores, s.Paired, s.Shared, s.Horizontal, len(s.Missing)}
		want := []any{c.pgft, c.rlft, c.levels, c.roots, c.leaves, c.cores, c.paired, c.shared, c.beside, c.missing}
		if !s.Tree || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", c.formula, got, want)
		}
	}
	if s := Describe(parsed(t, "torus(4x4,hosts=1)").Compile()); s.Tree || s.Why == "" {
		t.Errorf("a torus is a tree: %q", s.Why)
	}
	if s := Describe(fabric.New("empty").Compile()); s.Tree {
		t.Error("nothing is a tree")
	}
}
