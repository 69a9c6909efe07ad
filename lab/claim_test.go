package lab

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/route/names/ilp"
)

// overBlocks is what a claim becomes that was so in each seed block, at one look.
func overBlocks(blocks []Claim, looks int, last, never bool) Claim {
	var j judging
	for _, c := range blocks {
		j.add(c)
	}
	j.look(looks, last, never)
	return j.Claim
}

// judgedAs returns the outcome of a claim whose number is value(block) in each seed block, and must
// be between 1 and 2.
func judgedAs(blocks int, value func(block int) float64) Claim {
	var list []Claim
	for b := range blocks {
		c := NewClaim("it is between 1 and 2", "1 to 2")
		c.JudgeRange(value(b), 1, 2, "%.1f")
		list = append(list, c)
	}
	return overBlocks(list, 1, true, false)
}

func TestOverBlocks(t *testing.T) {
	for _, c := range []struct {
		name   string
		blocks int
		value  func(int) float64
		want   Verdict
		ours   string
	}{
		{"inside", 8, func(b int) float64 { return 1.5 + .1*float64(b%2) }, Holds, "1.5 ± 0.0"},
		{"inside, few blocks", 7, func(int) float64 { return 1.5 }, TooFew, "1.5 ± 0.0"},
		{"outside", 8, func(b int) float64 { return 2.5 + .1*float64(b%2) }, Differs, "2.5 ± 0.0"},
		{"outside, one block", 1, func(int) float64 { return .5 }, TooFew, "0.5"},
		{"outside, few blocks", 2, func(int) float64 { return .5 }, Differs, "0.5 ± 0.0"},
		{"the interval crosses the end", 8, func(b int) float64 { return 1.9 + .4*float64(b%2) }, Differs, "2.1 ± 0.2"},
		{"the interval crosses the end, few blocks", 7, func(b int) float64 { return 1.9 + .4*float64(b%2) }, TooFew, "2.1 ± 0.2"},
	} {
		got := judgedAs(c.blocks, c.value)
		if got.Verdict != c.want || got.Ours != c.ours {
			t.Errorf("%s: %s, ours %s", c.name, got.Verdict, got.Ours)
		}
		if crosses := c.want == Differs && strings.Contains(c.name, "crosses"); got.Undecided != crosses {
			t.Errorf("%s: undecided: %v", c.name, got.Undecided)
		}
	}
	yes, no := Claim{Text: "x", Ours: "a", Verdict: Holds}, Claim{Text: "x", Ours: "b", Verdict: Differs}
	list := []Claim{yes, yes, yes, yes, yes, yes, yes, yes}
	if c := overBlocks(list, 1, true, false); c.Verdict != Holds || c.Ours != "a" {
		t.Errorf("%+v", c)
	}
	if c := overBlocks(list[:7], 1, true, false); c.Verdict != TooFew {
		t.Errorf("%+v", c)
	}
	for _, few := range []Claim{judgedAs(1, func(int) float64 { return 1.5 }), overBlocks(list[:7], 1, true, false)} {
		if few.Verdict != TooFew {
			t.Errorf("more may be drawn: %+v", few)
		}
	}
	number := NewClaim("it is between 1 and 2", "1 to 2")
	number.JudgeRange(1.5, 1, 2, "%.1f")
	for _, few := range []Claim{overBlocks([]Claim{number}, 1, true, true), overBlocks(list[:7], 1, true, true)} {
		if few.Verdict != Differs || !few.Undecided {
			t.Errorf("fewer blocks than enough are all: %+v", few)
		}
	}
	if c := overBlocks(list, 2, false, false); c.Verdict != TooFew {
		t.Errorf("holds before the last look: %+v", c)
	}
	list[3] = no
	if c := overBlocks(list, 2, false, false); c.Verdict != Differs || c.Ours != "a; in 7 of 8 seed blocks" {
		t.Errorf("%+v", c)
	}
	list[3] = NewClaim("x", "y")
	if c := overBlocks(list, 1, true, false); c.Verdict != Differs || !c.Undecided || c.Ours != "a, measured in 7 of 8 seed blocks" {
		t.Errorf("seven blocks are no eight: %+v", c)
	}
	if c := overBlocks(append(list, yes), 1, true, false); c.Verdict != Holds {
		t.Errorf("eight blocks of nine: %+v", c)
	}
	if c := overBlocks(list[3:4], 1, true, false); c.Verdict != NotRun {
		t.Errorf("%+v", c)
	}
}

