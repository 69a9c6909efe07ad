package show

import (
	"testing"

	"weft/fabric/gen"
	"weft/fabric/source"
)

// TestFailedIsNotMissing: cables of a failed switch are drawn as failed, and not as missing too.
func TestFailedIsNotMissing(t *testing.T) {
	for formula, want := range map[string]map[string]int{
		"rlft(8,3)|fail(switch=root 1)":     {"failed": 8, "missing": 0},
		"rlft(8,3)|fail(links=2,seed=1)":    {"failed": 2, "missing": 0},
		"rlft(8,2)|fail(switches=1,seed=2)": {"failed": 8, "missing": 0},
	} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Picture(t.Context(), Inspect(&source.Source{Fabric: f}), nil, Look{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for i := range p.Lines {
			got[string(p.Lines[i].Class)]++
		}
		for class, n := range want {
			if got[class] != n {
				t.Errorf("%s: %d lines are %s, want %d", formula, got[class], class, n)
			}
		}
	}
}
