package routing

import (
	"strings"
	"testing"
)

// TestLetters: an option whose default is not the letter of its paper says so, and names the value
// that is.
func TestLetters(t *testing.T) {
	letter := map[string]string{"weight": "letter of paper 000 it is sum", "remove": "by its letter any may go: drawn", "degree": "letter of its Fig. 9 it is shrinking"}
	all, told := ListEngines(), map[string]bool{}
	for _, e := range append(all.Paths, all.Names...) {
		for _, o := range e.Options {
			if want, ok := letter[o.Name]; ok {
				told[o.Name] = true
				if !strings.Contains(o.Doc, want) || !strings.Contains(o.Doc, "is ours") {
					t.Errorf("%s, option %s: %s", e.Name, o.Name, o.Doc)
				}
			}
		}
	}
	if len(told) != len(letter) {
		t.Errorf("only %v are options", told)
	}
	for _, e := range append(all.Paths, all.Names...) {
		if own := map[string]string{"shortest-widest": "weight=sum", "path-selection": "remove=drawn", "color-s": "degree=shrinking", "color-l": "degree=shrinking"}[e.Name]; !strings.Contains(e.Summary, own) {
			t.Errorf("%s: %s", e.Name, e.Summary)
		}
	}
}