// TestJudgeEach: each number of a claim has its own interval over the seed blocks, and the deciding
// one is shown.
func TestJudgeEach(t *testing.T) {
	judged := func(blocks int, a, b func(block int) float64) Claim {
		var list []Claim
		for k := range blocks {
			c := NewClaim("both are between 1 and 2", "1 to 2")
			c.JudgeEach([]Range{{Of: "a", Value: a(k), Low: 1, High: 2, Format: "%.1f"}, {Of: "b", Value: b(k), Low: 1, High: 2, Format: "%.1f"}})
			list = append(list, c)
		}
		return overBlocks(list, 1, true, false)
	}
	is := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	turns := func(v, w float64) func(int) float64 {
		return func(b int) float64 { return []float64{v, w}[b%2] }
	}
	for _, c := range []struct {
		name   string
		blocks int
		a, b   func(int) float64
		want   Verdict
		ours   string
	}{
		{"both inside", 8, is(1.5), is(1.9), Holds, "1.9 ± 0.0 (b, of 2)"},
		{"one outside", 8, is(2.5), is(1.5), Differs, "2.5 ± 0.0 (a, of 2)"},
		{"one outside, the other does not tell", 8, turns(.9, 1.9), is(2.1), Differs, "2.1 ± 0.0 (b, of 2)"},
		{"one does not tell", 8, turns(.9, 1.9), is(1.1), Differs, "1.4 ± 0.5 (a, of 2)"},
		{"few blocks", 7, is(1.5), is(1.5), TooFew, "1.5 ± 0.0 (a, of 2)"},
		// In each block one of the two is outside, but neither is on average.
		{"the worst of each block is not the worst", 64, turns(.9, 1.9), turns(1.9, .9), Holds, "1.4 ± 0.1 (a, of 2)"},
	} {
		got := judged(c.blocks, c.a, c.b)
		if got.Verdict != c.want || got.Ours != c.ours {
			t.Errorf("%s: %s, ours %s", c.name, got.Verdict, got.Ours)
		}
	}
	for _, c := range []struct {
		b    float64
		want Verdict
	}{{2, Holds}, {2.1, Differs}} {
		one := NewClaim("x", "y")
		if one.JudgeEach([]Range{{Of: "a", Value: 1, Low: 1, High: 2, Format: "%.1f"}, {Of: "b", Value: c.b, Low: 1, High: 2, Format: "%.1f"}}); one.Verdict != c.want {
			t.Errorf("%+v", one)
		}
	}
	none := NewClaim("x", "y")
	if none.JudgeEach(nil); none.Verdict != NotRun {
		t.Errorf("%+v", none)
	}
}

