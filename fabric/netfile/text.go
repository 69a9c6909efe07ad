package netfile

import "bytes"

// maxLine bounds a line in bytes. The longest of real files are the tables of the osmdump
// plug-in for OpenSM: 2 bytes for each of 49,151 LIDs.
const maxLine = 1 << 20

// eachLine calls do with every line that is not empty, and its number from 1, without the
// white space around it and without the mark that some editors put before the first. It
// ends with the first error, and refuses a line longer than maxLine.
func eachLine(file string, data []byte, do func(line []byte, at int) error) error {
	rest := bytes.TrimPrefix(data, []byte("\uFEFF"))
	for at := 1; len(rest) > 0; at++ {
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		if len(line) > maxLine {
			return lineTooLong(file, at)
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

func lineTooLong(file string, at int) error {
	return errorf(file, at, "a line of more than %d bytes: this is no such file, or a damaged one", maxLine)
}

// withoutComments leaves out the lines that begin with #.
func withoutComments(do func(line []byte, at int) error) func(line []byte, at int) error {
	return func(line []byte, at int) error {
		if line[0] == '#' {
			return nil
		}
		return do(line, at)
	}
}

// cursor reads a line from left to right.
type cursor struct{ s []byte }

func (c *cursor) blanks() {
	for len(c.s) > 0 && (c.s[0] == ' ' || c.s[0] == '\t') {
		c.s = c.s[1:]
	}
}

// lit takes a literal text.
func (c *cursor) lit(text string) bool {
	if len(c.s) < len(text) || string(c.s[:len(text)]) != text {
		return false
	}
	c.s = c.s[len(text):]
	return true
}

// number takes decimal digits; more than 18 of them are no number.
func (c *cursor) number() (v uint64, ok bool) {
	i := 0
	for i < len(c.s) && isDigit(c.s[i]) {
		v = v*10 + uint64(c.s[i]-'0')
		i++
	}
	if i == 0 || i > 18 {
		return 0, false
	}
	c.s = c.s[i:]
	return v, true
}

// until takes the text before a byte, and the byte.
func (c *cursor) until(stop byte) ([]byte, bool) {
	i := bytes.IndexByte(c.s, stop)
	if i < 0 {
		return nil, false
	}
	t := c.s[:i]
	c.s = c.s[i+1:]
	return t, true
}

// word takes what stands before the next blank.
func (c *cursor) word() []byte {
	c.blanks()
	i := 0
	for i < len(c.s) && c.s[i] != ' ' && c.s[i] != '\t' {
		i++
	}
	w := c.s[:i]
	c.s = c.s[i:]
	return w
}

// isNoise recognises what terminals and libraries write between the lines:
// shell prompts and messages of libibmad.
func isNoise(line []byte) bool {
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

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// hex reads a text of 1 to 16 hexadecimal digits, with or without 0x.
func hex(s []byte) (v uint64, ok bool) {
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') {
		s = s[2:]
	}
	if len(s) == 0 || len(s) > 16 {
		return 0, false
	}
	for _, b := range s {
		switch {
		case isDigit(b):
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

// decimal reads a text of decimal digits.
func decimal(s []byte) (uint64, bool) {
	c := cursor{s}
	v, ok := c.number()
	return v, ok && len(c.s) == 0
}
