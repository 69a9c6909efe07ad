package tables

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// NoSL marks a path without a service level in the file.
const NoSL uint8 = 255

// PathSLs are the service levels of paths, by source and destination LID.
type PathSLs struct {
	Engine string  // routing engine that chose them, "" if unknown
	Rows   []SLRow // in order of source LID
}

// SLRow holds the SLs of one source. Sources with the same SLs share SL; do not change it.
type SLRow struct {
	LID fabric.LID
	SL  []uint8 // by destination LID, 0 to 15 or NoSL; LIDs beyond its length have none
}

// ReadPathSLs reads the service levels of paths, which no dump of OpenSM contains. The format is
// that of the osmdump plug-in, simple enough to write by hand:
//
//	# engine dfsssp toplid 8
//	P 0x0001 .20505064
//
// or the output of saquery -p, of infiniband-diags, with the SL of every path.
//
// A line P is a source LID, then the SL towards LIDs 0, 1, 2 ... as one hexadecimal digit each, '.'
// for none. Lines S and H (forwarding tables, see ReadLFTs) may come between. A file with tables
// but no P line is from an engine that does not set SLs: its Rows are empty, with a warning. Errors
// are of type *lines.Error.
func ReadPathSLs(name string, data []byte) (*PathSLs, []lines.Warning, error) {
	r := slReader{Messages: lines.Messages{File: name}, seen: map[fabric.LID]int{}, rows: map[string][]uint8{}, sources: map[fabric.LID]int{}}
	if err := lines.Each(name, data, r.line); err != nil {
		return nil, nil, err
	}
	if err := r.endRecord(); err != nil {
		return nil, nil, err
	}
	slices.SortFunc(r.out.Rows, func(a, b SLRow) int { return int(a.LID) - int(b.LID) })
	if len(r.out.Rows) == 0 {
		if !r.tables {
			return nil, nil, r.Errorf(0, "no path SLs in this file")
		}
		r.Warnf(0, "engine %q chose no SLs: paths use the SL that is asked for, 0 by default", r.out.Engine)
	}
	return &r.out, r.Warnings, nil
}

type slReader struct {
	lines.Messages
	out    PathSLs
	seen   map[fabric.LID]int // line of each source
	rows   map[string][]uint8 // rows read so far, by their digits
	tables bool               // the file has lines of forwarding tables

	record  pathRecord         // record of saquery being read
	sources map[fabric.LID]int // index in out.Rows, by source LID of path records
}

func (r *slReader) line(line []byte, at int) error {
	if told, err := r.recordLine(line, at); told {
		return err
	}
	c := lines.Cursor{Rest: line}
	switch {
	case c.Lit("# engine "):
		r.out.Engine = string(c.Word())
	case line[0] == '#':
	case c.Lit("S "), c.Lit("H "):
		r.tables = true
	case c.Lit("P ") && len(r.sources) == 0 && !r.record.open:
		return r.row(c, at)
	default:
		return r.Errorf(at, "not a line of path SLs (want P, source LID, SL digits; or the output of saquery -p): %q", line)
	}
	return nil
}

func (r *slReader) row(c lines.Cursor, at int) error {
	word := c.Word()
	lid, err := r.UnicastLID(word, lines.Hex, 1, at)
	if err != nil {
		return err
	}
	if old, met := r.seen[lid]; met {
		return r.Errorf(at, "source LID %s is listed twice (first on line %d)", word, old)
	}
	r.seen[lid] = at
	digits := c.Word()
	c.Blanks()
	if len(c.Rest) > 0 || len(digits) == 0 || len(digits) > int(fabric.MaxUnicastLID)+1 {
		return r.Errorf(at, "want one digit an LID after the source LID, for LIDs 0 to at most 0x%04x", uint16(fabric.MaxUnicastLID))
	}
	sl, known := r.rows[string(digits)]
	if !known {
		sl = make([]uint8, len(digits))
		for i, d := range digits {
			v, ok := lines.Hex(digits[i : i+1])
			switch {
			case d == '.':
				sl[i] = NoSL
			case ok:
				sl[i] = uint8(v)
			default:
				return r.Errorf(at, "%q is not an SL in hexadecimal, nor '.'", d)
			}
		}
		r.rows[string(digits)] = sl
	}
	r.out.Rows = append(r.out.Rows, SLRow{lid, sl})
	return nil
}

