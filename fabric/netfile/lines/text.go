package lines

import "bytes"

// MaxLine bounds a line in bytes. The longest real lines are tables of the osmdump plug-in for
// OpenSM: 2 bytes for each of 49,151 LIDs.
const MaxLine = 1 << 20

// Each calls do with every line that is not empty and its number from 1. Lines come without
// surrounding white space, the first without a byte order mark. Each stops at the first error, and
// refuses a line longer than MaxLine.
func Each(file string, data []byte, do func(line []byte, at int) error) error {
	rest := bytes.TrimPrefix(data, []byte("\uFEFF"))
	for at := 1; len(rest) > 0; at++ {
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		if len(line) > MaxLine {
			return TooLong(file, at)
		}
		if line = bytes.Trim(line, " \t\r\v\f\x00"); len(line) == 0 {
			continue
		}
		if err := do(line, at); err != nil {
			return err
		}
	}
	return nil
}

// TooLong is the error of a line longer than MaxLine.
func TooLong(file string, at int) error {
	return Errorf(file, at, "a line of more than %d bytes: this is no such file, or a damaged one", MaxLine)
}

// WithoutComments skips the lines that begin with #.
func WithoutComments(do func(line []byte, at int) error) func(line []byte, at int) error {
	return func(line []byte, at int) error {
		if line[0] == '#' {
			return nil
		}
		return do(line, at)
	}
}

// Cursor reads a line from left to right.
type Cursor struct{ Rest []byte }

// Blanks goes over blanks.
func (c *Cursor) Blanks() {
	for len(c.Rest) > 0 && (c.Rest[0] == ' ' || c.Rest[0] == '\t') {
		c.Rest = c.Rest[1:]
	}
}

// Lit consumes a literal text.
func (c *Cursor) Lit(text string) bool {
	if len(c.Rest) < len(text) || string(c.Rest[:len(text)]) != text {
		return false
	}
	c.Rest = c.Rest[len(text):]
	return true
}

// Number consumes decimal digits; more than 18 of them are not a number.
func (c *Cursor) Number() (v uint64, ok bool) {
	i := 0
	for i < len(c.Rest) && IsDigit(c.Rest[i]) {
		v = v*10 + uint64(c.Rest[i]-'0')
		i++
	}
	if i == 0 || i > 18 {
		return 0, false
	}
	c.Rest = c.Rest[i:]
	return v, true
}

// Until consumes the text before a byte, and the byte.
func (c *Cursor) Until(stop byte) ([]byte, bool) {
	i := bytes.IndexByte(c.Rest, stop)
	if i < 0 {
		return nil, false
	}
	t := c.Rest[:i]
	c.Rest = c.Rest[i+1:]
	return t, true
}

// Word consumes the text before the next blank.
func (c *Cursor) Word() []byte {
	c.Blanks()
	i := 0
	for i < len(c.Rest) && c.Rest[i] != ' ' && c.Rest[i] != '\t' {
		i++
	}
	w := c.Rest[:i]
	c.Rest = c.Rest[i:]
	return w
}

// IsNoise recognises lines of terminals and libraries: shell prompts and messages of libibmad.
func IsNoise(line []byte) bool {
	for _, p := range []string{"ibwarn:", "iberror:", "ibpanic:", "ibnetdiscover:", "src/", "./", "/"} {
		if bytes.HasPrefix(line, []byte(p)) {
			return true
		}
	}
	// user@host:dir$ command, [user@host dir]# command
	at := bytes.IndexByte(line, '@')
	quote := bytes.IndexByte(line, '"')
	mark := bytes.IndexAny(line, "#$%>")
	return at > 0 && mark > at && (quote < 0 || quote > mark)
}

// IsDigit reports whether a byte is a decimal digit.
func IsDigit(b byte) bool { return b >= '0' && b <= '9' }

// Hex parses 1 to 16 hexadecimal digits, with or without 0x.
func Hex(s []byte) (v uint64, ok bool) {
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') {
		s = s[2:]
	}
	if len(s) == 0 || len(s) > 16 {
		return 0, false
	}
	for _, b := range s {
		switch {
		case IsDigit(b):
			b -= '0'
		case b >= 'a' && b <= 'f':
			b -= 'a' - 10
		case b >= 'A' && b <= 'F':
			b -= 'A' - 10
		default:
			return 0, false
		}
		v = v<<4 | uint64(b)
	}
	return v, true
}

// Decimal parses decimal digits.
func Decimal(s []byte) (uint64, bool) {
	c := Cursor{s}
	v, ok := c.Number()
	return v, ok && len(c.Rest) == 0
}
