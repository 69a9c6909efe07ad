package fabric

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"weft/internal/spelling"
)

// NameHelp explains how to name a node, a port and a cable.
const NameHelp = `A node is named by its GUID, by the last digits of its GUID (at least four), by its description,
or by a part of the description that no other node has. Upper and lower case are the same. A part
does not split a number: "spine 1" does not match spine 12. "LID 12" is the node with that LID.

A port is NODE[PORT] or NODE/PORT; a port of a host can also be named by its GUID or LID. A cable
is one of its two ports, a host that has no other cable, or NODE -- NODE. Names can be copied from
the output of weft. Put a description in double quotes if it contains commas, bars, semicolons or
brackets: "MF0;A10-P1:MQM9701/U1"[3].`

// NoName is the error for a name that matches nothing, or more than one candidate.
type NoName struct {
	Kind  string   // what was searched: "node", "switch", "host"
	Name  string   // as it was typed
	Some  []string // the first candidates, each with its GUID
	Count int      // number of candidates, 0 for none
	Near  string   // a similar description, if Count is 0
}

// candidatesShown limits the candidates that an error lists.
const candidatesShown = 4

func (e *NoName) Error() string {
	switch {
	case e.Name == "":
		return "no name is given: want that of a " + e.Kind
	case e.Near != "":
		return fmt.Sprintf("no %s is called %q: did you mean %q?", e.Kind, e.Name, e.Near)
	case e.Count == 0:
		return fmt.Sprintf("no %s is called %q", e.Kind, e.Name)
	}
	more := ""
	if n := e.Count - len(e.Some); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%q could be any of %d: %s%s: give more of the name, or a GUID", e.Name, e.Count, strings.Join(e.Some, ", "), more)
}

// Unquote removes double quotes around a name.
func Unquote(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

// CutUnquoted cuts a text at the first separator that is not in double quotes.
func CutUnquoted(s, sep string) (before, after string, found bool) {
	quoted := false
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(s[i:], sep):
			return s[:i], s[i+len(sep):], true
		}
	}
	return s, "", false
}

// SplitUnquoted splits a text at all separators that are not in double quotes.
func SplitUnquoted(s, sep string) (parts []string) {
	for more := true; more; {
		var part string
		part, s, more = CutUnquoted(s, sep)
		parts = append(parts, part)
	}
	return parts
}

// fit ranks how a name matches a description: not at all, as the end of the GUID, as a part, as
// whole words, except for case, exactly, or as the full GUID.
type fit int

const (
	fitsNot fit = iota
	fitsGUIDEnd
	fitsPart
	fitsWords
	fitsFolded
	fitsExactly
	fitsGUID
)

// FindNamed finds the one of n candidates, each with a GUID and a description, that matches a name
// best. Two candidates that match equally well are a *NoName.
func FindNamed(kind, name string, n int, at func(i int) (GUID, string)) (int, error) {
	text := Unquote(strings.TrimSpace(name))
	q := newQuery(text)
	best, found := fitsNot, []int(nil)
	for i := range n {
		guid, desc := at(i)
		switch f := q.fits(guid, desc, best); {
		case f == fitsNot || f < best:
		case f > best:
			best, found = f, append(found[:0], i)
		default:
			found = append(found, i)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	e := &NoName{Kind: kind, Name: text, Count: len(found)}
	for _, i := range found[:min(len(found), candidatesShown)] {
		guid, desc := at(i)
		e.Some = append(e.Some, fmt.Sprintf("%q (%s)", desc, guid))
	}
	if len(found) == 0 && text != "" {
		e.Near = nearest(text, n, at)
	}
	return -1, e
}

// query is a name to search for.
type query struct {
	text, lower string
	guid        GUID
	isGUID      bool
	printed     string // description before the GUID: "leaf 0" (0x0200005300000001)
	isPrinted   bool
}

// guidEnd is the least number of final digits of a GUID that may name a node.
const guidEnd = 4

func newQuery(text string) *query {
	q := &query{text: text, lower: strings.ToLower(text)}
	if head, digits, ok := strings.Cut(strings.TrimSuffix(text, ")"), " (0x"); ok && strings.HasSuffix(text, ")") {
		guid, err := ParseGUID(digits)
		q.guid, q.isPrinted, q.printed = guid, err == nil, unprinted(head)
		return q
	}
	digits := text
	if len(digits) > 2 && digits[1] == '-' && strings.IndexByte("SHR", digits[0]) >= 0 {
		digits = digits[2:]
	}
	guid, err := ParseGUID(digits)
	q.guid, q.isGUID = guid, err == nil
	return q
}

// unprinted removes the additions of weft's own output around a description: quotes, and the type
// of node or "cable" before it.
func unprinted(text string) string {
	for _, kind := range []string{"switch ", "CA ", "router ", "cable "} {
		if rest, ok := strings.CutPrefix(text, kind+`"`); ok {
			text = `"` + rest
		}
	}
	if desc, err := strconv.Unquote(text); err == nil {
		return desc
	}
	return Unquote(text)
}

// fits returns how the name matches a candidate; a match below least may be returned as none.
func (q *query) fits(guid GUID, desc string, least fit) fit {
	switch {
	case q.text == "":
		return fitsNot
	case q.isGUID && q.guid == guid, q.isPrinted && q.guid == guid && q.printed == desc:
		return fitsGUID
	case desc == q.text:
		return fitsExactly
	case least > fitsFolded:
		return fitsNot
	}
	lower := strings.ToLower(desc)
	if lower == q.lower {
		return fitsFolded
	}
	best := fitsNot
	if len(q.lower) >= guidEnd && strings.HasSuffix(guid.String(), q.lower) {
		best = fitsGUIDEnd
	}
	for from := 0; best < fitsWords; {
		i := strings.Index(lower[from:], q.lower)
		if i < 0 {
			break
		}
		i += from
		best = max(best, min(edge(lower, i), edge(lower, i+len(q.lower))))
		_, size := utf8.DecodeRuneInString(lower[i:])
		from = i + size
	}
	return best
}

// edge ranks byte i of a text as the edge of a matching part: whole words, a part of a word, or no
// match if it would cut a number.
func edge(text string, i int) fit {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i:])
	inWord := func(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	switch {
	case unicode.IsDigit(before) && unicode.IsDigit(after):
		return fitsNot
	case inWord(before) && inWord(after):
		return fitsPart
	}
	return fitsWords
}

// nearest returns the description that is most similar to a name, as a whole or in one word.
func nearest(name string, n int, at func(i int) (GUID, string)) string {
	var words []string
	var owner []int
	for i := range n {
		_, desc := at(i)
		words, owner = append(words, desc), append(owner, i)
		parts := strings.FieldsFunc(desc, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' })
		for _, w := range parts {
			words, owner = append(words, w), append(owner, i)
		}
	}
	near := spelling.Nearest(name, words)
	if near == "" {
		return ""
	}
	_, desc := at(owner[slices.Index(words, near)])
	return desc
}
