package terms_test

import (
	"testing"

	"weft/sm/recording"
	"weft/sm/terms"
)

// TestSeverities: what is ranked is a code, severities have names, and a code that nobody has
// ranked is a warning.
func TestSeverities(t *testing.T) {
	by := map[terms.Severity]int{}
	for code := range recording.Explain {
		by[code.Severity()]++
	}
	for _, s := range terms.ByUrgency {
		if got, err := terms.ParseSeverity(s.String()); err != nil || got != s || by[s] == 0 {
			t.Errorf("%d is %q: %v, %d codes", s, s, err, by[s])
		}
	}
	if len(by) != len(terms.ByUrgency) || terms.IncidentKind("new-code").Severity() != terms.Warning {
		t.Errorf("%v", by)
	}
	for _, code := range terms.Ranked() {
		if recording.Explain[code] == "" {
			t.Errorf("%s is ranked, and no code", code)
		}
	}
	if _, err := terms.ParseSeverity("loud"); err == nil {
		t.Error("loud is no severity")
	}
}
