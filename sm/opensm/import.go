package opensm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
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

	// Startup are the files that start OpenSM with options: sysconfig, defaults, init scripts and
	// systemd units.
	Startup []*File

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
	Rewritten  []byte       // contents of a partitions file that says what OpenSM reads; nil if Partitions does
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

// Import reads all files, and returns the settings that it could translate, with all errors joined.
// Only a bad file of LIDs or keys is an error, because a LID or a key would move. Every other
// problem is a Note: where OpenSM starts with a mistake, the Note says how OpenSM reads it.
func Import(in *Input) (*Result, error) {
	r := &importer{in: in, set: map[string]line{}}
	r.out.Settings, r.out.Notes = []Setting{}, []Note{} // never null in JSON
	r.read()
	for _, l := range r.lines {
		r.option(l)
	}
	r.unnamed()
	r.stored()
	return &r.out, errors.Join(r.errs...)
}

// importer is an import under way.
type importer struct {
	in  *Input
	set map[string]line // last line of each option

	lines []line
	errs  []error
	out   Result
}

// note reports the result for a line.
func (r *importer) note(l line, fate Fate, format string, args ...any) {
	n := Note{File: l.file, Line: l.number, Option: l.name, Value: clip(l.value), Fate: fate, Text: fmt.Sprintf(format, args...)}
	if l.old != "" {
		n.Option, n.Text = l.old, fmt.Sprintf("stands for %s: %s", l.name, n.Text)
	}
	r.out.Notes = append(r.out.Notes, n)
}

// noteFile reports the result for a file.
func (r *importer) noteFile(f *File, fate Fate, format string, args ...any) {
	r.out.Notes = append(r.out.Notes, Note{File: f.Name, Fate: fate, Text: fmt.Sprintf(format, args...)})
}

// stop adds an error. The import then writes nothing, but goes on to find all errors.
func (r *importer) stop(err error) {
	if err != nil {
		r.errs = append(r.errs, err)
	}
}

// give sets an option of weft sm for a line.
func (r *importer) give(l line, name string, values ...string) {
	r.giveAs(l, Taken, name, values...)
}

// giveAs is give with another fate.
func (r *importer) giveAs(l line, fate Fate, name string, values ...string) {
	r.out.Settings = append(r.out.Settings, Setting{name, values})
	r.note(l, fate, "%s: %s", name, clip(strings.Join(values, ", ")))
}

// read lists all options: of opensm.conf, then of the command line, which wins.
func (r *importer) read() {
	var lists [][]line
	first := ""
	for _, f := range r.in.Startup {
		s := readStartup(f)
		r.out.Notes = append(r.out.Notes, s.notes...)
		lists = append(lists, s.lines)
		for _, l := range s.configs {
			first = cmp.Or(first, l.value)
			r.configuration(l, first)
		}
	}
	if r.in.Config != nil {
		list, err := readLines(r.in.Config.Name, r.in.Config.Data)
		r.stop(err)
		r.lines = list
	}
	for _, list := range lists {
		r.lines = append(r.lines, list...)
	}
	r.lines = slices.DeleteFunc(r.lines, func(l line) bool { return !r.readable(l) })
	for i, l := range r.lines {
		if o, known := options()[l.name]; known && o.isTruth() && l.value != "TRUE" && l.value != "FALSE" {
			r.note(l, Wrong, "OpenSM reads it as FALSE: it takes only TRUE as true")
			r.lines[i].value = "FALSE"
		}
		if n, whole := leading(l.value); strings.HasSuffix(l.name, "_high_limit") && !whole && l.value != "" {
			r.note(l, Wrong, "OpenSM reads it as %d", int64(n))
			r.lines[i].value = strconv.FormatInt(int64(n), 10)
		}
		r.set[l.name] = r.lines[i]
	}
}

// configuration notes an option of the command line that names opensm.conf; first is what the first
// such option names.
func (r *importer) configuration(l line, first string) {
	switch {
	case l.value != first:
		r.note(l, Left, "another configuration than %s, not imported: import it by itself, for a manager of its own", first)
	case r.in.Config == nil:
		r.note(l, Left, "there is no such file, and none of its options is imported: give it as opensm.conf=FILE")
	default:
		r.note(l, Idle, "%s is imported", r.in.Config.Name)
	}
}

// readable reports whether OpenSM takes a line, and notes if it does not: it ignores a value that
// is not a number, or too large, and an earlier line of the option stays in force.
func (r *importer) readable(l line) bool {
	most, isNumber := maxima[l.name]
	if !isNumber || l.started {
		return true
	}
	n, err := number(l.value)
	if err == nil && n <= most {
		return true
	}
	r.note(l, Wrong, "OpenSM ignores the line: want a number from 0 to %d", most)
	return false
}

// option imports a line.
func (r *importer) option(l line) {
	o, known := options()[l.name]
	vendors, ofVendor := vendorOptions()[l.name]
	last := r.set[l.name] == l || strings.HasPrefix(l.name, "cc_ca_") // these have a line for each SL
	switch {
	case !last:
		r.note(l, Idle, "overridden by %s", r.set[l.name].place(l.file))
	case ofVendor:
		r.note(l, Left, "%s", vendors)
	case !known:
		r.note(l, Unknown, "not an option of OpenSM 3.3.23, which ignores it; perhaps one of a vendor's")
	case o.isUsual(l.value) && l.name != "partition_config_file":
	case o.fate == Taken:
		if err := takers[l.name](r, l); err != nil {
			r.note(l, Wrong, "%v; OpenSM's default is %s", err, cmp.Or(plain(o.usual), "none"))
		}
	default:
		r.readNamed(l)
		r.note(l, o.fate, "%s", o.text)
	}
}

// place names a line: its number, with its file if that is not the given one.
func (l line) place(file string) string {
	if l.file == file {
		return fmt.Sprintf("line %d", l.number)
	}
	return fmt.Sprintf("%s:%d", l.file, l.number)
}

// unnamed imports the files that OpenSM reads at their default paths.
func (r *importer) unnamed() {
	for _, name := range []string{"partition_config_file", "torus_config", "prefix_routes_file"} {
		if _, named := r.set[name]; named || r.in.Open == nil {
			continue
		}
		o := options()[name]
		l := line{name: name, value: plain(o.usual)}
		if name == "partition_config_file" {
			if r.in.Config != nil || r.in.Startup != nil {
				r.stop(r.partitions(l))
			}
			continue
		}
		if name == "prefix_routes_file" {
			l.file = l.value
			_ = r.prefixRoutes(l) // it notes what is wrong
			continue
		}
		f, err := r.in.Open(name, l.value)
		if err != nil {
			r.out.Notes = append(r.out.Notes, Note{File: l.value, Option: name, Fate: Left, Text: fmt.Sprintf("cannot be read: %v", err)})
		} else if f != nil {
			r.out.Notes = append(r.out.Notes, Note{File: f.Name, Option: name, Fate: o.fate, Text: o.text})
		}
	}
}

// truth parses a boolean as OpenSM does.
func truth(text string) bool { return text == "TRUE" }

// isOn reports whether an option of opensm.conf is TRUE.
func (r *importer) isOn(name string) bool { return truth(r.set[name].value) }