// TestMissingNumber: a number that some blocks lack is judged by the others, if there are enough; a
// number that all blocks lack decides nothing.
func TestMissingNumber(t *testing.T) {
	judged := func(without, neither int, a, b float64) Claim {
		var list []Claim
		for k := range 10 {
			c := NewClaim("all are between 1 and 2", "1 to 2")
			c.JudgeEach([]Range{
				{Of: "a", Missing: k < without, Value: a, Low: 1, High: 2, Format: "%.1f"},
				{Of: "b", Missing: k < neither, Value: b, Low: 1, High: 2, Format: "%.1f"},
			})
			list = append(list, c)
		}
		return overBlocks(list, 1, true, false)
	}
	for _, c := range []struct {
		without, neither int // in so many of ten blocks a is missing, and in so many b
		a, b             float64
		want             Verdict
		undecided        bool
		ours             string
	}{
		{1, 0, 1.9, 1.5, Holds, false, "1.9 ± 0.0 (a, of 2), measured in 9 of 10 seed blocks"},
		{1, 0, 1.5, 1.9, Holds, false, "1.9 ± 0.0 (b, of 2)"},
		{3, 0, 1.9, 1.5, Differs, true, "1.9 ± 0.0 (a, of 2), measured in 7 of 10 seed blocks"},
		{8, 0, 2.9, 1.5, Differs, false, "2.9 ± 0.0 (a, of 2), measured in 2 of 10 seed blocks"},
		{10, 0, 2.9, 1.5, Differs, true, "nothing to measure (a, of 2)"},
		{10, 0, 1.5, 2.9, Differs, false, "2.9 ± 0.0 (b, of 2)"},
		{10, 10, 1.5, 1.5, Differs, true, "nothing to measure (a, of 2)"},
	} {
		if got := judged(c.without, c.neither, c.a, c.b); got.Verdict != c.want || got.Undecided != c.undecided || got.Ours != c.ours {
			t.Errorf("%+v: %s, undecided %v, ours %s", c, got.Verdict, got.Undecided, got.Ours)
		}
	}
	one := NewClaim("x", "y")
	one.JudgeEach([]Range{{Of: "a", Missing: true, Low: 1, High: 2, Format: "%.1f"}})
	if one.Verdict != NotRun || one.Ours != "nothing to measure" {
		t.Errorf("%+v", one)
	}
	for b, want := range map[float64]Verdict{1.5: NotRun, 2.5: Differs} {
		two := NewClaim("x", "y")
		two.JudgeEach([]Range{{Of: "a", Missing: true, Low: 1, High: 2, Format: "%.1f"}, {Of: "b", Value: b, Low: 1, High: 2, Format: "%.1f"}})
		if two.Verdict != want {
			t.Errorf("one is missing, the other %g: %s", b, two.Verdict)
		}
	}
	untestable := NewClaim("x", "y")
	untestable.Untestable("it cannot be")
	if c := overBlocks([]Claim{one, untestable}, 1, true, false); c.Verdict != NotTestable {
		t.Errorf("%+v", c)
	}
}

// TestSolverReading: a reading that needs a solver is tried if there is one, and left out
// otherwise.
func TestSolverReading(t *testing.T) {
	for _, solve := range []ilp.SolveLinear{nil, func(context.Context, *ilp.Linear) ([]float64, error) { return nil, nil }} {
		r := read(Reading{Name: "r", Solver: true})
		rec, err := RunArtefact(t.Context(), r, &r.Artefacts[0], &Setup{SolveLinear: solve}, "")
		if err != nil {
			t.Fatal(err)
		}
		if tried := len(rec.Tried) == 2; tried != (solve != nil) {
			t.Errorf("a solver: %v; tried: %v", solve != nil, tried)
		}
	}
}

// TestMost: the maximum number of seed blocks is the requested one, or the artefact's own in full
// mode.
func TestMost(t *testing.T) {
	for _, c := range []struct {
		a    Artefact
		s    Setup
		want int
	}{
		{Artefact{}, Setup{Mode: Quick}, 1},
		{Artefact{Blocks: 16}, Setup{Mode: Quick}, 1},
		{Artefact{}, Setup{Mode: Full}, Enough},
		{Artefact{Blocks: 16}, Setup{Mode: Full}, 16},
		{Artefact{Blocks: 2}, Setup{Mode: Full}, 2},
		{Artefact{Blocks: 2}, Setup{Mode: Full, Blocks: 9}, 9},
		{Artefact{Seedless: true, Blocks: 2}, Setup{Mode: Full, Blocks: 9}, 1},
	} {
		if got := c.a.mostBlocks(&c.s); got != c.want {
			t.Errorf("%+v, %s, %d: %d blocks, want %d", c.a, c.s.Mode, c.s.Blocks, got, c.want)
		}
	}
	for most, want := range map[int][]int{1: {1}, 7: {7}, 8: {8}, 9: {8, 9}, 16: {8, 16}, 100: {8, 16, 32, 64, 100}} {
		if got := looks(most); !slices.Equal(got, want) {
			t.Errorf("at most %d: looks at %v, want %v", most, got, want)
		}
	}
}

