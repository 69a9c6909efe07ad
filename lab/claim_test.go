package lab

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// judgedAs is what a claim becomes whose number is value(block) in each seed block, and must be between 1 and 2.
func judgedAs(blocks int, value func(block int) float64) Claim {
	var list []Claim
	for b := range blocks {
		c := NewClaim("it is between 1 and 2", "1 to 2")
		c.JudgeRange(value(b), 1, 2, "%.1f")
		list = append(list, c)
	}
	return overBlocks(list)
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
		{"the interval crosses the end", 8, func(b int) float64 { return 1.9 + .4*float64(b%2) }, TooFew, "2.1 ± 0.2"},
	} {
		if got := judgedAs(c.blocks, c.value); got.Verdict != c.want || got.Ours != c.ours {
			t.Errorf("%s: %s, ours %s", c.name, got.Verdict, got.Ours)
		}
	}
	yes, no := Claim{Ours: "a", Verdict: Holds}, Claim{Ours: "b", Verdict: Differs}
	list := []Claim{yes, yes, yes, yes, yes, yes, yes, yes}
	if c := overBlocks(list); c.Verdict != Holds || c.Ours != "a; in 8 of 8 seed blocks" {
		t.Errorf("%+v", c)
	}
	if c := overBlocks(list[:7]); c.Verdict != TooFew {
		t.Errorf("%+v", c)
	}
	list[3] = no
	if c := overBlocks(list); c.Verdict != Differs || c.Ours != "a; in 7 of 8 seed blocks" {
		t.Errorf("%+v", c)
	}
	list[3] = NewClaim("x", "y")
	if c := overBlocks(list); c.Verdict != NotRun {
		t.Errorf("%+v", c)
	}
}

// read is a paper with a claim that holds as it is, one that a reading mends, and one that it breaks.
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
		if want == 2 {
			want++ // the set
		}
		if len(rec.Tried) != want {
			t.Errorf("%d columns of readings, want %d", len(rec.Tried), want)
		}
		if len(c.readings) != 1 {
			continue
		}
		var page bytes.Buffer
		if err := WriteReport(&page, r, []*Record{rec}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"- never. The paper: so; ours: false.", "| fig1 | broken | holds | differs: false |", "| fig1 | never | differs | differs: false |"} {
			if !strings.Contains(page.String(), want) {
				t.Errorf("the page lacks %q:\n%s", want, page.String())
			}
		}
		if strings.Contains(page.String(), "| fig1 | always | holds | holds") {
			t.Error("a claim that no reading moves stands in the table of readings")
		}
	}
}

// TestBroken: a reading of the set is tried where nothing differs too, and the page says what it breaks.
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
		var page bytes.Buffer
		if err := WriteReport(&page, r, []*Record{rec}); err != nil {
			t.Fatal(err)
		}
		if shown := strings.Contains(page.String(), "| fig1 | broken | holds | differs: false |"); shown != chosen {
			t.Errorf("of the set: %v; shown what it breaks: %v", chosen, shown)
		}
	}
}

// TestUntestable: a claim of which nothing can be said keeps its reason over all seed blocks.
func TestUntestable(t *testing.T) {
	var list []Claim
	for range 8 {
		c := NewClaim("x", "y")
		c.Untestable("the machine is gone")
		list = append(list, c)
	}
	if c := overBlocks(list); c.Verdict != NotTestable || c.Why != "the machine is gone" {
		t.Errorf("%+v", c)
	}
}

// TestFewBlocks: an artefact that takes long has fewer seed blocks, and says so; a reading that does not concern it is not tried.
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
	if runs != 3 || rec.Blocks != 2 || len(rec.Tried) != 1 || rec.Tried[0].Reading != "here" {
		t.Errorf("%d runs, %+v", runs, rec)
	}
	var page bytes.Buffer
	if err := WriteReport(&page, r, []*Record{rec}); err != nil {
		t.Fatal(err)
	}
	if want := "seed blocks: 2, as more would take too long"; !strings.Contains(page.String(), want) {
		t.Errorf("the page lacks %q:\n%s", want, page.String())
	}
}
