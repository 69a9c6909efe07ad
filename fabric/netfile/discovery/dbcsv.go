package discovery

import (
	"bytes"
	"fmt"

	"weft/fabric"
	"weft/fabric/netfile/draft"
	"weft/fabric/netfile/lines"
)

// dbCSV reads the nodes, ports and cables of ibdiagnet2.db_csv. Other sections are skipped.
type dbCSV struct {
	*draft.Draft
	byGUID map[fabric.GUID]fabric.NodeID
	rates  map[fabric.End]portRate
}

// portRate holds width, speed and state of a link, as the port at one end reports them.
type portRate struct {
	width fabric.Width
	speed fabric.Speed
	down  bool
}

// ReadDBCSV reads ibdiagnet2.db_csv.
func ReadDBCSV(name string, data []byte) (*fabric.Fabric, []lines.Warning, error) {
	r := dbCSV{draft.New(name), map[fabric.GUID]fabric.NodeID{}, map[fabric.End]portRate{}}
	all, err := lines.Sections(name, data)
	if err != nil {
		return nil, nil, err
	}
	cabled := false
	for _, read := range []struct {
		name string
		row  func(*lines.Row) error
	}{{"NODES", r.node}, {"PORTS", r.port}, {"LINKS", r.link}} {
		for i := range all {
			if all[i].Name != read.name {
				continue
			}
			cabled = cabled || read.name == "LINKS"
			if err := all[i].Rows(name, read.row); err != nil {
				return nil, nil, err
			}
		}
	}
	if !cabled {
		r.Lostf(0, "no section LINKS: the file has no cables")
	}
	return r.Build()
}

// node adds a node of section NODES.
func (r *dbCSV) node(row *lines.Row) error {
	guid, err := row.GUID("NodeGUID")
	if err != nil {
		return err
	}
	code, err := row.Number("NodeType", 1<<8-1)
	if err != nil {
		return err
	}
	kind := fabric.NodeType(code)
	if kind != fabric.CA && kind != fabric.Switch && kind != fabric.Router {
		return row.Errorf("NodeType %d: want 1 (CA), 2 (switch) or 3 (router)", code)
	}
	if old, twice := r.byGUID[guid]; twice {
		return row.Errorf("%s is described twice: here and on line %d", r.Name(old), r.Nodes[old].Line)
	}
	id := r.Add(row.Line)
	r.byGUID[guid] = id
	n := &r.Nodes[id]
	n.GUID = guid
	n.Desc, _ = row.Text("NodeDesc")
	for _, field := range []struct {
		column string
		most   uint64
		to     func(uint64)
	}{
		{"SystemImageGUID", 1<<64 - 1, func(v uint64) { n.SystemGUID = fabric.GUID(v) }},
		{"DeviceID", 1<<16 - 1, func(v uint64) { n.DeviceID = deviceID(v) }},
		{"VendorID", 1<<24 - 1, func(v uint64) { n.VendorID = uint32(v) }},
		{"revision", 1<<32 - 1, func(v uint64) { n.Revision = uint32(v) }},
	} {
		if _, ok := row.Text(field.column); ok {
			v, err := row.Number(field.column, field.most)
			if err != nil {
				return err
			}
			field.to(v)
		}
	}
	n.Type = kind
	if _, ok := row.Text("NumPorts"); !ok { // as many as are mentioned
		return nil
	}
	ports, err := row.Number("NumPorts", fabric.MaxPorts)
	if err != nil {
		return err
	}
	return r.Describe(id, row.Line, n.Type, int(ports))
}

// find returns the node that a column names.
func (r *dbCSV) find(row *lines.Row, column string) (fabric.NodeID, error) {
	guid, err := row.GUID(column)
	if err != nil {
		return -1, err
	}
	id, known := r.byGUID[guid]
	if !known {
		return -1, row.Errorf("%s %s: section NODES has no such node", column, guid)
	}
	return id, nil
}