// drawn returns a paper with one artefact whose claims have these numbers, which should be between
// 1 and 2: by the literal text, and under its reading.
func drawn(most int, letter, read func(block int) []float64) *Reproduction {
	return &Reproduction{Name: "drawn", Readings: []Reading{{Name: "r", Chosen: true}}, Artefacts: []Artefact{{
		Name: "fig1", Blocks: most, Run: func(_ context.Context, s *Setup) *Result {
			values := letter
			if s.Reads("r") {
				values = read
			}
			block := int(s.Seed / BlockSeeds)
			if s.ClaimsOnly != (block > 0) {
				panic(fmt.Sprintf("seed block %d: claims only: %v", block, s.ClaimsOnly))
			}
			r := &Result{}
			for _, v := range values(block) {
				c := NewClaim("between", "1 to 2")
				c.JudgeRange(v, 1, 2, "%.2f")
				r.Claims = append(r.Claims, c)
			}
			return r
		},
	}}}
}

// TestDrawsUntilDecided: seed blocks are drawn until each claim is decided, and no longer; under
// the readings only the claims count that differ by the literal text.
func TestDrawsUntilDecided(t *testing.T) {
	wide := func(mean float64) func(block int) float64 { // from 1 below to 1 above
		return func(block int) float64 { return mean - 1 + 2*float64(block%2) }
	}
	for _, c := range []struct {
		name             string
		letter, read     []float64 // means
		blocks, asRead   int
		want             Verdict
		undecided, quiet bool
	}{
		{"clear at once", []float64{1.5}, nil, 8, 0, Holds, false, true},
		{"wide", []float64{1.5}, nil, 32, 0, Holds, false, false},
		{"outside, wide", []float64{3}, []float64{3}, 16, 16, Differs, false, false},
		{"at the end", []float64{2}, []float64{2}, 64, 64, Differs, true, false},
		{"mended", []float64{3, 1.5}, []float64{1.5, 2}, 32, 32, HoldsAsRead, false, false},
	} {
		values := func(means []float64) func(block int) []float64 {
			return func(block int) (v []float64) {
				for _, m := range means {
					if c.quiet {
						v = append(v, m+.01*float64(block%2))
					} else {
						v = append(v, wide(m)(block))
					}
				}
				return v
			}
		}
		r := drawn(64, values(c.letter), values(c.read))
		rec, err := RunArtefact(t.Context(), r, &r.Artefacts[0], &Setup{Mode: Full, Verdicts: true}, "")
		if err != nil {
			t.Fatal(err)
		}
		got := rec.Claims[0]
		if got.Verdict != c.want || got.Undecided != c.undecided || rec.Blocks != c.blocks || rec.BlocksAsRead != c.asRead || rec.Most != 64 {
			t.Errorf("%s: %s, %d and %d blocks: %+v", c.name, got.verdict(), rec.Blocks, rec.BlocksAsRead, got.Range)
		}
	}
}

// TestSeldomWrong: a claim whose number lies at an end of its range gets a wrong verdict no more
// often than intervals may err, for any number of looks and of numbers.
func TestSeldomWrong(t *testing.T) {
	const runs = 400
	for _, numbers := range []int{1, 10} {
		rng := rand.New(rand.NewPCG(1, uint64(numbers)))
		decided := map[Verdict]int{}
		for range runs {
			var j judging
			at := looks(64)
			for k, n := range at {
				for j.blocks < n {
					var parts []Range
					for n := range numbers {
						parts = append(parts, Range{Of: fmt.Sprint(n), Value: 1 + rng.NormFloat64(), Low: 1, High: 100, Format: "%.2f"})
					}
					c := NewClaim("at least 1", "1")
					c.JudgeEach(parts)
					j.add(c)
				}
				if j.look(len(at), k == len(at)-1, false); !j.open() {
					break
				}
			}
			if !j.Undecided {
				decided[j.Verdict]++
			}
		}
		for v, n := range decided {
			if float64(n) > mayErr*runs {
				t.Errorf("%d numbers: %s in %d of %d runs", numbers, v, n, runs)
			}
		}
	}
}

