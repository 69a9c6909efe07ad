package lab

import (
	"fmt"
	"testing"
)

// TestCompare: claims match by artefact and text; a claim that only one run has, or judged, does
// not count.
func TestCompare(t *testing.T) {
	claim := func(text string, v Verdict, undecided bool) Claim {
		return Claim{Text: text, Ours: "x", Verdict: v, Undecided: undecided}
	}
	record := func(artefact string, claims ...Claim) *Record {
		return &Record{Artefact: artefact, Result: &Result{Claims: claims}}
	}
	first := []*Record{
		record("a", claim("1", Holds, false), claim("2", Differs, true), claim("3", Fitted, false), claim("4", Holds, false), claim("5", NotRun, false)),
		record("b", claim("1", Differs, false), claim("only here", Holds, false)),
	}
	second := []*Record{
		record("b", claim("only there", Holds, false), claim("1", Differs, true)),
		record("a", claim("3", Differs, true), claim("2", Holds, false), claim("1", Holds, false), claim("4", TooFew, false), claim("5", Holds, false)),
		record("c", claim("1", Holds, false)),
	}
	a := Compare(first, second)
	if a.Same != 2 || a.Claims != 4 || a.Open != 2 {
		t.Errorf("%+v", a)
	}
	if got, want := fmt.Sprint(a.Rows()), "[[a 3 fitted: x differs (undecided): x] [a 2 differs (undecided): x holds: x]]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
