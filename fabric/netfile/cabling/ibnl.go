package cabling

import (
	"io/fs"
	"path"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/draft"
	"weft/fabric/netfile/lines"
)

// system is a SYSTEM or TOPSYSTEM of an ibnl file: chips and boards, the cables between them, and
// the outside connectors.
type system struct {
	file   *ibnlFile
	names  []string
	line   int
	parts  []part
	byName map[string]int
	wires  []wire
	plugs  []plug         // in the order of the file
	plugAt map[string]int // line of a plug by name
	chips  int            // number of chips inside, boards included; 0 until known
	open   bool           // its chips are being counted
}

// part is a chip (NODE) or a board (SUBSYSTEM) inside a system.
type part struct {
	name  string
	line  int
	typ   fabric.NodeType // chip: switch or CA; 0 for a board
	ports int             // chip
	board string          // board: name of its system in the same file
}

// contact is a port of a chip or a connector of a board.
type contact struct {
	part int
	port string
}

// wire joins two contacts of one system.
type wire struct {
	a, b  contact
	to    string // name of the part of b
	line  int
	back  int // line where b lists it
	width fabric.Width
	speed fabric.Speed
}

// plug is a connector of a system and the contact behind it.
type plug struct {
	name string
	at   contact
	line int
}

// ibnlFile holds the definitions of one file.
type ibnlFile struct {
	name     string
	boards   map[string]*system // SYSTEM, known in this file only
	systems  []*system          // all, in order
	warnings []lines.Warning
}

// maxChips bounds the chips of one system; the largest chassis have hundreds.
const maxChips = 1 << 16

// readSystems reads every .ibnl file of a directory and returns its TOPSYSTEMs by name.
func readSystems(fsys fs.FS) (map[string]*system, error) {
	files, err := fs.Glob(fsys, "*.ibnl")
	if err != nil {
		return nil, lines.Errorf("*.ibnl", 0, "%s", err)
	}
	top := map[string]*system{}
	for _, name := range files {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, lines.Errorf(name, 0, "%s", err)
		}
		f, err := parseIBNL(name, data)
		if err != nil {
			return nil, err
		}
		for _, s := range f.systems {
			if s.isBoard() {
				continue
			}
			for _, n := range s.names {
				if old, dup := top[n]; dup {
					return nil, lines.Errorf(name, s.line, "system %s is defined in %s:%d too", n, old.file.name, old.line)
				}
				top[n] = s
			}
		}
	}
	return top, nil
}

func (s *system) isBoard() bool { return s.file.boards[s.names[0]] == s }

// ibnlReader reads one ibnl file.
type ibnlReader struct {
	*draft.Draft // for messages only
	file         *ibnlFile
	current      *system
	part         int // index in current.parts, or -1
}

// parseIBNL reads an ibnl file and checks that its parts fit together.
func parseIBNL(name string, data []byte) (*ibnlFile, error) {
	r := ibnlReader{Draft: draft.New(path.Base(name)), part: -1}
	r.file = &ibnlFile{name: r.Draft.File, boards: map[string]*system{}}
	if err := lines.Each(r.Draft.File, data, withoutRemarks(r.line)); err != nil {
		return nil, err
	}
	for _, s := range r.file.systems {
		if err := r.resolve(s); err != nil {
			return nil, err
		}
	}
	for _, s := range r.file.systems {
		if err := r.count(s); err != nil {
			return nil, err
		}
	}
	r.file.warnings = r.Warnings
	return r.file, nil
}

// line parses the fields of a line that is not empty.
func (r *ibnlReader) line(f []string, at int) error {
	switch f[0] {
	case "SYSTEM", "TOPSYSTEM":
		return r.system(f, at)
	case "NODE", "SUBSYSTEM":
		return r.newPart(f, at)
	}
	if i, w, s, ok, err := arrow(r.Draft, f, at); err != nil {
		return err
	} else if ok {
		return r.connection(f, i, w, s, at)
	}
	if i := strings.IndexByte(f[0], '='); i > 0 && len(f) == 1 {
		return nil // attribute of a chip, such as U1=isChaBma: not about the network
	}
	return r.Errorf(at, "line not understood: %q", strings.Join(f, " "))
}

