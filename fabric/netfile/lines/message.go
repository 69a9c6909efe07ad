// Package lines holds the parts that readers and writers of text files share: errors and warnings,
// lines with their words and numbers, the sections of ibdiagnet2.db_csv, and the names and order of
// nodes in written files.
package lines

import (
	"fmt"
	"strings"

	"weft/fabric"
)

// Warning is an oddity in a file that was read anyway.
type Warning struct {
	File string
	Line int // 0 when it concerns the whole file
	Text string
	Lost bool // the file lacks a part of the network; refused without Options.Partial

	Dispute *Dispute // if lines disagree on a port or cable
}

// Dispute describes a contradiction between lines of a file.
type Dispute struct {
	// Ports are both ends of a cable, or one port; if lines name different cables for one port, the
	// ends of both.
	Ports []fabric.PortName
	Text  string // the contradiction, with its lines
	// Cables says that lines contradict each other about a cable. No such cable is used, and
	// without Options.Disputed the file is refused.
	Cables bool
}

// String returns "file:line: text", or "file: text" without a line.
func (w Warning) String() string { return Located(w.File, w.Line, w.Text) }

// Error is the error of all readers of this package for bad input.
type Error struct {
	File string
	Line int // 0 when it concerns the whole file
	Msg  string
}

// Error returns "file:line: msg", or "file: msg" without a line.
func (e *Error) Error() string { return Located(e.File, e.Line, e.Msg) }

// Located puts file and line before a text; line 0 stands for the whole file.
func Located(file string, line int, text string) string {
	if line == 0 {
		return file + ": " + text
	}
	return fmt.Sprintf("%s:%d: %s", file, line, text)
}

// Errorf returns an *Error at a line, 0 for the whole file.
func Errorf(file string, line int, format string, args ...any) error {
	return &Error{File: file, Line: line, Msg: Message(format, args)}
}

// Warningf returns a Warning at a line, 0 for the whole file.
func Warningf(file string, line int, format string, args ...any) Warning {
	return Warning{File: file, Line: line, Text: Message(format, args)}
}

// Messages creates the errors and warnings of one file.
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

// UnicastLID parses a LID with read; LIDs below least are errors.
func (m *Messages) UnicastLID(text []byte, read func([]byte) (uint64, bool), least uint64, line int) (fabric.LID, error) {
	v, ok := read(text)
	if !ok || v < least || v > uint64(fabric.MaxUnicastLID) {
		return 0, m.Errorf(line, "%q is not a unicast LID", text)
	}
	return fabric.LID(v), nil
}

// longestMessage bounds a message in bytes: quotes from a file may be endless.
const longestMessage = 500

// Message formats the text of an error or a warning, and cuts it off after longestMessage bytes.
func Message(format string, args []any) string {
	text := fmt.Sprintf(format, args...)
	if len(text) > longestMessage {
		text = strings.ToValidUTF8(text[:longestMessage], "") + "..."
	}
	return text
}

// Reason returns the text of an error of package fabric, for a message with a line.
func Reason(err error) string { return strings.TrimPrefix(err.Error(), "fabric: ") }
