package spelling

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	names := strings.Fields("rlft torus tree mesh dragonfly dragonflyplus fat648 dfsssp sssp")
	for given, want := range map[string]string{
		"rlf":        "rlft",
		"Torus":      "torus",
		"TORUS":      "torus",
		"tours":      "torus",
		"dragonfy":   "dragonfly",
		"fat684":     "fat648",
		"dfsspp":     "dfsssp",
		"treee":      "tree",
		"x":          "",
		"":           "",
		"hypercubes": "",
	} {
		if got := Nearest(given, names); got != want {
			t.Errorf("%q: nearest is %q, want %q", given, got, want)
		}
	}
	if got := Hint("Rlft", names); got != ": did you mean rlft?" {
		t.Errorf("hint %q", got)
	}
	if got := Hint("fabric.txt", names); got != "" {
		t.Errorf("hint %q", got)
	}
}

// TestOneLetter: whatever letter of a longer name is wrong, missing or too many, the name is found.
func TestOneLetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z]{4,12}`).Draw(t, "name")
		i := rapid.IntRange(0, len(name)-1).Draw(t, "place")
		letter := rapid.StringMatching(`[a-z]?`).Draw(t, "letter")
		skip := rapid.IntRange(0, 1).Draw(t, "skip")
		typed := name[:i] + letter + name[i+skip:]
		if got := Nearest(strings.ToUpper(typed), []string{"0123456789", name}); got != name {
			t.Fatalf("%q is nearest to %q, want %q", typed, got, name)
		}
	})
}
