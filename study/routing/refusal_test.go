package routing

import (
	"errors"
	"strings"
	"testing"

	"weft/study"
	"weft/study/studytest"
)

// TestRefusals: engine, reason and advice apart.
func TestRefusals(t *testing.T) {
	g, r := studytest.Routed(t, "fat648", "dor,updn")
	refused := New(g, r, 0).Refused
	if len(refused) != 1 || refused[0].Engine != "dor" || strings.Contains(refused[0].Reason, "dor:") || refused[0].String() != r.Refused[0].Error() {
		t.Errorf("%+v", refused)
	}
	if other := study.RefusalOf(errors.New("lost")); other.Reason != "lost" || other.Engine != "" {
		t.Errorf("%+v", other)
	}
}
