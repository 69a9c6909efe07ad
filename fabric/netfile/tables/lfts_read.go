package tables

import (
	"bytes"
	"cmp"
	"slices"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// ReadLFTs reads forwarding tables. It recognises, also mixed in one file:
//
//   - output of dump_fts, dump_lfts.sh and ibroute (infiniband-diags), with all
//     options: "Unicast lids [0x0-0xd] of switch Lid 2 guid 0x.. (desc):";
//   - opensm-lfts.dump, which OpenSM reads with -R file -U FILE:
//     "Unicast lids [0-13] of switch Lid 2 guid 0x.. ('desc'):";
//   - opensm.fdbs (osm.fdbs): "dump_ucast_routes: Switch 0x..";
//   - ibdiagnet2.fdbs: "osm_ucast_mgr_dump_ucast_routes: Switch 0x..", whose hop counts, all 0, are
//     not used;
//   - the compact tables of the osmdump plug-in for OpenSM: "S LID GUID ff01..".
//
// Errors are of type *lines.Error: a line in another format, an impossible LID or port, a repeated
// switch or LID, a number of entries that differs from the dump's count. The cost is linear in the
// file.
func ReadLFTs(name string, data []byte) (*LFTs, []lines.Warning, error) {
	r := lftReader{Messages: lines.Messages{File: name}, targets: map[fabric.LID]Target{}, seen: map[fabric.GUID]int{}, cur: -1}
	if err := lines.Each(name, data, r.line); err != nil {
		return nil, nil, err
	}
	r.endSwitch()
	if len(r.out.Switches) == 0 {
		return nil, nil, lines.Errorf(name, 0, "no forwarding table in this file")
	}
	r.finish()
	return &r.out, r.Warnings, nil
}

// lftStyle is the format of a switch's table.
type lftStyle uint8

const (
	diagsStyle  lftStyle = iota // dump_fts
	openSMStyle                 // opensm-lfts.dump
	fdbsStyle                   // opensm.fdbs
)

type lftReader struct {
	lines.Messages
	out     LFTs
	targets map[fabric.LID]Target
	seen    map[fabric.GUID]int // line of each switch
	cur     int                 // switch being read, or -1
	style   lftStyle
	start   int // line of its header
	listed  int // entry lines since then
	last    int // LID of the last entry line
	closed  bool
}

func (r *lftReader) line(line []byte, at int) error {
	c := lines.Cursor{Rest: line}
	switch {
	case line[0] == '0' && len(line) > 1 && (line[1] == 'x' || line[1] == 'X'):
		return r.entry(c, at)
	case line[0] == '#':
		return nil
	case c.Lit("Unicast lids "):
		return r.header(c, at)
	case c.Lit("dump_ucast_routes: Switch "):
		return r.fdbsHeader(c, true, at)
	case c.Lit("osm_ucast_mgr_dump_ucast_routes: Switch "):
		return r.fdbsHeader(c, false, at)
	case c.Lit("LID "), c.Lit("Lid "), c.Lit("Port "):
		return nil // column headings
	case c.Lit("S "), c.Lit("H "), c.Lit("P "):
		return r.osmdumpLine(line[0], c, at)
	case c.Lit("Multicast mlids "), c.Lit("Switch 0x"):
		return r.Errorf(at, "a multicast table: only unicast tables are read")
	case bytes.HasPrefix(line, []byte("SubnGet(LFT) failed")):
		return r.Errorf(at, "this dump is incomplete: %s", line)
	case bytes.HasSuffix(line, []byte("lids dumped")):
		return r.footer(line, at)
	case lines.IsNoise(line):
		r.Warnf(at, "not part of a forwarding table: %q", line)
		return nil
	}
	return r.Errorf(at, "not a line of a forwarding table: %q", line)
}

// begin starts the table of a switch.
func (r *lftReader) begin(guid fabric.GUID, style lftStyle, at int) (*SwitchLFT, error) {
	r.endSwitch()
	if old, met := r.seen[guid]; met {
		return nil, r.Errorf(at, "switch %s is listed twice (first on line %d)", guid, old)
	}
	r.seen[guid] = at
	r.cur, r.style, r.start, r.listed, r.last, r.closed = len(r.out.Switches), style, at, 0, -1, false
	r.out.Switches = append(r.out.Switches, SwitchLFT{GUID: guid})
	return &r.out.Switches[r.cur], nil
}

// header parses "[0x0-0xd] of switch Lid 2 guid 0x.. (desc):".
func (r *lftReader) header(c lines.Cursor, at int) error {
	bracket, ok := c.Until(']')
	style := openSMStyle
	if bytes.Contains(bracket, []byte("x")) {
		style = diagsStyle
	}
	i := bytes.Index(c.Rest, []byte(" guid 0x"))
	if !ok || i < 0 {
		return r.Errorf(at, "no switch GUID in the header of a table")
	}
	path := lines.Cursor{Rest: c.Rest[:i]}
	c.Rest = c.Rest[i+len(" guid "):]
	guid, ok := lines.Hex(c.Word())
	if !ok {
		return r.Errorf(at, "the switch GUID in the header of a table is not hexadecimal")
	}
	var lid fabric.LID
	var err error
	if path.Lit(" of switch Lid ") {
		if lid, err = r.UnicastLID(path.Rest, lines.Decimal, 0, at); err != nil {
			return err
		}
	}
	s, err := r.begin(fabric.GUID(guid), style, at)
	if err != nil {
		return err
	}
	c.Blanks()
	desc := bytes.TrimSuffix(bytes.TrimSuffix(bytes.TrimPrefix(c.Rest, []byte("(")), []byte(":")), []byte(")"))
	s.LID = lid
	if style == openSMStyle {
		desc = unquote(desc)
	}
	s.Desc = string(desc)
	return nil
}

// unquote removes single quotes.
func unquote(s []byte) []byte {
	if len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'' {
		return s[1 : len(s)-1]
	}
	return s
}

// fdbsHeader begins a table. hops says that the file has hop counts: ibdiagnet prints 0 for all.
func (r *lftReader) fdbsHeader(c lines.Cursor, hops bool, at int) error {
	guid, ok := lines.Hex(bytes.TrimSpace(c.Rest))
	if !ok {
		return r.Errorf(at, "%q is not a switch GUID", c.Rest)
	}
	s, err := r.begin(fabric.GUID(guid), fdbsStyle, at)
	if err == nil && hops {
		s.Claims = &Claims{}
	}
	return err
}

// entry parses a line that begins with a LID.
func (r *lftReader) entry(c lines.Cursor, at int) error {
	if r.cur < 0 {
		return r.Errorf(at, "an entry before the first switch")
	}
	word := c.Word()
	lid, err := r.UnicastLID(word, lines.Hex, 0, at)
	if err != nil {
		return err
	}
	if int(lid) <= r.last {
		return r.Errorf(at, "LID %s does not follow LID 0x%04x: a table lists each LID once, in order", word, r.last)
	}
	r.last = int(lid)
	r.listed++
	s := &r.out.Switches[r.cur]
	if r.style == fdbsStyle {
		return r.fdbsEntry(s, lid, c, at)
	}
	port, err := r.port(c.Word(), at)
	if err != nil {
		return err
	}
	s.Set(lid, port)
	if _, known := r.targets[lid]; !known {
		r.target(lid, c.Rest)
	}
	return nil
}

// port parses an egress port; ports are three decimal digits.
func (r *lftReader) port(word []byte, at int) (uint8, error) {
	v, ok := lines.Decimal(word)
	if !ok || v > uint64(NoPort) {
		return 0, r.Errorf(at, "%q is not a port (0 to 255)", word)
	}
	return uint8(v), nil
}

// target records the port of a LID from the end of an entry:
//
//	: (Channel Adapter portguid 0x..: 'desc')        dump_fts
//	: (path #2 out of 4: portguid 0x..)              dump_fts, LMC above 0
//	# Channel Adapter portguid 0x..: 'desc'          OpenSM
//
// Other remarks ("node info not available") are ignored.
func (r *lftReader) target(lid fabric.LID, text []byte) {
	text = bytes.TrimSuffix(bytes.TrimLeft(text, ":#( "), []byte(")"))
	kind, rest, found := bytes.Cut(text, []byte("portguid 0x"))
	if !found {
		return
	}
	digits, desc, _ := bytes.Cut(rest, []byte(": "))
	guid, ok := lines.Hex(digits)
	if !ok {
		return
	}
	t := Target{LID: lid, GUID: fabric.GUID(guid), Desc: string(unquote(desc))}
	if base, met := r.targets[lid-1]; met && base.GUID == t.GUID && bytes.HasPrefix(kind, []byte("path #")) {
		t.Type, t.Desc = base.Type, base.Desc
	}
	if typ, ok := typeByName(kind); ok {
		t.Type = typ
	}
	r.targets[lid] = t
}

// footer compares "12 valid lids dumped" with the entries read. OpenSM prints the highest LID
// there, counted or not.
func (r *lftReader) footer(line []byte, at int) error {
	if r.cur < 0 {
		return r.Errorf(at, "the end of a table before its beginning")
	}
	c := lines.Cursor{Rest: line}
	n, ok := c.Number()
	if ok && r.style == diagsStyle && n != uint64(r.listed) {
		return r.Errorf(at, "%q, but %d entries are listed since line %d", line, r.listed, r.start)
	}
	if ok && r.style == openSMStyle && r.last > int(n) {
		return r.Errorf(at, "%q, but LID 0x%04x is listed since line %d", line, r.last, r.start)
	}
	r.closed = true
	return nil
}

// endSwitch checks a table at its end.
func (r *lftReader) endSwitch() {
	if r.cur < 0 {
		return
	}
	s := &r.out.Switches[r.cur]
	if r.style != fdbsStyle && !r.closed {
		r.Warnf(r.start, "the table of switch %s has no line %q at its end: the file may be cut off", s.GUID, "lids dumped")
	}
	if r.listed == 0 {
		r.Warnf(r.start, "the table of switch %s is empty", s.GUID)
	}
	r.cur = -1
}

// finish sorts the targets and finds the LIDs of switches without a LID in their header: the LID
// with egress port 0.
func (r *lftReader) finish() {
	for _, t := range r.targets {
		r.out.Targets = append(r.out.Targets, t)
	}
	slices.SortFunc(r.out.Targets, func(a, b Target) int { return cmp.Compare(a.LID, b.LID) })
	for i := range r.out.Switches {
		s := &r.out.Switches[i]
		if s.LID == 0 && len(s.Ports) > 0 {
			s.LID = fabric.LID(1 + bytes.IndexByte(s.Ports[1:], 0))
		}
		if t := r.out.target(s.LID); t != nil && s.Desc == "" && t.GUID == s.GUID {
			s.Desc = t.Desc
		}
	}
}
