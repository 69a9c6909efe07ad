package opensm

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/sm/partition"
	"weft/sm/terms"
)

// named opens the file that a line names; nil and a note if it does not exist.
func (r *importer) named(l line) (*File, error) {
	if l.value == "" || r.in.Open == nil {
		return nil, nil
	}
	f, err := r.in.Open(l.name, l.value)
	if err == nil && f == nil {
		r.note(l, Left, "the file does not exist")
	}
	if f != nil && len(f.Data) > mostBytes {
		return nil, wrong(f.Name, 1, "more than %d bytes", mostBytes)
	}
	return f, err
}

// readNamed validates a file without counterpart in weft, so that its errors are reported.
func (r *importer) readNamed(l line) error {
	if l.name != "port_search_ordering_file" && l.name != "guid_routing_order_file" {
		return nil
	}
	f, err := r.named(l)
	if f == nil {
		return err
	}
	for n, words := range f.lines() {
		if _, err := fabric.ParseGUID(words[0]); err != nil {
			return wrong(f.Name, n, "%q is not a GUID", clip(words[0]))
		}
		for _, port := range words[1:] {
			if _, err := strconv.ParseUint(port, 0, 8); err != nil {
				return wrong(f.Name, n, "%q is not a port", clip(port))
			}
		}
	}
	return nil
}

// partitions imports a partitions file. OpenSM's default file may be missing.
func (r *importer) partitions(l line) error {
	if r.in.Open == nil {
		return nil
	}
	f, err := r.in.Open(l.name, l.value)
	o := options[l.name]
	if err != nil || f == nil && o.isUsual(l.value) {
		return err
	}
	if f == nil {
		r.note(l, Left, "the file does not exist: all ports are in the default partition")
		return nil
	}
	ps, err := partition.Read(f.Name, f.Data)
	if err != nil {
		return err
	}
	r.out.Partitions = f.Name
	r.out.Notes = append(r.out.Notes, Note{File: f.Name, Fate: Taken, Text: fmt.Sprintf("partitions: %d", len(ps))})
	return nil
}

// stored imports the state that OpenSM has stored.
func (r *importer) stored() (err error) {
	add := func(f *File, fate Fate, format string, args ...any) {
		r.out.Notes = append(r.out.Notes, Note{File: f.Name, Fate: fate, Text: fmt.Sprintf(format, args...)})
	}
	if f := r.in.LIDs; f != nil {
		if r.out.LIDs, err = readLIDs(f); err != nil {
			return err
		}
		add(f, Taken, "LIDs by port: %d; option state", len(r.out.LIDs))
	}
	if f := r.in.Keys; f != nil {
		keys, _, err := terms.ReadKeys(f.Name, f.Data)
		if err != nil {
			return err
		}
		key, ok := r.set["m_key"]
		switch {
		case len(keys) == 0:
		case ok && !isZero(key.value):
			r.out.Settings = append(r.out.Settings, Setting{"mkey-file", []string{f.Name}})
			add(f, Taken, "M_Keys by port: %d; option mkey-file", len(keys))
		default:
			add(f, Left, "M_Keys by port: %d, but opensm.conf has no m_key. weft sm skips ports with a key: set m-key or mkey-secret, and mkey-file: %s", len(keys), f.Name)
		}
	}
	if f := r.in.Neighbors; f != nil {
		n, err := countCables(f)
		if err != nil {
			return err
		}
		add(f, Idle, "cables: %d; weft discovers them", n)
	}
	return nil
}

// readLIDs parses guid2lid, and refuses LIDs assigned to two ports.
func readLIDs(f *File) (terms.LIDMap, error) {
	if len(f.Data) > mostBytes {
		return nil, wrong(f.Name, 1, "more than %d bytes", mostBytes)
	}
	m, err := terms.ReadLIDs(f.Name, f.Data)
	if err != nil {
		return nil, err
	}
	last, top := fabric.GUID(0), fabric.LID(0)
	for _, guid := range byLID(m) {
		p := m[guid]
		switch {
		case guid == 0:
			return nil, wrong(f.Name, f.lineOf(guid), "LID %d belongs to a port without a GUID", p.Base)
		case !p.Valid():
			return nil, wrong(f.Name, f.lineOf(guid), "port %s: LID %d is not a unicast LID", guid, p.Base)
		case p.Base <= top:
			return nil, wrong(f.Name, f.lineOf(guid), "LID %d is assigned to port %s and to port %s: remove one of the lines", p.Base, last, guid)
		}
		last, top = guid, p.Last()
	}
	return m, nil
}

// lineOf returns the line of a file that first names a port.
func (f *File) lineOf(guid fabric.GUID) int {
	for n, words := range f.lines() {
		if g, err := fabric.ParseGUID(words[0]); err == nil && g == guid {
			return n
		}
	}
	return 1
}

// byLID lists ports in the order of their LIDs.
func byLID(m terms.LIDMap) []fabric.GUID {
	return slices.SortedFunc(maps.Keys(m), func(a, b fabric.GUID) int {
		return cmp.Or(cmp.Compare(m[a].Base, m[b].Base), cmp.Compare(a, b))
	})
}

// lines yields number and words of each line of a file, without comments (#) and empty lines.
func (f *File) lines() iter.Seq2[int, []string] {
	return func(yield func(int, []string) bool) {
		n := 0
		for text := range strings.Lines(string(f.Data)) {
			n++
			text, _, _ = strings.Cut(text, "#")
			if words := strings.Fields(text); len(words) > 0 && !yield(n, words) {
				return
			}
		}
	}
}

// countCables parses the neighbors file, a line per end of a cable: GUID:PORT GUID:PORT.
func countCables(f *File) (int, error) {
	ends := map[[2]uint64]bool{}
	for n, words := range f.lines() {
		if len(words) != 2 {
			return 0, wrong(f.Name, n, "want GUID:PORT GUID:PORT")
		}
		for _, word := range words {
			guid, port, _ := strings.Cut(word, ":")
			g, err1 := fabric.ParseGUID(guid)
			p, err2 := strconv.ParseUint(port, 0, 8)
			if err1 != nil || err2 != nil {
				return 0, wrong(f.Name, n, "%q is not GUID:PORT", clip(word))
			}
			ends[[2]uint64{uint64(g), p}] = true
		}
	}
	return len(ends) / 2, nil
}
