package tables

import (
	"bytes"
	"math"
	"slices"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// ReadSL2VLs reads SL to VL mapping tables, from OpenSM's opensm-sl2vl.dump and from the output of
// smpquery sl2vl (any number of them one after the other):
//
//	Switch 0x0000000010000001, base LID 2, "leaf one"
//	0   1   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7
//
//	# SL2VL table: Lid 2
//	ports: in  0, out  5: | 0| 1| 2| 3| 4| 5| 6| 7| 0| 1| 2| 3| 4| 5| 6| 7|
//
// Errors are of type *lines.Error; two different tables for one pair of ports are an error.
func ReadSL2VLs(name string, data []byte) (*SL2VLs, []lines.Warning, error) {
	r := sl2vlReader{Messages: lines.Messages{File: name}, pool: map[SL2VL]uint16{}, byGUID: map[fabric.GUID]int{}, byLID: map[fabric.LID]int{}, cur: -1}
	if err := lines.Each(name, data, r.line); err != nil {
		return nil, nil, err
	}
	if len(r.out.Nodes) == 0 {
		return nil, nil, lines.Errorf(name, 0, "no SL2VL table in this file")
	}
	for i := range r.out.Nodes {
		n := &r.out.Nodes[i]
		slices.SortFunc(n.Rows, compareSL2VLRows)
		for k := 1; k < len(n.Rows); k++ {
			a, b := n.Rows[k-1], n.Rows[k]
			if compareSL2VLRows(a, b) == 0 && a.Table != b.Table {
				return nil, nil, r.Errorf(r.headers[i], "the node of this line has two different tables from port %d to port %d", a.In, a.Out)
			}
		}
		n.Rows = slices.Compact(n.Rows)
		if len(n.Rows) == 0 {
			r.Warnf(r.headers[i], "no table of this node")
		}
	}
	return &r.out, r.Warnings, nil
}

type sl2vlReader struct {
	lines.Messages
	out     SL2VLs
	pool    map[SL2VL]uint16
	byGUID  map[fabric.GUID]int
	byLID   map[fabric.LID]int
	headers []int // line of each node's header
	cur     int   // node being read, or -1
}

func (r *sl2vlReader) line(line []byte, at int) error {
	c := lines.Cursor{Rest: line}
	switch {
	case c.Lit("# SL2VL table: "):
		return r.smpqueryHeader(c, at)
	case line[0] == '#':
		return nil
	case c.Lit("ports: in "):
		return r.smpqueryRow(c, at)
	case lines.IsDigit(line[0]):
		return r.openSMRow(c, at)
	case lines.IsNoise(line):
		r.Warnf(at, "not part of an SL2VL table: %q", line)
		return nil
	}
	kind, rest, found := bytes.Cut(line, []byte(" 0x"))
	if t, ok := typeByName(kind); found && ok {
		return r.openSMHeader(t, rest, at)
	}
	return r.Errorf(at, "not a line of an SL2VL table: %q", line)
}

// begin starts or continues the tables of a node.
func (r *sl2vlReader) begin(n NodeSL2VLs, at int) {
	r.cur = len(r.out.Nodes)
	if n.GUID != 0 {
		r.byGUID[n.GUID] = r.cur
	}
	if n.LID != 0 {
		r.byLID[n.LID] = r.cur
	}
	r.out.Nodes = append(r.out.Nodes, n)
	r.headers = append(r.headers, at)
}

// openSMHeader parses GUID, base LID 2, "desc".
func (r *sl2vlReader) openSMHeader(t fabric.NodeType, rest []byte, at int) error {
	digits, rest, _ := bytes.Cut(rest, []byte(", base LID "))
	number, desc, _ := bytes.Cut(rest, []byte(", "))
	guid, okGUID := lines.Hex(digits)
	lid, okLID := lines.Decimal(number)
	if !okGUID || !okLID || lid > uint64(fabric.MaxUnicastLID) || len(desc) < 2 || desc[0] != '"' || desc[len(desc)-1] != '"' {
		return r.Errorf(at, "want node type, GUID, base LID and description")
	}
	if old, met := r.byGUID[fabric.GUID(guid)]; met {
		return r.Errorf(at, "port %s is listed twice (first on line %d)", fabric.GUID(guid), r.headers[old])
	}
	if old, met := r.byLID[fabric.LID(lid)]; met {
		return r.Errorf(at, "LID %d is listed twice (first on line %d)", lid, r.headers[old])
	}
	r.begin(NodeSL2VLs{Type: t, GUID: fabric.GUID(guid), LID: fabric.LID(lid), Desc: string(desc[1 : len(desc)-1])}, at)
	return nil
}

// smpqueryHeader parses "Lid 2"; smpquery prints one header a query, so a node may appear several
// times.
func (r *sl2vlReader) smpqueryHeader(c lines.Cursor, at int) error {
	if !c.Lit("Lid ") {
		return r.Errorf(at, "this table was queried by the path %q, which does not identify the node: query it by LID", c.Rest)
	}
	lid, err := r.UnicastLID(c.Rest, lines.Decimal, 1, at)
	if old, met := r.byLID[lid]; met {
		r.cur = old
	} else if err == nil {
		r.begin(NodeSL2VLs{LID: lid}, at)
	}
	return err
}

// openSMRow parses "0 1 : 0 1 ...".
func (r *sl2vlReader) openSMRow(c lines.Cursor, at int) error {
	in, out := c.Word(), c.Word()
	c.Blanks()
	if !c.Lit(":") {
		return r.Errorf(at, "want in port, out port, ':' and 16 VLs")
	}
	return r.row(in, out, bytes.Fields(c.Rest), at)
}

// smpqueryRow parses " 0, out 5: | 0| 1|...|".
func (r *sl2vlReader) smpqueryRow(c lines.Cursor, at int) error {
	in, ok := c.Until(',')
	c.Blanks()
	if !ok || !c.Lit("out ") {
		return r.Errorf(at, "want ports: in N, out N: and 16 VLs")
	}
	out, _ := c.Until(':')
	text := bytes.Trim(c.Rest, " |")
	return r.row(bytes.TrimSpace(in), bytes.TrimSpace(out), bytes.Split(text, []byte("|")), at)
}

func (r *sl2vlReader) row(in, out []byte, vls [][]byte, at int) error {
	if r.cur < 0 {
		return r.Errorf(at, "a table before the first node")
	}
	i, okIn := lines.Decimal(in)
	o, okOut := lines.Decimal(out)
	if !okIn || !okOut || i > fabric.MaxPorts || o > fabric.MaxPorts {
		return r.Errorf(at, "ports %q and %q: want two numbers of 0 to %d", in, out, fabric.MaxPorts)
	}
	var table SL2VL
	if len(vls) != len(table) {
		return r.Errorf(at, "%d VLs (want 16, one an SL)", len(vls))
	}
	for sl, text := range vls {
		v, ok := lines.Decimal(bytes.TrimSpace(text))
		if !ok || v > 15 {
			return r.Errorf(at, "VL %q of SL %d (want 0 to 15)", text, sl)
		}
		table[sl] = uint8(v)
	}
	n, known := r.pool[table]
	if !known {
		if len(r.out.Pool) > math.MaxUint16 {
			return r.Errorf(at, "more than %d different tables", math.MaxUint16+1)
		}
		n = uint16(len(r.out.Pool))
		r.pool[table] = n
		r.out.Pool = append(r.out.Pool, table)
	}
	node := &r.out.Nodes[r.cur]
	node.Rows = append(node.Rows, SL2VLRow{In: uint8(i), Out: uint8(o), Table: n})
	return nil
}
