// Package lines holds what readers and writers of text files share: the errors and
// warnings of a file, its lines and the words and numbers on them, and how nodes are
// named and ordered in what is written.
package lines

import (
	"fmt"
	"strings"

	"weft/fabric"
)

// Warning is something odd in a file that was read all the same.
type Warning struct {
	File string
	Line int // 0 when it concerns the whole file
	Text string
	Lost bool // the file lacks a part of the network: it is refused without Options.Partial

	Dispute *Dispute // where lines tell different things of a port or cable
}

// Dispute says what lines of a file tell differently.
type Dispute struct {
	// Ports are both ends of a cable, or one port; where lines tell different cables of one port the ends of both.
	Ports []fabric.PortName
	Text  string // what is told, and where
	// Cables says that they tell different cables, none of which is taken: the file is refused without
	// Options.Disputed.
	Cables bool
}

// String is "file:line: text", or "file: text" when there is no line.
func (w Warning) String() string { return Located(w.File, w.Line, w.Text) }

// Error is the error of all readers of this package for bad input.
type Error struct {
	File string
	Line int // 0 when it concerns the whole file
	Msg  string
}

// Error is "file:line: msg", or "file: msg" when there is no line.
func (e *Error) Error() string { return Located(e.File, e.Line, e.Msg) }

// Located puts file and line before a text; line 0 stands for the whole file.
func Located(file string, line int, text string) string {
	if line == 0 {
		return file + ": " + text
	}
	return fmt.Sprintf("%s:%d: %s", file, line, text)
}

// Errorf makes an *Error at a line, 0 for the whole file.
func Errorf(file string, line int, format string, args ...any) error {
	return &Error{File: file, Line: line, Msg: Message(format, args)}
}

// Warningf makes a Warning at a line, 0 for the whole file.
func Warningf(file string, line int, format string, args ...any) Warning {
	return Warning{File: file, Line: line, Text: Message(format, args)}
}

// Messages makes the errors and the warnings of one file.
type Messages struct {
	File     string
	Warnings []Warning
}

// Errorf makes an *Error at a line, 0 for the whole file.
func (m *Messages) Errorf(line int, format string, args ...any) error {
	return Errorf(m.File, line, format, args...)
}

// Warnf adds a Warning at a line, 0 for the whole file.
func (m *Messages) Warnf(line int, format string, args ...any) {
	m.Warnings = append(m.Warnings, Warningf(m.File, line, format, args...))
}

// UnicastLID is a LID from least on that a file gives as text, read as a number by read.
func (m *Messages) UnicastLID(text []byte, read func([]byte) (uint64, bool), least uint64, line int) (fabric.LID, error) {
	v, ok := read(text)
	if !ok || v < least || v > uint64(fabric.MaxUnicastLID) {
		return 0, m.Errorf(line, "%q is not a unicast LID", text)
	}
	return fabric.LID(v), nil
}

// longestMessage bounds a message in bytes: what it quotes of a file may have no end.
const longestMessage = 500

// Message formats the text of an error or a warning, and cuts off what is too long.
func Message(format string, args []any) string {
	text := fmt.Sprintf(format, args...)
	if len(text) > longestMessage {
		text = strings.ToValidUTF8(text[:longestMessage], "") + "..."
	}
	return text
}

// Reason is the text of an error of package fabric, for a message that names the line.
func Reason(err error) string { return strings.TrimPrefix(err.Error(), "fabric: ") }
