package lab

import (
	"context"
	"strings"
	"testing"
)

// TestRestsOn: a claim that holds with fitted constants is Fitted, by the literal text, under the
// set, and under each reading; a differing claim stays so.
func TestRestsOn(t *testing.T) {
	const constant = "a constant, fitted to Fig. 1"
	r := &Reproduction{Name: "p", Readings: []Reading{{Name: "r", Chosen: true}, {Name: "all", In: []string{"fig1"}}}, Artefacts: []Artefact{{
		Name: "fig1", Seedless: true, Run: func(_ context.Context, s *Setup) *Result {
			var all []Claim
			for i, holds := range []bool{true, s.Reads("r"), s.Reads("all"), true} {
				c := NewClaim([]string{"by the letter", "as read", "never", "without"}[i], "")
				if c.Judge(holds, "ours under %v", s.Readings); i < 3 {
					c.RestsOn = constant
				}
				all = append(all, c)
			}
			return &Result{Claims: all}
		},
	}}}
	rec, err := RunArtefact(t.Context(), r, &r.Artefacts[0], &Setup{Mode: Full}, "")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Verdict{Fitted, Fitted, Differs, Holds} {
		c := rec.Claims[i]
		if c.Verdict != want || strings.Contains(c.Why, constant) != (want == Fitted) {
			t.Errorf("%s: %s, %q, want %s", c.Text, c.Verdict, c.Why, want)
		}
	}
	if got := rec.tried("r").Verdicts; got[0] != Fitted || got[1] != Fitted || got[2] != Differs || got[3] != Holds {
		t.Errorf("under the reading: %v", got)
	}
	for _, c := range r.largest([]*Record{rec}) {
		if c.Text == "by the letter" {
			t.Errorf("%s: among the largest differences", c.Text)
		}
	}
	var moved []string
	for _, row := range r.byReading([]*Record{rec}).Rows {
		moved = append(moved, row[1])
	}
	if got := strings.Join(moved, ", "); got != "as read, never" {
		t.Errorf("%s: moved by a reading", got)
	}
}
