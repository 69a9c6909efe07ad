package goal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"weft/apps/program"
)

// fault is a fault in a schedule's text.
type fault struct {
	Line, Column int // from 1
	Text         string
}

func (e *fault) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
}

// maxRanks bounds the number of ranks, so that a wrong file takes no memory.
const maxRanks = 1 << 24

// reader reads a schedule line by line.
type reader struct {
	in      *bufio.Reader
	line    []byte // the present line without comments
	at      int    // how much of it was read
	number  int    // of the line
	comment bool   // the line began inside a /* comment

	ranks  int // that the file promises
	rank   int // the present one, -1 before the first
	inside bool
	build  *program.Builder
	labels labelTable
}

// readText reads the text form.
func readText(in *bufio.Reader) (*program.Schedule, error) {
	r := &reader{in: in, rank: -1, build: program.NewBuilder(0, 0)}
	for {
		err := r.nextLine()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := r.statement(); err != nil {
			return nil, err
		}
	}
	r.line, r.at = nil, 0
	switch {
	case r.comment:
		return nil, r.fault("the file ends inside a comment: */ is missing")
	case r.ranks == 0:
		return nil, r.fault("the file has no line num_ranks")
	case r.inside:
		return nil, r.fault("the file ends inside rank %d: } is missing", r.rank)
	case r.rank != r.ranks-1:
		return nil, r.fault("the file ends after rank %d of 0 to %d", r.rank, r.ranks-1)
	}
	return r.build.Schedule()
}

// fault returns an error at the present place.
func (r *reader) fault(format string, args ...any) error {
	return &fault{max(r.number, 1), r.at + 1, fmt.Sprintf(format, args...)}
}

// nextLine reads the next line that is not empty.
func (r *reader) nextLine() error {
	for {
		line, err := r.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return &fault{r.number + 1, 1, "the line is too long for a schedule"}
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("after line %d: %w", r.number, err)
		}
		if len(line) == 0 {
			return io.EOF
		}
		r.number++
		r.line, r.at = r.uncomment(line), 0
		if r.skip(); r.at < len(r.line) {
			return nil
		}
	}
}

// uncomment replaces comments by blanks.
func (r *reader) uncomment(line []byte) []byte {
	if !r.comment && bytes.IndexByte(line, '/') < 0 {
		return line
	}
	for i := 0; i < len(line); i++ {
		two := line[i:min(i+2, len(line))]
		switch {
		case r.comment && string(two) == "*/":
			r.comment = false
			line[i], line[i+1] = ' ', ' '
			i++
		case r.comment:
			line[i] = ' '
		case string(two) == "//":
			return line[:i]
		case string(two) == "/*":
			r.comment = true
			line[i], line[i+1] = ' ', ' '
			i++
		}
	}
	return line
}

// skip moves to the next word.
func (r *reader) skip() {
	for r.at < len(r.line) {
		switch r.line[r.at] {
		case ' ', '\t', '\r', '\n':
			r.at++
		default:
			return
		}
	}
}

// word reads the next word: letters, digits and underscores. It is empty at the line's end and
// before any other character.
func (r *reader) word() []byte {
	r.skip()
	from := r.at
	for r.at < len(r.line) && isWord(r.line[r.at]) {
		r.at++
	}
	return r.line[from:r.at]
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// accept reads a character if it is the next one.
func (r *reader) accept(c byte) bool {
	r.skip()
	if r.at < len(r.line) && r.line[r.at] == c {
		r.at++
		return true
	}
	return false
}

// integer reads a number from least to most, and what names it in errors.
func (r *reader) integer(what string, least, most int64) (int64, error) {
	r.skip()
	from := r.at
	negative := r.accept('-')
	n, digits := int64(0), 0
	for ; r.at < len(r.line) && '0' <= r.line[r.at] && r.line[r.at] <= '9'; r.at++ {
		d := int64(r.line[r.at] - '0')
		if n > (1<<63-1-d)/10 {
			r.at = from
			return 0, r.fault("the %s is larger than %d", what, most)
		}
		n, digits = 10*n+d, digits+1
	}
	if negative {
		n = -n
	}
	switch {
	case digits == 0:
		r.at = from
		return 0, r.fault("a number is missing: the %s", what)
	case n < least || n > most:
		r.at = from
		return 0, r.fault("the %s is %d: it may be %d to %d", what, n, least, most)
	}
	return n, nil
}

// endOfLine wants the line's end.
func (r *reader) endOfLine() error {
	if r.skip(); r.at < len(r.line) {
		return r.fault("%q after the statement: a line holds one", bytes.TrimSpace(r.line[r.at:]))
	}
	return nil
}
