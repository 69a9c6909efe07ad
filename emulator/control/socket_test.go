package control

import "testing"

// Words that the shell has taken the quotes of are one word again.
func TestQuoteWords(t *testing.T) {
	for _, c := range []struct {
		want  string
		words []string
	}{
		{`link "leaf 1" 1 down`, []string{`link "leaf 1" 1 down`}},
		{`link "leaf 1" 1 down`, []string{"link", "leaf 1", "1", "down"}},
		{`link "leaf 1" 1 down`, []string{"link", `"leaf 1"`, "1", "down"}},
		{"link leaf1 1 down", []string{"link", "leaf1", "1", "down"}},
		{"leaf 1", []string{"leaf 1"}},
	} {
		if got := quoteWords(c.words); got != c.want {
			t.Errorf("%q: got %s, want %s", c.words, got, c.want)
		}
	}
}
