package fold

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// pageColumns is the width of prose on a page of Markdown.
const pageColumns = 100

// marks matches words that Markdown reads as a mark if they begin a line.
var marks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([-+*#>=|]+|[0-9]+[.)])$`) })

// Page breaks prose of a Markdown page between words into lines of at most 100 columns. mark begins
// the first line; later lines are indented as far. No later line begins with a mark of Markdown.
func Page(mark, text string) string {
	var b strings.Builder
	b.WriteString(mark)
	at := utf8.RuneCountInString(mark)
	var words []string
	for word := range strings.FieldsSeq(text) {
		if last := len(words) - 1; last >= 0 && marks().MatchString(word) {
			words[last] += " " + word
			continue
		}
		words = append(words, word)
	}
	for i, word := range words {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > pageColumns:
			b.WriteString("\n" + strings.Repeat(" ", len(mark)))
			at = len(mark)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}