// TestStaysDecided: a number decided at a look stays decided whatever comes later, and no longer
// asks for its rows.
func TestStaysDecided(t *testing.T) {
	var j judging
	block := func(a, b float64) {
		c := NewClaim("both are between 1 and 2", "1 to 2")
		c.JudgeEach([]Range{{Of: "a", Value: a, Low: 1, High: 2, Format: "%.1f", Rows: []string{"a"}}, {Of: "b", Value: b, Low: 1, High: 2, Format: "%.1f", Rows: []string{"b"}}})
		j.add(c)
	}
	for k := range 8 {
		block(1.5, 1.9+.4*float64(k%2))
	}
	j.look(2, false, true)
	if !j.open() || j.needs("a") || !j.needs("b") || j.needs("c") {
		t.Errorf("%+v", j)
	}
	for range 8 {
		block(9, 1.9)
	}
	if j.look(2, true, true); j.Verdict != Differs || !j.Undecided || j.Ours != "2.0 ± 0.1 (b, of 2)" || j.Parts[0].Value != 1.5 || len(j.Parts[0].Blocks) != 8 || len(j.Parts[1].Blocks) != 16 {
		t.Errorf("%+v", j)
	}
	if block(9, 9); j.blocks != 16 {
		t.Error("a claim that is decided takes another block")
	}
}

// TestAtTheEnd: if all blocks have the same number at the very end of its range, only the last look
// accepts it.
func TestAtTheEnd(t *testing.T) {
	var j judging
	for range 8 {
		c := NewClaim("at least 0", "0")
		c.JudgeRange(0, 0, 100, "%.1f")
		j.add(c)
	}
	if j.look(2, false, true); j.Verdict != TooFew {
		t.Errorf("%+v", j)
	}
	if j.look(2, true, true); j.Verdict != Holds {
		t.Errorf("%+v", j)
	}
}

// TestLeavesRowsOut: a row is no longer run once its number is decided, and a failed measurement
// differs from a skipped one.
func TestLeavesRowsOut(t *testing.T) {
	ran := map[string]int{}
	a := Artefact{Name: "fig1", Blocks: 32, Run: func(_ context.Context, s *Setup) *Result {
		r := &Result{}
		block := int(s.Seed / BlockSeeds)
		for _, row := range []string{"narrow", "wide", "seldom"} {
			c := NewClaim(row+": between 1 and 2", "1 to 2")
			if s.Want(row) {
				ran[row]++
				part := Range{Of: row, Value: 1.5 + .01*float64(block%2), Low: 1, High: 2, Format: "%.2f", Rows: []string{row}, Missing: row == "seldom" && block%2 > 0}
				if row == "wide" {
					part.Value = 1.5 + 2*float64(block%2)
				}
				c.JudgeEach([]Range{part})
			}
			r.Claims = append(r.Claims, c)
		}
		return r
	}}
	r := &Reproduction{Name: "rows", Artefacts: []Artefact{a}}
	rec, err := RunArtefact(t.Context(), r, &a, &Setup{Mode: Full}, "")
	if err != nil {
		t.Fatal(err)
	}
	if rec.Blocks != 32 || ran["narrow"] != 8 || ran["wide"] != 32 || ran["seldom"] != 16 {
		t.Errorf("%d blocks, of rows %v", rec.Blocks, ran)
	}
	for i, want := range []string{"1.50 ± 0.01", "2.50 ± 0.45", "1.50 ± 0.00, measured in 8 of 16 seed blocks"} {
		if got := rec.Claims[i].Ours; got != want {
			t.Errorf("%s: %s, want %s", rec.Claims[i].Text, got, want)
		}
	}
}

