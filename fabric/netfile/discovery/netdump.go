package discovery

import (
	"bytes"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/draft"
	"weft/fabric/netfile/lines"
)

// netDump reads .net_dump of ibdiagnet. It lists switches only, each with a table of its ports. A
// host appears by its port GUID in the table of its switch. It becomes a CA with that GUID as node
// GUID, so two ports of one CA become two CAs. Switches are identified by node GUID, and their
// ports at the other end of a cable by label ("1/32/1"), which their own table translates.
type netDump struct {
	*draft.Draft
	byGUID  map[fabric.GUID]fabric.NodeID
	current fabric.NodeID
	listed  [fabric.MaxPorts + 1]bool // ports listed for the current switch
	columns dumpColumns
	rows    []dumpRow
}

// The columns of a table that matter. The last one is the last of the table: a description may
// contain colons.
const (
	colLabel = iota
	colNum
	colState
	colWidth
	colSpeed
	colGUID
	colPeer
	colLID
	colDesc
)

// dumpHeads are their headings.
var dumpHeads = [...]string{"#", "IB#", "Sta", "LWA", "LSA", "Neighbor Guid", "N#", "NLID", "Neighbor Description"}

// dumpColumns holds the index of each column in a table.
type dumpColumns [len(dumpHeads)]int

// dumpRow is a cabled port, kept until the tables of all switches are read.
type dumpRow struct {
	here         fabric.NodeID
	port         int
	line         int
	guid         fabric.GUID
	peer         []byte // label of the other end's port
	lid          fabric.LID
	desc         []byte
	width, speed []byte
	down         bool
}

// ReadNetDump reads .net_dump of ibdiagnet.
func ReadNetDump(name string, data []byte) (*fabric.Fabric, []lines.Warning, error) {
	r := netDump{Draft: draft.New(name), byGUID: map[fabric.GUID]fabric.NodeID{}, current: -1}
	if err := lines.Each(name, data, r.line); err != nil {
		return nil, nil, err
	}
	labels := r.labels()
	for i := range r.rows {
		if err := r.cable(&r.rows[i], labels); err != nil {
			return nil, nil, err
		}
	}
	once, _ := r.WarnOneSided(r.Cables, false, func(id fabric.NodeID) bool { return r.Nodes[id].Type == fabric.Switch })
	r.LostEnds(once)
	if err := r.lostTables(); err != nil {
		return nil, nil, err
	}
	return r.Build()
}

