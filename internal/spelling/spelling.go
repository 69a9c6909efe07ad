// Package spelling finds the name that somebody who mistyped one is likely to have meant.
package spelling

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the name of a list that is nearest to one that is not in it: letters are compared
// without regard of case, and a letter put in, left out or replaced counts 1, and at most a third of the
// letters, rounded up, differ. It returns "" where none is near; of several equally near names, the first.
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

// Hint is the end of a message about an unknown name: the nearest one as a question, or "" where
// none is near.
func Hint(given string, names []string) string {
	if name := Nearest(given, names); name != "" {
		return ": did you mean " + name + "?"
	}
	return ""
}
