package tables

import (
	"bytes"
	"strconv"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// pathRecord is the current path record of saquery -p. Of its lines ("slid....................12",
// "sl......................0x4") only the LIDs and the SL matter.
type pathRecord struct {
	open     bool
	at       int // line of its head
	src, dst fabric.LID
	sl       int // -1 until read
}

// recordHead is the line before each path record.
const recordHead = "PathRecord dump:"

// recordLine parses a line of a path record; told is false for other lines.
func (r *slReader) recordLine(line []byte, at int) (told bool, err error) {
	if string(line) == recordHead && len(r.seen) == 0 {
		err := r.endRecord()
		r.record = pathRecord{open: true, at: at, sl: -1}
		return true, err
	}
	name, value, found := bytes.Cut(line, []byte(".."))
	if !r.record.open || !found {
		return false, nil
	}
	value = bytes.TrimLeft(value, ".")
	switch string(name) {
	case "slid":
		r.record.src, err = r.UnicastLID(value, lines.Decimal, 1, at)
	case "dlid":
		r.record.dst, err = r.UnicastLID(value, lines.Decimal, 1, at)
	case "sl":
		sl, bad := strconv.ParseUint(string(value), 0, 8)
		if bad != nil || sl > 15 {
			return true, r.Errorf(at, "%q is not an SL (want 0x0 to 0xf)", value)
		}
		r.record.sl = int(sl)
	}
	return true, err
}

// endRecord stores the SL of the last path record, if there is one.
func (r *slReader) endRecord() error {
	p := &r.record
	if !p.open {
		return nil
	}
	p.open = false
	if p.src == 0 || p.dst == 0 || p.sl < 0 {
		return r.Errorf(p.at, "a path record without slid, dlid or sl: the output of saquery is incomplete")
	}
	i, known := r.sources[p.src]
	if !known {
		i = len(r.out.Rows)
		r.sources[p.src] = i
		r.out.Rows = append(r.out.Rows, SLRow{LID: p.src})
	}
	row := &r.out.Rows[i]
	for len(row.SL) <= int(p.dst) {
		row.SL = append(row.SL, NoSL)
	}
	if old := row.SL[p.dst]; old != NoSL && int(old) != p.sl {
		r.Warnf(p.at, "another path record from LID %d to LID %d: SL %d, not %d; the first counts", p.src, p.dst, p.sl, old)
		return nil
	}
	row.SL[p.dst] = uint8(p.sl)
	return nil
}
