package opensm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"weft/sm/terms"
)

// File is a file of OpenSM.
type File struct {
	Name string
	Data []byte
}

// Input holds the configuration files and the stored state of an OpenSM. A missing file is nil.
type Input struct {
	Config    *File // opensm.conf
	LIDs      *File // guid2lid
	Keys      *File // guid2mkey
	Neighbors *File

	// Open opens a file that an option of the configuration names. It returns nil for a missing
	// file.
	Open func(option, path string) (*File, error)
}

// Setting is an option of weft sm.
type Setting struct {
	Option string   `json:"option"`
	Values []string `json:"values"`
}

// Note describes the translation of an option or a file.
type Note struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`   // 0: the whole file, or a missing option
	Option string `json:"option,omitempty"` // of OpenSM
	Value  string `json:"value,omitempty"`
	Fate   Fate   `json:"fate"`
	Text   string `json:"text"` // the option of weft sm, or its effect
}

// Result is the state that a weft sm needs to take a subnet over from an OpenSM.
type Result struct {
	Settings   []Setting
	LIDs       terms.LIDMap // nil without a guid2lid
	Partitions string       // name of the partitions file; "" for none
	Levels     []byte       // contents of a levels file; nil for none
	Notes      []Note
}

// Error is a mistake in a file.
type Error struct {
	File string
	Line int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// wrong returns an *Error.
func wrong(file string, line int, format string, args ...any) error {
	return &Error{file, line, fmt.Sprintf(format, args...)}
}

// Import reads all files. A malformed file of LIDs, keys or GUIDs is an error, as is a value that
// the corresponding option of weft sm cannot take.
func Import(in *Input) (*Result, error) {
	r := &importer{in: in, set: map[string]line{}}
	if in.Config != nil {
		if err := r.config(); err != nil {
			return nil, err
		}
	}
	if err := r.stored(); err != nil {
		return nil, err
	}
	return &r.out, nil
}

// importer is an import under way.
type importer struct {
	in  *Input
	set map[string]line // last line of each option

	lines []line
	out   Result
}

// note reports the result for a line of opensm.conf.
func (r *importer) note(l line, fate Fate, format string, args ...any) {
	r.out.Notes = append(r.out.Notes, Note{File: r.in.Config.Name, Line: l.number, Option: l.name, Value: clip(l.value), Fate: fate, Text: fmt.Sprintf(format, args...)})
}

// give sets an option of weft sm for a line of opensm.conf.
func (r *importer) give(l line, name string, values ...string) {
	r.out.Settings = append(r.out.Settings, Setting{name, values})
	r.note(l, Taken, "%s: %s", name, clip(strings.Join(values, ", ")))
}

// config imports opensm.conf.
func (r *importer) config() error {
	lines, err := readLines(r.in.Config.Name, r.in.Config.Data)
	if err != nil {
		return err
	}
	r.lines = lines
	for _, l := range lines {
		r.set[l.name] = l
	}
	for _, l := range lines {
		o, known := options[l.name]
		last := r.set[l.name] == l || strings.HasPrefix(l.name, "cc_ca_") // these have a line for each SL
		switch {
		case !known:
			r.note(l, Unknown, "not an option of OpenSM 3.3.23")
		case !last:
			r.note(l, Idle, "overridden in line %d", r.set[l.name].number)
		case o.isUsual(l.value) && l.name != "partition_config_file":
		case o.fate == Taken:
			if err := takers[l.name](r, l); err != nil {
				return wrong(r.in.Config.Name, l.number, "%s %s: %v", l.name, clip(l.value), err)
			}
		default:
			if err := r.readNamed(l); err != nil {
				return err
			}
			r.note(l, o.fate, "%s", o.text)
		}
	}
	if _, named := r.set["partition_config_file"]; !named {
		return r.partitions(line{name: "partition_config_file", value: plain(options["partition_config_file"].usual)})
	}
	return nil
}

// number parses a number in OpenSM's syntax.
func number(text string) (uint64, error) { return strconv.ParseUint(text, 0, 64) }

// within parses a number in a range.
func within(text string, least, most uint64) (uint64, error) {
	n, err := number(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("want a number from %d to %d", least, most)
	}
	return n, nil
}

// truth parses TRUE or FALSE.
func truth(text string) (bool, error) {
	switch {
	case strings.EqualFold(text, "TRUE"):
		return true, nil
	case strings.EqualFold(text, "FALSE"):
		return false, nil
	}
	return false, errors.New("want TRUE or FALSE")
}