// WritePathSLs writes service levels for ReadPathSLs.
func WritePathSLs(w io.Writer, p *PathSLs) error {
	out := bufio.NewWriter(w)
	top := 0
	for _, r := range p.Rows {
		top = max(top, len(r.SL)-1)
	}
	engine := "unknown"
	if p.Engine != "" {
		engine = p.Engine
	}
	fmt.Fprintf(out, "# engine %s toplid %d\n", engine, top)
	for _, r := range p.Rows {
		fmt.Fprintf(out, "P 0x%04x ", uint16(r.LID))
		for lid := range top + 1 {
			sl := byte('.')
			if lid < len(r.SL) && r.SL[lid] != NoSL {
				if r.SL[lid] > 15 {
					return fmt.Errorf("netfile: SL %d from LID %d to LID %d (want 0 to 15)", r.SL[lid], r.LID, lid)
				}
				sl = "0123456789abcdef"[r.SL[lid]]
			}
			out.WriteByte(sl)
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}

// SL2VL is one SL to VL mapping table: the VL by SL; 15 drops the packet.
type SL2VL [16]uint8

// SL2VLs are the SL to VL mapping tables of a subnet.
type SL2VLs struct {
	Pool  []SL2VL // the different tables, in order of appearance
	Nodes []NodeSL2VLs
}

// NodeSL2VLs are the tables of a switch, or of one port of a CA or router.
type NodeSL2VLs struct {
	Type fabric.NodeType // 0 when unknown
	GUID fabric.GUID     // port GUID (of a switch: its node GUID), 0 when only the LID is known
	LID  fabric.LID      // 0 when only the GUID is known
	Desc string
	Rows []SL2VLRow // in order of out port, then in port
}

// SL2VLRow names the table of the pool that a node uses between two of its ports; on a CA or router
// In is 0, and Out is 0 for the port itself.
type SL2VLRow struct {
	In, Out uint8
	Table   uint16
}

// Table returns the table of a node from one port to another; ok is false if the file has none.
func (t *SL2VLs) Table(node int, in, out uint8) (table *SL2VL, ok bool) {
	rows := t.Nodes[node].Rows
	i, ok := slices.BinarySearchFunc(rows, SL2VLRow{In: in, Out: out}, compareSL2VLRows)
	if !ok {
		return nil, false
	}
	return &t.Pool[rows[i].Table], true
}

func compareSL2VLRows(a, b SL2VLRow) int {
	return (int(a.Out)<<8 | int(a.In)) - (int(b.Out)<<8 | int(b.In))
}

// WriteSL2VLs writes tables in the format of OpenSM's opensm-sl2vl.dump.
func WriteSL2VLs(w io.Writer, t *SL2VLs) error {
	const rule = "#--------------------------------------------------------\n"
	out := bufio.NewWriter(w)
	for i := range t.Nodes {
		n := &t.Nodes[i]
		fmt.Fprintf(out, "%s %s, base LID %d, \"%s\"\n", nodeTypeNames[n.Type], n.GUID, n.LID, lines.Printable(n.Desc))
		fmt.Fprint(out, "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n", rule)
		for _, r := range n.Rows {
			fmt.Fprintf(out, "%-3d %-3d :", r.In, r.Out)
			for _, vl := range t.Pool[r.Table] {
				fmt.Fprintf(out, " %-2d", vl)
			}
			out.WriteByte('\n')
		}
		fmt.Fprint(out, rule, "\n")
	}
	return out.Flush()
}

// typeByName finds a node type by its name in OpenSM's dumps.
func typeByName(name []byte) (fabric.NodeType, bool) {
	for t, s := range nodeTypeNames {
		if s == string(bytes.TrimSpace(name)) {
			return fabric.NodeType(t), true
		}
	}
	return 0, false
}
