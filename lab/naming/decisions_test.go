package naming

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/lab"
)

// TestDecisions: each committed claim that differs has a decision.
func TestDecisions(t *testing.T) {
	for _, a := range LID().Artefacts {
		data, err := os.ReadFile(filepath.Join("../../docs/results/lid", a.Name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		rec, err := lab.Load(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range rec.Claims {
			decided := false
			for _, d := range decisions {
				decided = decided || d.artefact == a.Name && strings.Contains(c.Text, d.of)
			}
			if c.Verdict == lab.Differs && !decided {
				t.Errorf("%s: nothing decides on %q", a.Name, c.Text)
			}
		}
	}
}
