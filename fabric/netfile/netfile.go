package netfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"weft/fabric"
)

// Format is a topology file format that Read understands.
type Format string

// The formats.
const (
	IBNetDiscover Format = "ibnetdiscover" // ibnetdiscover output and ibsim net files
	LST           Format = "lst"           // subnet.lst of OpenSM, .lst of ibdiagnet
	NetDump       Format = "net_dump"      // .net_dump of ibdiagnet
	Topo          Format = "topo"          // topology file of ibutils
	ORCS          Format = "orcs"          // input of the simulator ORCS, a digraph of Graphviz
	JSON          Format = "json"          // weft's own
)

// Warning is something odd in a file that was read all the same.
type Warning struct {
	File string
	Line int // 0 when it concerns the whole file
	Text string
}

// String is "file:line: text", or "file: text" when there is no line.
func (w Warning) String() string { return located(w.File, w.Line, w.Text) }

// Error is what every reader of this package returns for bad input.
type Error struct {
	File string
	Line int // 0 when it concerns the whole file
	Msg  string
}

// Error is "file:line: msg", or "file: msg" when there is no line.
func (e *Error) Error() string { return located(e.File, e.Line, e.Msg) }

func located(file string, line int, text string) string {
	if line == 0 {
		return file + ": " + text
	}
	return fmt.Sprintf("%s:%d: %s", file, line, text)
}

// errorf makes an *Error at a line, 0 for the whole file.
func errorf(file string, line int, format string, args ...any) error {
	return &Error{File: file, Line: line, Msg: message(format, args)}
}

// warningf makes a Warning at a line, 0 for the whole file.
func warningf(file string, line int, format string, args ...any) Warning {
	return Warning{File: file, Line: line, Text: message(format, args)}
}

// longestMessage bounds a message in bytes: what it quotes of a file may have no end.
const longestMessage = 500

func message(format string, args []any) string {
	text := fmt.Sprintf(format, args...)
	if len(text) > longestMessage {
		text = strings.ToValidUTF8(text[:longestMessage], "") + "..."
	}
	return text
}

// reason is what an error of package fabric says, for a message that names the line.
func reason(err error) string { return strings.TrimPrefix(err.Error(), "fabric: ") }

// Options is what a reader may need besides the file.
type Options struct {
	// Systems holds the .ibnl system definitions that topo files refer to. When
	// nil, only systems of a single well known chip can be named.
	Systems fs.FS
}

// Detect recognises the format of a topology file by its content.
func Detect(data []byte) (Format, error) {
	if isDigraph(data) {
		return ORCS, nil
	}
	if f, known := detectWhole(data); known {
		return f, nil
	}
	in := lines{rest: data}
	for line, ok := in.next(); ok; line, ok = in.next() {
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if f := detectLine(line); f != "" {
			return f, nil
		}
		if what := notTopology(line); what != "" {
			return "", errorf("input", in.n, "%s, not a topology file", what)
		}
	}
	return "", errorf("input", 0, "no topology file of a format that is known here (%s, %s, %s, %s, %s, %s)",
		IBNetDiscover, LST, NetDump, Topo, ORCS, JSON)
}

// detectWhole recognises JSON, which need not have lines.
func detectWhole(data []byte) (Format, bool) {
	s := bytes.TrimLeft(data, " \t\r\n")
	if len(s) == 0 || s[0] != '{' {
		return "", false
	}
	s = bytes.TrimLeft(s[1:], " \t\r\n")
	return JSON, len(s) > 0 && (s[0] == '"' || s[0] == '}')
}

// detectLine recognises a line that only one format has; "" when it tells nothing.
func detectLine(line []byte) Format {
	has := func(s string) bool { return bytes.Contains(line, []byte(s)) }
	if line[0] == '{' {
		if has("NodeGUID:") {
			return LST
		}
		return ""
	}
	if line[0] == '"' {
		if has("LID") && has(", 0x") {
			return NetDump
		}
		return ""
	}
	if key, _, _, ok := assignment(line); ok {
		switch key {
		case "vendid", "devid", "sysimgguid", "switchguid", "caguid", "hcaguid", "hcaguids", "rtguid", "module", "width", "speed", "extspeed":
			return IBNetDiscover
		}
	}
	if _, _, c, ok := nodeHeader(line); ok {
		if c.blanks(); c.lit(`"`) {
			return IBNetDiscover
		}
	}
	line, _, _ = bytes.Cut(line, []byte("#"))
	if f := strings.Fields(string(line)); len(f) == 5 && strings.HasPrefix(f[1], "-") && strings.HasSuffix(f[1], "->") {
		return Topo
	}
	return ""
}

// notTopology names files of other kinds that are easily mistaken.
func notTopology(line []byte) string {
	for _, k := range []struct{ prefix, what string }{
		{"SYSTEM ", "an ibnl system definition (give it with --ibnl)"},
		{"TOPSYSTEM ", "an ibnl system definition (give it with --ibnl)"},
		{"Unicast lids", "forwarding tables (weft check --lfts takes them)"},
		{"dump_ucast_routes: ", "forwarding tables (weft check --lfts takes them)"},
		{"Multicast mlids", "multicast forwarding tables"},
		{"SwitchName=", "a Slurm topology.conf"},
		{"graph ", "a Graphviz graph"},
		{"\x1f\x8b", "compressed by gzip (unpack it first)"},
		{"BZh", "compressed by bzip2 (unpack it first)"},
		{"\xfd7zXZ", "compressed by xz (unpack it first)"},
		{"\x28\xb5\x2f\xfd", "compressed by zstd (unpack it first)"},
		{"\xff\xfe", "text in UTF-16 (convert it to UTF-8)"},
		{"\xfe\xff", "text in UTF-16 (convert it to UTF-8)"},
	} {
		if bytes.HasPrefix(line, []byte(k.prefix)) {
			return k.what
		}
	}
	return ""
}

// Read reads a topology file, whatever its format. The name is for messages and
// becomes the fabric's name. Errors are of type *Error.
func Read(name string, data []byte, opt Options) (*fabric.Fabric, []Warning, error) {
	format, err := Detect(data)
	if err != nil {
		if e, ok := errors.AsType[*Error](err); ok {
			err = errorf(name, e.Line, "%s", e.Msg)
		}
		return nil, nil, err
	}
	switch format {
	case IBNetDiscover:
		return readIBNetDiscover(name, data)
	case LST:
		return readLST(name, data)
	case NetDump:
		return readNetDump(name, data)
	case Topo:
		return readTopo(name, data, opt)
	case ORCS:
		f, _, warnings, _, err := readORCS(name, data)
		return f, warnings, err
	default:
		return readJSON(name, data)
	}
}