// lostTables records switches without a table.
func (r *netDump) lostTables() error {
	for i := range r.Nodes {
		if n := &r.Nodes[i]; n.Type == fabric.Switch && len(n.Ports) == 1 {
			r.Lostf(n.Line, "no table of ports follows the heading of %s: the file ends early", r.Name(fabric.NodeID(i)))
			if err := r.Grow(fabric.NodeID(i), 1, n.Line); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *netDump) line(line []byte, at int) error {
	switch {
	case line[0] == '#' && bytes.Contains(line, []byte("IB#")):
		return r.tableHead(line, at)
	case line[0] == '#':
		return nil
	case line[0] == '"':
		return r.header(line, at)
	}
	return r.row(line, at)
}

// header parses the heading of a switch: "description", vendor, 0xGUID, LID 24.
func (r *netDump) header(line []byte, at int) error {
	end := bytes.LastIndexByte(line, '"')
	fields := bytes.Split(line[end+1:], []byte(","))
	if end == 0 || len(fields) < 4 {
		return r.Errorf(at, `not the heading of a switch ("description", vendor, GUID, LID)`)
	}
	guidText, lidText := bytes.TrimSpace(fields[2]), bytes.TrimSpace(fields[3])
	guid, ok := lines.Hex(guidText)
	if !ok || guid == 0 {
		return r.Errorf(at, "%q is not a node GUID", guidText)
	}
	v, ok := lines.Decimal(bytes.TrimSpace(bytes.TrimPrefix(lidText, []byte("LID"))))
	if !ok {
		return r.Errorf(at, "%q is not LID and number", lidText)
	}
	lid, err := r.LID(v, at)
	if err != nil {
		return err
	}
	if old, dup := r.byGUID[fabric.GUID(guid)]; dup {
		return r.Errorf(at, "%s is described twice: here and on line %d", r.Name(old), r.Nodes[old].Line)
	}
	r.current = r.Add(at)
	r.byGUID[fabric.GUID(guid)] = r.current
	n := &r.Nodes[r.current]
	n.GUID, n.Type, n.Desc, n.Line = fabric.GUID(guid), fabric.Switch, string(line[1:end]), at
	n.Ports[0].LID = lid
	r.listed = [fabric.MaxPorts + 1]bool{}
	return nil
}

// tableHead finds the columns of a table.
func (r *netDump) tableHead(line []byte, at int) error {
	row := splitRow(line, -1)
	for i, head := range dumpHeads {
		r.columns[i] = slices.IndexFunc(row, func(f []byte) bool { return string(f) == head })
		if r.columns[i] < 0 {
			return r.Errorf(at, "a table needs the columns %s", strings.Join(dumpHeads[:], ", "))
		}
	}
	if r.columns[colDesc] != len(row)-1 {
		return r.Errorf(at, "the last column of a table must be %s", dumpHeads[colDesc])
	}
	return nil
}

// splitRow cuts a table line at its colons, into at most most parts (-1: all): the last column, a
// description, may contain colons.
func splitRow(line []byte, most int) [][]byte {
	f := bytes.SplitN(line, []byte(":"), most)
	for i := range f {
		f[i] = bytes.TrimSpace(f[i])
	}
	return f
}

func (r *netDump) row(line []byte, at int) error {
	c := r.columns
	if r.current < 0 || c[colDesc] == 0 {
		return r.Errorf(at, "not the heading of a switch, and no table has begun: %q", line)
	}
	f := splitRow(line, c[colDesc]+1)
	if len(f) <= c[colDesc] {
		return r.Errorf(at, "%d columns (want %d)", len(f), c[colDesc]+1)
	}
	num, ok := lines.Decimal(f[c[colNum]])
	if !ok || num < 1 || num > fabric.MaxPorts {
		return r.Errorf(at, "%q is not a port number", f[c[colNum]])
	}
	if r.listed[num] {
		return r.Errorf(at, "port %d of %s is listed twice", num, r.Name(r.current))
	}
	r.listed[num] = true
	if err := r.Grow(r.current, int(num), at); err != nil {
		return err
	}
	n := &r.Nodes[r.current]
	if label := string(f[c[colLabel]]); label != "N/A" {
		n.Ports[num].Label = label
	}
	if len(f[c[colGUID]]) == 0 {
		if string(f[c[colState]]) != "DOWN" {
			return r.Errorf(at, "port %d is %s but names no neighbour", num, f[c[colState]])
		}
		return nil
	}
	guid, ok := lines.Hex(f[c[colGUID]])
	if !ok || guid == 0 {
		return r.Errorf(at, "%q is not a neighbour's GUID", f[c[colGUID]])
	}
	v, ok := lines.Decimal(f[c[colLID]])
	if !ok {
		return r.Errorf(at, "%q is not a LID", f[c[colLID]])
	}
	lid, err := r.LID(v, at)
	if err != nil {
		return err
	}
	r.rows = append(r.rows, dumpRow{
		here: r.current, port: int(num), line: at, guid: fabric.GUID(guid), peer: f[c[colPeer]], lid: lid,
		desc: bytes.Trim(f[c[colDesc]], `"`), width: f[c[colWidth]], speed: f[c[colSpeed]], down: string(f[c[colState]]) == "DOWN",
	})
	return nil
}

// dumpLabel identifies a port of a switch by its label.
type dumpLabel struct {
	node  fabric.NodeID
	label string
}

// labels returns the port number by switch and label; 0 if several ports share a label.
func (r *netDump) labels() map[dumpLabel]int {
	m := map[dumpLabel]int{}
	for i := range r.Nodes {
		for p, port := range r.Nodes[i].Ports {
			if p == 0 || port.Label == "" {
				continue
			}
			k := dumpLabel{fabric.NodeID(i), port.Label}
			if _, dup := m[k]; dup {
				p = 0
			}
			m[k] = p
		}
	}
	return m
}

func (r *netDump) cable(row *dumpRow, labels map[dumpLabel]int) error {
	id, known := r.byGUID[row.guid]
	isSwitch := known && r.Nodes[id].Type == fabric.Switch
	port, listed := hostPort(row.peer), known
	if isSwitch {
		port, listed = labels[dumpLabel{id, string(row.peer)}]
	}
	if port == 0 && !listed {
		r.Lostf(row.line, "no table of the neighbour %q lists its port %s: the file ends early, or lines are missing (the cable is left out)", row.desc, row.peer)
		return nil
	}
	if port == 0 {
		return r.Errorf(row.line, "N# %q names no port of the neighbour %q", row.peer, row.desc)
	}
	if !known {
		id = r.Add(row.line)
		r.byGUID[row.guid] = id
		n := &r.Nodes[id]
		n.GUID, n.Type, n.Desc = row.guid, fabric.CA, string(row.desc)
	}
	here := fabric.End{Node: row.here, Port: uint8(row.port)}
	there, err := r.End(id, port, row.line)
	if err != nil {
		return err
	}
	if !isSwitch {
		r.Port(there).GUID = row.guid
	}
	r.SetLID(id, addressPort(r.Nodes[id].Type, there.Port), row.lid, row.line, false)
	w, s := r.Rate(row.width, row.speed, row.line)
	if err := r.Connect(here, there, row.line, w, s); err != nil {
		return err
	}
	if row.down {
		r.SetDown(here, there, row.line)
	}
	return nil
}

// hostPort returns the port in the N# of a host: "1", or "B184D0F0/0/0/1" with the place of the
// adapter before it. It is 0 for anything else, such as the port label of a switch without a table.
func hostPort(peer []byte) int {
	if i := bytes.LastIndexByte(peer, '/'); i >= 0 && !lines.IsDigit(peer[0]) {
		peer = peer[i+1:]
	}
	v, ok := lines.Decimal(peer)
	if !ok {
		return 0
	}
	return clampPort(v)
}

// IsNetDump recognises the heading of a switch.
func IsNetDump(line []byte) bool {
	return line[0] == '"' && bytes.Contains(line, []byte("LID")) && bytes.Contains(line, []byte(", 0x"))
}
