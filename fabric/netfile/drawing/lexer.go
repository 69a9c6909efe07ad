package drawing

import (
	"bytes"

	"weft/fabric/netfile/lines"
)

// dotLexer cuts a file in the language of Graphviz into tokens.
type dotLexer struct {
	lines.Messages
	s    []byte
	line int // of the next byte
}

// dotToken is an identifier (kind 'i'), an edge ('>' for ->, '-' for --), another
// mark by its byte, or the end of the file (0).
type dotToken struct {
	kind byte
	text []byte
	line int
}

// maxToken bounds a token in bytes: an edge may list 49,151 hosts by names of 64 bytes.
const maxToken = 4 << 20

// next returns the next token.
func (x *dotLexer) next() (dotToken, error) {
	if err := x.skip(); err != nil {
		return dotToken{}, err
	}
	t := dotToken{line: x.line}
	if len(x.s) == 0 {
		return t, nil
	}
	switch c := x.s[0]; {
	case c == '"':
		return x.quoted()
	case bytes.HasPrefix(x.s, []byte("->")):
		t.kind, x.s = '>', x.s[2:]
	case bytes.HasPrefix(x.s, []byte("--")):
		t.kind, x.s = '-', x.s[2:]
	case bytes.IndexByte([]byte("{}[]=;,:"), c) >= 0:
		t.kind, x.s = c, x.s[1:]
	case isDotWord(c) || c == '-':
		n := 1
		for n < len(x.s) && isDotWord(x.s[n]) {
			n++
		}
		if n > maxToken {
			return t, x.Errorf(x.line, "a name of more than %d bytes: this is no such file, or a damaged one", maxToken)
		}
		t.kind, t.text, x.s = 'i', x.s[:n], x.s[n:]
	case c == '<':
		return t, x.Errorf(x.line, "HTML strings are not supported")
	default:
		return t, x.Errorf(x.line, "%q is not valid in Graphviz's language", c)
	}
	return t, nil
}

func isDotWord(c byte) bool {
	return lines.IsDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || c >= 0x80
}

// skip skips blanks and comments: comments of C++, and lines with #.
func (x *dotLexer) skip() error {
	fresh := x.line == 1 // at the beginning of a line
	for len(x.s) > 0 {
		switch c := x.s[0]; {
		case c == '\n':
			x.line++
			fresh = true
			x.s = x.s[1:]
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == 0:
			x.s = x.s[1:]
			continue
		case c == '#' && fresh, bytes.HasPrefix(x.s, []byte("//")):
			if i := bytes.IndexByte(x.s, '\n'); i >= 0 {
				x.s = x.s[i:]
			} else {
				x.s = nil
			}
		case bytes.HasPrefix(x.s, []byte("/*")):
			i := bytes.Index(x.s, []byte("*/"))
			if i < 0 {
				return x.Errorf(x.line, "this comment has no end")
			}
			x.line += bytes.Count(x.s[:i], []byte("\n"))
			x.s = x.s[i+2:]
		default:
			return nil
		}
		fresh = false
	}
	return nil
}

// quoted reads a string. In it \" is a quote, and \ at the end of a line continues it.
func (x *dotLexer) quoted() (dotToken, error) {
	t := dotToken{kind: 'i', line: x.line}
	s := x.s[1:min(len(x.s), maxToken)]
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			t.text, x.s = s[:i], s[i+1:]
			x.line += bytes.Count(t.text, []byte("\n"))
			if bytes.IndexByte(t.text, '\\') >= 0 {
				t.text = unescape(t.text)
			}
			return t, nil
		case '\\':
			i++
		}
	}
	if len(s) < len(x.s)-1 {
		return t, x.Errorf(t.line, "a string of more than %d bytes: this is no such file, or a damaged one", maxToken)
	}
	return t, x.Errorf(t.line, "this string has no end")
}

func unescape(s []byte) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			switch s[i] {
			case '\n':
				continue
			case '"', '\\':
			default:
				out = append(out, '\\')
			}
		}
		out = append(out, s[i])
	}
	return out
}
