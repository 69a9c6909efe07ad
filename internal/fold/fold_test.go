package fold

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// No word is lost, and no line is wider than a page but for one long word.
func TestText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zäé;:/()=,.-]{1,30}`), 1, 60).Draw(t, "words")
		indent := rapid.IntRange(0, 90).Draw(t, "indent")
		text := strings.Join(words, " ")
		got := Text(indent, text)
		if strings.Join(strings.Fields(got), " ") != text {
			t.Fatalf("%q became %q", text, got)
		}
		for i, line := range strings.Split(got, "\n") {
			line, found := strings.CutPrefix(line, strings.Repeat(" ", indent))
			if i > 0 && !found {
				t.Fatalf("line %d begins at another column: %q", i, got)
			}
			if strings.Contains(line, " ") && ansi.StringWidth(line) > Columns-indent && Columns-indent >= least {
				t.Fatalf("%q is wider than %d", line, Columns-indent)
			}
		}
	})
}

// A number and its per cent sign stay together.
func TestPerCent(t *testing.T) {
	text := strings.Repeat("x", 75) + " 33.7 % less"
	if got, want := Text(0, text), strings.Repeat("x", 75)+"\n33.7 % less"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRows(t *testing.T) {
	long := strings.Repeat("word ", 20) + "end"
	got := Rows([][]string{{"A", "BB", "C"}, {"aaa", "b", long}, {"x"}, {"é", "", ""}, nil})
	want := "A    BB  C\naaa  b   " + strings.Repeat("word ", 13) + "word\n         " + strings.Repeat("word ", 6) + "end\nx\né\n\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestNamed(t *testing.T) {
	rows := [][]string{{"A", "BB"}, {"aaa", "b"}}
	if got, want := Named(rows, []string{"WHO", "é 1"}), "A    BB  WHO\naaa  b   é 1\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	long := strings.Repeat("n", 72) // a column too many
	if got, want := Named(rows, []string{"WHO", long}), "A    BB\n  WHO\naaa  b\n  "+long+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Named(rows, []string{"WHO", long[1:]}), "A    BB  WHO\naaa  b   "+long[1:]+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