// port stores the GUID, LID and link state of a port of section PORTS.
func (r *dbCSV) port(row *lines.Row) error {
	id, err := r.find(row, "NodeGuid")
	if err != nil {
		return err
	}
	num, err := row.Number("PortNum", fabric.MaxPorts)
	if err != nil {
		return err
	}
	n := &r.Nodes[id]
	if num > 0 {
		if _, err := r.End(id, int(num), row.Line); err != nil {
			return err
		}
	}
	end := fabric.End{Node: id, Port: uint8(num)}
	if guid, err := row.GUID("PortGuid"); err == nil && addressPort(n.Type, end.Port) == int(num) {
		n.Ports[num].GUID = guid
	}
	if _, ok := row.Text("LID"); ok && addressPort(n.Type, end.Port) == int(num) {
		v, err := row.Number("LID", 0xFFFF)
		if err != nil {
			return err
		}
		lid, err := r.LID(v, row.Line)
		if err != nil {
			return err
		}
		r.SetLID(id, int(num), lid, row.Line, true)
		if lmc, err := row.Number("LMC", fabric.MaxLMC); err == nil && lid != 0 {
			n.Ports[num].LMC = uint8(lmc)
		}
	}
	if code, err := row.Number("VLCap", 5); err == nil && code > 0 {
		n.Ports[num].VLCap = [...]uint8{0, 1, 2, 4, 8, 15}[code]
	}
	r.rates[end], err = linkRate(row)
	return err
}

// The codes of LinkWidthActv and LinkSpeedActv. An extended speed has its code of PortInfo, shifted
// 8 bits up.
var (
	csvWidths = map[uint64]fabric.Width{1: 1, 2: 4, 4: 8, 8: 12, 16: 2}
	csvSpeeds = map[uint64]fabric.Speed{
		1: fabric.SDR, 2: fabric.DDR, 4: fabric.QDR, 1 << 8: fabric.FDR, 1 << 9: fabric.EDR, 1 << 10: fabric.HDR, 1 << 11: fabric.NDR, 1 << 12: fabric.XDR, 1 << 16: fabric.FDR10,
	}
)

// linkRate reads width, speed and state of a port. Codes that it does not know are no rate.
func linkRate(row *lines.Row) (rate portRate, err error) {
	const isDown = 1 // of PortState
	for _, field := range []struct {
		column string
		to     func(uint64)
	}{
		{"LinkWidthActv", func(v uint64) { rate.width = csvWidths[v] }},
		{"LinkSpeedActv", func(v uint64) { rate.speed = csvSpeeds[v] }},
		{"PortState", func(v uint64) { rate.down = v == isDown }},
	} {
		if _, ok := row.Text(field.column); !ok {
			continue
		}
		v, err := row.Number(field.column, 1<<64-1)
		if err != nil {
			return rate, err
		}
		field.to(v)
	}
	return rate, nil
}

// link adds a cable of section LINKS.
func (r *dbCSV) link(row *lines.Row) error {
	var ends [2]fabric.End
	for i := range ends {
		id, err := r.find(row, fmt.Sprintf("NodeGuid%d", i+1))
		if err != nil {
			return err
		}
		num, err := row.Number(fmt.Sprintf("PortNum%d", i+1), fabric.MaxPorts)
		if err != nil {
			return err
		}
		if ends[i], err = r.End(id, int(num), row.Line); err != nil {
			return err
		}
	}
	rate := r.rates[ends[0]]
	if rate.width == 0 || rate.speed == fabric.SpeedUnknown {
		rate = r.rates[ends[1]]
	}
	if err := r.Connect(ends[0], ends[1], row.Line, rate.width, rate.speed); err != nil {
		return err
	}
	if r.rates[ends[0]].down || r.rates[ends[1]].down {
		r.SetDown(ends[0], ends[1], row.Line)
	}
	return nil
}

// IsDBCSV recognises the begin of a section.
func IsDBCSV(line []byte) bool {
	return bytes.HasPrefix(line, []byte("START_")) && bytes.IndexByte(line, ' ') < 0
}
