package sweeps

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"weft/lab/sweep"
)

// TestReadAttempts: a job counts that was under way when the worker was killed or stopped.
func TestReadAttempts(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "",
		"begin a\nend a\n":     "",
		"begin a\nbegin b\n":   "a 1 " + killedUnseen + "; b 1 " + killedUnseen,
		"begin a\nstopped\n":   "",
		"begin a\n\nended x\n": "a 1 x",
		"begin a\nend a\nbegin b\nbegin c\nend c\n\nended x y\n": "b 1 x y",
		"begin a\nstopped\n\nended late\n":                       "a 1 late",
		"ends a 2 x\nbegin a\n\nended y\n":                       "a 3 y",
		"ends a 2 x\nbegin b\nend b\nstopped\n":                  "a 2 x",
		"ends a 2 x\nbegin a\nend a\nstopped\n":                  "",
		"begin a\nend a":                                         "a 1 " + killedUnseen, // half a line
		"begin a\nen\nended x\n":                                 "a 1 x",
		"ends a x y\nends b -1 y\nfoo\nends\n":                   "",
	} {
		var list []string
		ended := readAttempts([]byte(text))
		for _, job := range []string{"a", "b", "c"} {
			if e, is := ended[job]; is {
				list = append(list, fmt.Sprintf("%s %d %s", job, e.N, e.Why))
			}
		}
		if got := strings.Join(list, "; "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzReadAttempts: no text counts less than one run, and the counts survive being written.
func FuzzReadAttempts(f *testing.F) {
	f.Add("ends a 2 x\nbegin a\n\nended y\n")
	f.Add("begin a\nstopped\nend")
	f.Fuzz(func(t *testing.T, text string) {
		ended := readAttempts([]byte(text))
		var again strings.Builder
		for job, e := range ended {
			if e.N < 1 {
				t.Errorf("%q: %d runs", job, e.N)
			}
			fmt.Fprintf(&again, "ends %s %d %s\n", job, e.N, e.Why)
		}
		same := func(a, b sweep.Ends) bool { return a.N == b.N }
		if got := readAttempts([]byte(again.String())); !maps.EqualFunc(got, ended, same) {
			t.Errorf("%q: %v, then %v", text, ended, got)
		}
	})
}