// read returns a paper with a claim that holds, a claim that a reading mends, and a claim that it
// breaks.
func read(readings ...Reading) *Reproduction {
	return &Reproduction{Name: "read", Paper: "A paper.", Readings: readings, Artefacts: []Artefact{{
		Name: "fig1", Seedless: true, Run: func(_ context.Context, s *Setup) *Result {
			r := &Result{}
			for i, holds := range []bool{true, s.Reads("r"), !s.Reads("r"), false} {
				c := NewClaim([]string{"always", "mended", "broken", "never"}[i], "so")
				c.Judge(holds, "%v", holds)
				r.Claims = append(r.Claims, c)
			}
			return r
		},
	}}}
}

func TestReadings(t *testing.T) {
	for _, c := range []struct {
		readings []Reading
		want     []Verdict
	}{
		{[]Reading{}, []Verdict{Holds, Differs, Holds, Differs}},
		{[]Reading{{Name: "r"}}, []Verdict{Holds, Differs, Holds, Differs}},
		{[]Reading{{Name: "r", Chosen: true}}, []Verdict{Holds, HoldsAsRead, Holds, Differs}},
		{[]Reading{{Name: "r", Chosen: true, Fitted: true}}, []Verdict{Holds, Fitted, Holds, Differs}},
		{[]Reading{{Name: "r", Chosen: true, Fitted: true}, {Name: "x", Chosen: true}}, []Verdict{Holds, Fitted, Holds, Differs}},
		{[]Reading{{Name: "r", Chosen: true}, {Name: "x", Chosen: true, Fitted: true}}, []Verdict{Holds, HoldsAsRead, Holds, Differs}},
	} {
		r := read(c.readings...)
		rec, err := RunArtefact(t.Context(), r, &r.Artefacts[0], &Setup{Blocks: 8}, "")
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if got := rec.Claims[i].Verdict; got != want {
				t.Errorf("%+v: %s: %s, want %s", c.readings, rec.Claims[i].Text, got, want)
			}
		}
		want := len(c.readings)
		if want > 0 {
			want++ // the letter
		}
		if len(c.readings) == 2 {
			want++ // the set
		}
		if len(rec.Tried) != want {
			t.Errorf("%d columns of readings, want %d", len(rec.Tried), want)
		}
		if len(c.readings) != 1 {
			continue
		}
		page := string(r.page([]*Record{rec}))
		for _, want := range []string{"- never. ([fig1](#fig1): the paper so; ours false; differs.)", "| fig1 | broken | holds | true: true | not: false |", "| fig1 | never | differs | not: false | not: false |"} {
			if !strings.Contains(page, want) {
				t.Errorf("the page lacks %q:\n%s", want, page)
			}
		}
		if strings.Contains(page, "| fig1 | always | holds | true") {
			t.Error("a claim that no reading moves stands in the table of readings")
		}
	}
}

// TestBroken: a reading of the set is tried even if nothing differs, and the page names the claims
// that it breaks.
func TestBroken(t *testing.T) {
	for _, chosen := range []bool{true, false} {
		r := read(Reading{Name: "r", Chosen: chosen})
		run := r.Artefacts[0].Run
		r.Artefacts[0].Run = func(ctx context.Context, s *Setup) *Result {
			all := run(ctx, s)
			return &Result{Claims: []Claim{all.Claims[0], all.Claims[2]}}
		}
		rec, err := RunArtefact(t.Context(), r, &r.Artefacts[0], &Setup{Blocks: 8}, "")
		if err != nil {
			t.Fatal(err)
		}
		page := string(r.page([]*Record{rec}))
		if shown := strings.Contains(page, "| fig1 | broken | holds | true: true | not: false |"); shown != chosen {
			t.Errorf("of the set: %v; shown what it breaks: %v", chosen, shown)
		}
	}
}