func (r *ibnlReader) system(f []string, at int) error {
	s := &system{file: r.file, line: at, byName: map[string]int{}, plugAt: map[string]int{}}
	for n := range strings.SplitSeq(strings.Join(f[1:], ""), ",") {
		if n != "" {
			s.names = append(s.names, n)
		}
	}
	if len(s.names) == 0 {
		return r.Errorf(at, "%s without a name", f[0])
	}
	for _, n := range s.names {
		if f[0] == "TOPSYSTEM" {
			break
		}
		if old, dup := r.file.boards[n]; dup && old != s {
			return r.Errorf(at, "system %s is defined on line %d too", n, old.line)
		}
		r.file.boards[n] = s
	}
	r.file.systems = append(r.file.systems, s)
	r.current, r.part = s, -1
	return nil
}

// newPart parses NODE SW 36 MT48436 U1 and SUBSYSTEM LEAF leaf1.
func (r *ibnlReader) newPart(f []string, at int) error {
	if r.current == nil {
		return r.Errorf(at, "%s before the first SYSTEM", f[0])
	}
	p := part{line: at}
	if f[0] == "NODE" {
		if len(f) != 5 {
			return r.Errorf(at, "want NODE SW|CA ports device name")
		}
		switch f[1] {
		case "SW":
			p.typ = fabric.Switch
		case "CA", "HCA":
			p.typ = fabric.CA
		default:
			return r.Errorf(at, "unknown node type %q (want SW or CA)", f[1])
		}
		n, ok := lines.Decimal([]byte(f[2]))
		if !ok || n < 1 || n > fabric.MaxPorts {
			return r.Errorf(at, "%q is not a number of ports (want 1 to %d)", f[2], fabric.MaxPorts)
		}
		p.ports, p.name = int(n), f[4]
	} else {
		if len(f) != 3 {
			return r.Errorf(at, "want SUBSYSTEM system name")
		}
		p.board, p.name = f[1], f[2]
	}
	if old, dup := r.current.byName[p.name]; dup {
		return r.Errorf(at, "%s is there already (line %d)", p.name, r.current.parts[old].line)
	}
	r.part = len(r.current.parts)
	r.current.byName[p.name] = r.part
	r.current.parts = append(r.current.parts, p)
	return nil
}

// arrow finds "->" or "-12x-5G->" among the fields of a line. The default is ibutils': 4x SDR.
func arrow(d *draft.Draft, f []string, at int) (index int, w fabric.Width, s fabric.Speed, ok bool, err error) {
	for i, t := range f {
		if !strings.HasPrefix(t, "-") || !strings.HasSuffix(t, "->") {
			continue
		}
		w, s = 4, fabric.SDR
		if t == "->" {
			return i, w, s, true, nil
		}
		for v := range strings.SplitSeq(t[1:len(t)-2], "-") {
			c := lines.Cursor{Rest: []byte(v)}
			lanes, isNum := c.Number()
			if isNum && (c.Lit("x") || c.Lit("X")) && len(c.Rest) == 0 && draft.KnownWidth(lanes) {
				w = fabric.Width(lanes)
				continue
			}
			speed, known := draft.ParseSpeed(strings.TrimSuffix(strings.TrimSuffix(v, "G"), "g"))
			if !known {
				return 0, 0, 0, false, d.Errorf(at, "%q is not a width or speed (want such as -4x-5G->)", t)
			}
			s = speed
		}
		return i, w, s, true, nil
	}
	return 0, 0, 0, false, nil
}

// connection parses "port -> connector" and "port -> part port".
func (r *ibnlReader) connection(f []string, arrow int, w fabric.Width, s fabric.Speed, at int) error {
	if r.part < 0 {
		return r.Errorf(at, "a connection before NODE or SUBSYSTEM")
	}
	sys := r.current
	here := contact{r.part, f[0]}
	switch {
	case arrow == 1 && len(f) == 3:
		if old, dup := sys.plugAt[f[2]]; dup {
			return r.Errorf(at, "connector %s is used on line %d too", f[2], old)
		}
		sys.plugAt[f[2]] = at
		sys.plugs = append(sys.plugs, plug{f[2], here, at})
	case arrow == 1 && len(f) == 4:
		sys.wires = append(sys.wires, wire{a: here, b: contact{-1, f[3]}, to: f[2], line: at, width: w, speed: s})
	default:
		return r.Errorf(at, "want port -> connector, or port -> part port")
	}
	return nil
}
