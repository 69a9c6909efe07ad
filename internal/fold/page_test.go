package fold

import (
	"strings"
	"testing"
)

// TestPage: lines end in time, later ones are indented, and none begins with a mark.
func TestPage(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "- ",
		"one two":                            "- one two",
		strings.Repeat("x", 97) + " yy z":    "- " + strings.Repeat("x", 97) + "\n  yy z",
		strings.Repeat("x", 96) + " y - z":   "- " + strings.Repeat("x", 96) + "\n  y - z",
		strings.Repeat("x", 96) + " y 12. z": "- " + strings.Repeat("x", 96) + "\n  y 12. z",
		strings.Repeat("±", 97) + " -1 z":    "- " + strings.Repeat("±", 97) + "\n  -1 z",
	} {
		if got := Page("- ", text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
