package opensm

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/sm/partition"
	"weft/sm/terms"
)

// named opens the file that a line names; nil and a note if it cannot be read. OpenSM's default
// file may be missing.
func (r *importer) named(l line) *File {
	if l.value == "" || r.in.Open == nil {
		return nil
	}
	f, err := r.in.Open(l.name, l.value)
	switch {
	case err != nil:
		r.note(l, Left, "%v", err)
	case f == nil && options()[l.name].isUsual(l.value):
	case f == nil:
		r.note(l, Left, "the file does not exist")
	case len(f.Data) > mostBytes:
		r.note(l, Left, "the file has more than %d bytes", mostBytes)
	default:
		return f
	}
	return nil
}

// readNamed reads a file without counterpart in weft, and reports its bad lines.
func (r *importer) readNamed(l line) {
	if l.name != "port_search_ordering_file" && l.name != "guid_routing_order_file" {
		return
	}
	f := r.named(l)
	if f == nil {
		return
	}
	for n, words := range f.lines() {
		at := line{file: f.Name, number: n, name: l.name, value: strings.Join(words, " ")}
		if _, err := number(words[0]); err != nil {
			r.note(at, Wrong, "%q is not a GUID", clip(words[0]))
			continue
		}
		if l.name == "guid_routing_order_file" {
			continue // what follows a GUID means nothing
		}
		for _, port := range words[1:] {
			if _, err := within(port, 0, 255); err != nil {
				r.note(at, Wrong, "%q is not a port", clip(port))
			}
		}
	}
}

// partitions imports a partitions file. OpenSM's default file may be missing.
func (r *importer) partitions(l line) error {
	if r.in.Open == nil {
		return nil
	}
	f, err := r.in.Open(l.name, l.value)
	o := options()[l.name]
	if err == nil && f == nil && !o.isUsual(l.value) {
		r.note(l, Left, "the file does not exist: all ports are in the default partition")
	}
	if err != nil || f == nil {
		r.stop(err)
		return nil
	}
	theirs, remarks, err := r.readPartitions(f)
	r.out.Notes = append(r.out.Notes, remarks...)
	if err != nil {
		r.out.Rewritten, _, _ = Partitions(partition.Everyone(), nil)
		r.noteFile(f, Wrong, "%v. OpenSM takes nothing of the file then: all ports are full members of the default partition, and no port has another. Written anew so; mend the file, and set partitions", err)
		return nil
	}
	ours, err := partition.Read(f.Name, f.Data)
	if err == nil && samePartitions(ours, theirs) {
		r.out.Partitions = f.Name
		r.noteFile(f, Taken, "partitions: %d", len(theirs))
		return nil
	}
	why := "weft sm would read its members or groups differently"
	if err != nil {
		why = err.Error()
	}
	r.out.Rewritten, _, _ = Partitions(theirs, nil)
	r.noteFile(f, TakenAs, "partitions: %d, rewritten as OpenSM reads them: %s", len(theirs), why)
	return nil
}

// readPartitions reads a partitions file as the OpenSM of this configuration does.
func (r *importer) readPartitions(f *File) (partition.Partitions, []Note, error) {
	return readPartitions(f, r.isOn("qos"), r.isOn("allow_both_pkeys"))
}

// stored imports the state that OpenSM has stored.
func (r *importer) stored() {
	if f := r.in.LIDs; f != nil {
		lids, err := readLIDs(f)
		r.stop(err)
		r.out.LIDs = lids
		if err == nil {
			r.noteFile(f, Taken, "LIDs by port: %d; option state", len(lids))
		}
	}
	if f := r.in.Keys; f != nil {
		r.storedKeys(f)
	}
	if f := r.in.Neighbors; f != nil {
		if n, err := countCables(f); err != nil {
			r.noteFile(f, Wrong, "%v; weft discovers the cables", err)
		} else {
			r.noteFile(f, Idle, "cables: %d; weft discovers them", n)
		}
	}
}

// storedKeys imports guid2mkey.
func (r *importer) storedKeys(f *File) {
	keys, _, err := terms.ReadKeys(f.Name, f.Data)
	key, ok := r.set["m_key"]
	switch {
	case err != nil:
		r.stop(err)
	case len(keys) == 0:
	case ok && !isZero(key.value):
		r.out.Settings = append(r.out.Settings, Setting{"mkey-file", []string{f.Name}})
		r.noteFile(f, Taken, "M_Keys by port: %d; option mkey-file", len(keys))
	default:
		r.noteFile(f, Left, "M_Keys by port: %d, but opensm.conf has no m_key. weft sm skips ports with a key: set m-key or mkey-secret, and mkey-file: %s", len(keys), f.Name)
	}
}

// readLIDs parses guid2lid, and refuses LIDs assigned to two ports. It finds all errors.
func readLIDs(f *File) (terms.LIDMap, error) {
	if len(f.Data) > mostBytes {
		return nil, wrong(f.Name, 1, "more than %d bytes", mostBytes)
	}
	m, err := terms.ReadLIDs(f.Name, f.Data)
	if err != nil {
		return nil, err
	}
	var errs []error
	at := f.portLines()
	last, top := fabric.GUID(0), fabric.LID(0)
	for _, guid := range byLID(m) {
		p := m[guid]
		switch {
		case guid == 0:
			errs = append(errs, wrong(f.Name, at[guid], "LID %d belongs to a port without a GUID", p.Base))
		case !p.Valid():
			errs = append(errs, wrong(f.Name, at[guid], "port %s: LID %d is not a unicast LID", guid, p.Base))
		case p.Base <= top:
			errs = append(errs, wrong(f.Name, at[guid], "LID %d is assigned to port %s and to port %s: remove one of the lines", p.Base, last, guid))
		}
		if p.Last() > top {
			last, top = guid, p.Last()
		}
	}
	return m, terms.JoinErrors(errs)
}

// portLines returns the line of each port that begins one.
func (f *File) portLines() map[fabric.GUID]int {
	at := map[fabric.GUID]int{}
	for n, words := range f.lines() {
		if guid, err := fabric.ParseGUID(words[0]); err == nil {
			at[guid] = n
		}
	}
	return at
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