// TestUntestable: an untestable claim keeps its reason over all seed blocks.
func TestUntestable(t *testing.T) {
	var list []Claim
	for range 8 {
		c := NewClaim("x", "y")
		c.Untestable("the machine is gone")
		list = append(list, c)
	}
	if c := overBlocks(list, 1, true, false); c.Verdict != NotTestable || c.Why != "the machine is gone" {
		t.Errorf("%+v", c)
	}
}

// TestFewBlocks: a slow artefact has fewer seed blocks, and says so; a reading that does not
// concern it is not tried.
func TestFewBlocks(t *testing.T) {
	runs := 0
	r := &Reproduction{Name: "few", Readings: []Reading{{Name: "here"}, {Name: "elsewhere", Chosen: true, In: []string{"fig2"}}}}
	r.Artefacts = []Artefact{{Name: "fig1", Blocks: 2, Run: func(_ context.Context, s *Setup) *Result {
		runs++
		c := NewClaim("never", "so")
		c.Judge(s.Reads("elsewhere"), "no")
		return &Result{Claims: []Claim{c}}
	}}}
	rec, err := RunArtefact(t.Context(), r, &r.Artefacts[0], &Setup{Mode: Full}, "")
	if err != nil {
		t.Fatal(err)
	}
	if runs != 3 || rec.Blocks != 2 || len(rec.Tried) != 2 || rec.Tried[1].Reading != "here" {
		t.Errorf("%d runs, %+v", runs, rec)
	}
	page := string(r.page([]*Record{rec}))
	if want := "seed blocks: 2, as more would take too long"; !strings.Contains(page, want) {
		t.Errorf("the page lacks %q:\n%s", want, page)
	}
}

// TestLargest: the page names the claims of abstract and conclusion first, then those with numbers,
// of each artefact the largest by its factor, for any units and ranges.
func TestLargest(t *testing.T) {
	claim := func(text, format string, value, low, high float64) Claim {
		c := NewClaim(text, "")
		c.JudgeRange(value, low, high, format)
		return c
	}
	records := []*Record{
		{Artefact: "a", Result: &Result{Claims: []Claim{
			claim("just above zero", "%+.1f %%", .2, -100, 0), claim("five times as much", "%+.0f %%", 400, -10, 10), claim("four times as much", "%+.0f %%", 300, -10, 10),
		}}},
		{Artefact: "b", Result: &Result{Claims: []Claim{claim("holds", "%.0f", 1, 0, 2), claim("a hundredth of the end", "%.0f", 1, 100, 200)}}},
		{Artefact: "c", Result: &Result{Claims: []Claim{{Text: "no number", Verdict: Differs}}}},
		{Artefact: "d", Result: &Result{Claims: []Claim{claim("a level of 1 % in place of 0", "%.1f %%", 1, 0, 0), claim("half as many", "%.1f", 10, 20, 30)}}},
		{Artefact: "e", Result: &Result{Claims: []Claim{claim("a tenth of what was left", "%+.1f", -90, 0, 10)}}},
	}
	for _, c := range []struct{ sentences, want string }{
		{"", "a hundredth of the end, a tenth of what was left, five times as much"},
		{"section 2\td\thalf as many\nabstract\tb\tholds\n", "a hundredth of the end, a tenth of what was left, five times as much"},
		{"conclusion, section 9\td\thalf as many\nabstract\tc\tno number\n", "half as many, no number, a hundredth of the end"},
		{"abstract\ta\tjust above zero\n", "a hundredth of the end, a tenth of what was left, five times as much"},
		{"abstract\ta\tjust above zero\nabstract\ta\tfour times as much\n", "four times as much, a hundredth of the end, a tenth of what was left"},
	} {
		r := &Reproduction{Sentences: "place\tartefact\tclaim\n" + c.sentences}
		var got []string
		for _, c := range r.largest(records) {
			got = append(got, c.Text)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%q: %v, want %s", c.sentences, got, c.want)
		}
	}
	if level := records[3].Claims[0].Range.off(); level > .1 {
		t.Errorf("1 %% in place of 0 is off by a factor of %g", level)
	}
}
