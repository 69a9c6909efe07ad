// Package spelling finds the name that a mistyped one was probably meant to be.
package spelling

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the name of a list nearest to a mistyped one, the first if several are equally
// near. It ignores case. An inserted, omitted or replaced letter counts 1; at most a third of the
// letters, rounded up, may differ. It returns "" if none is near.
func Nearest(given string, names []string) string {
	given = strings.ToLower(given)
	best, least := "", (len(given)+2)/3+1
	for _, name := range names {
		if d := levenshtein.ComputeDistance(given, strings.ToLower(name)); d < least && d < len(name) {
			best, least = name, d
		}
	}
	return best
}

// Hint returns the end of a message about an unknown name: the nearest name as a question, or "" if
// none is near.
func Hint(given string, names []string) string {
	if name := Nearest(given, names); name != "" {
		return ": did you mean " + name + "?"
	}
	return ""
}
