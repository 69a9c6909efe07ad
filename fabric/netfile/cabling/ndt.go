package cabling

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/draft"
	"weft/fabric/netfile/lines"
)

// ndt reads a network description table (NDT), the CSV file with the planned cables that UFM
// compares with the fabric. A row is a cable; rows may list it from both ends. Devices are known by
// name, and ports in these forms:
//
//	Port 21            port 21 of a switch, or of a host
//	Blade 16_Port 2/20 port 20 of chip 2 on board 16 of a director
//	Port 1/16/1        a port by its label; its number is made up
//	n12 ibp11s0f0      an adapter of host n12, by its description
//	IB Port 3          port 3 of a host
//
// Columns are found by their names: StartDevice (also after "#" or "#Fields:"), StartPort,
// EndDevice, EndPort, LinkType, State. Rows of another LinkType than Data are skipped, and so are
// ports without a cable. Where rows give one device and port in several racks, the rack becomes a
// part of the name. Several tables may follow each other in one file: for switches, and for hosts.
type ndt struct {
	*draft.Draft
	rows    []ndtRow
	nodes   map[string]fabric.NodeID
	labels  map[fabric.NodeID]map[string]int // made-up numbers
	skipped map[string]int                   // rows by LinkType
}

// ndtRow is a cable.
type ndtRow struct {
	line     int
	rack     string // of the start device
	ends     [2]ndtEnd
	disabled bool
	nodes    [2]fabric.NodeID
}

// ndtEnd is a device and a port as a row has them.
type ndtEnd struct{ device, port string }

// IsNDT recognises the line with the names of the columns.
func IsNDT(line []byte) bool {
	found := 0
	for field := range bytes.SplitSeq(bytes.TrimSpace(line), []byte(",")) {
		switch columnName(string(field)) {
		case "startdevice", "enddevice", "endport", "startport":
			found++
		}
	}
	return found >= 3
}

// BeginsNDT recognises a file by its first line, which may begin with "#" as comments of other
// formats do.
func BeginsNDT(data []byte) bool {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return len(line) < lines.MaxLine && IsNDT(line)
}

// columnName returns the name of a column in one form.
func columnName(field string) string {
	field = strings.ToLower(strings.Trim(field, " \t\r\"\ufeff"))
	return strings.TrimPrefix(strings.TrimPrefix(field, "#"), "fields:")
}

// ReadNDT reads an NDT.
func ReadNDT(name string, data []byte) (*fabric.Fabric, []lines.Warning, error) {
	r := ndt{Draft: draft.New(name), nodes: map[string]fabric.NodeID{}, labels: map[fabric.NodeID]map[string]int{}, skipped: map[string]int{}}
	if err := r.table(data); err != nil {
		return nil, nil, err
	}
	for _, kind := range slices.Sorted(keysOf(r.skipped)) {
		r.Warnf(0, "%d rows of LinkType %s skipped: only Data is a cable of this network", r.skipped[kind], lines.Printable(kind))
	}
	if len(r.rows) == 0 {
		return nil, nil, lines.Errorf(name, 0, "no cable in this table")
	}
	r.findNames()
	for i := range r.rows {
		if err := r.cable(&r.rows[i]); err != nil {
			return nil, nil, err
		}
	}
	r.setTypes()
	return r.Build()
}

func keysOf(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

// table reads the rows.
func (r *ndt) table(data []byte) error {
	c := csv.NewReader(bytes.NewReader(data))
	c.FieldsPerRecord, c.LazyQuotes, c.ReuseRecord = -1, true, true
	var column map[string]int
	for {
		fields, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		at, _ := c.FieldPos(0)
		switch {
		case err != nil:
			return r.Errorf(at, "%v", err)
		case IsNDT([]byte(strings.Join(fields, ","))): // once for each of several tables in one file
			if column, err = r.columns(fields, at); err != nil {
				return err
			}
			continue
		case column == nil: // a comment before the table
			continue
		}
		if err := r.row(fields, column, at); err != nil {
			return err
		}
	}
	if column == nil {
		return r.Errorf(0, "no line with the names of the columns")
	}
	return nil
}

// columns finds the columns by their names.
func (r *ndt) columns(fields []string, at int) (map[string]int, error) {
	column := map[string]int{}
	for i, field := range fields {
		if name := columnName(field); name != "" {
			if _, twice := column[name]; !twice { // the others are those of the end device
				column[name] = i
			}
		}
	}
	for _, name := range []string{"StartDevice", "StartPort", "EndDevice", "EndPort"} {
		if _, ok := column[strings.ToLower(name)]; !ok {
			return nil, r.Errorf(at, "no column %s", name)
		}
	}
	return column, nil
}

func (r *ndt) row(fields []string, column map[string]int, at int) error {
	get := func(name string) string {
		if i, ok := column[name]; ok && i < len(fields) {
			return strings.TrimSpace(fields[i])
		}
		return ""
	}
	row := ndtRow{line: at, rack: get("rack #")}
	row.ends = [2]ndtEnd{{get("startdevice"), get("startport")}, {get("enddevice"), get("endport")}}
	empty := 0
	for _, e := range row.ends {
		if e.device == "" {
			empty++
		}
	}
	kind := get("linktype")
	switch {
	case empty == 2 && row.ends[0].port == "" && row.ends[1].port == "":
		return nil // a line of other cells
	case kind != "" && !strings.EqualFold(kind, "data"):
		r.skipped[kind]++
		return nil
	case empty > 0:
		if row.ends[0].device == "" || row.ends[1].port != "" {
			return r.Errorf(at, "a port without a device")
		}
		return nil // a port without a cable
	}
	switch state := strings.ToLower(get("state")); state {
	case "", "active", "no-discover":
	case "disabled":
		row.disabled = true
	default:
		return r.Errorf(at, "State %q: want Active, Disabled or No-discover", lines.Printable(get("state")))
	}
	if len(r.rows) > 2*fabric.MaxLinks {
		return r.Errorf(at, "more than %d rows", 2*fabric.MaxLinks)
	}
	r.rows = append(r.rows, row)
	return nil
}

// findNames adds the rack to the name of start devices that several racks have with one port.
func (r *ndt) findNames() {
	racks := map[ndtEnd]string{}
	several := map[string]bool{}
	for i := range r.rows {
		e := r.rows[i].ends[0]
		if old, met := racks[e]; met && old != r.rows[i].rack {
			several[e.device] = true
		}
		racks[e] = r.rows[i].rack
	}
	for i := range r.rows {
		if e := &r.rows[i].ends[0]; several[e.device] && r.rows[i].rack != "" {
			e.device += " " + r.rows[i].rack
		}
	}
}

func (r *ndt) cable(row *ndtRow) error {
	var ends [2]fabric.End
	for i, e := range row.ends {
		var err error
		if ends[i], err = r.end(e, row.line); err != nil {
			return err
		}
		row.nodes[i] = ends[i].Node
	}
	if err := r.Connect(ends[0], ends[1], row.line, 0, fabric.SpeedUnknown); err != nil {
		return err
	}
	if row.disabled {
		r.SetDown(ends[0], ends[1], row.line)
	}
	return nil
}

// end returns the end that a row names.
func (r *ndt) end(e ndtEnd, at int) (fabric.End, error) {
	name, port, label, err := r.place(e, at)
	if err != nil {
		return fabric.End{}, err
	}
	key := strings.ToLower(name)
	id, known := r.nodes[key]
	if !known {
		id = r.Add(at)
		r.nodes[key] = id
		r.Nodes[id].Desc = name
	}
	if label != "" {
		if r.labels[id] == nil {
			r.labels[id] = map[string]int{}
		}
		if port, known = r.labels[id][label]; !known {
			port = len(r.labels[id]) + 1
			r.labels[id][label] = port
		}
	}
	end, err := r.End(id, port, at)
	if err == nil && label != "" {
		r.Port(end).Label = label
	}
	return end, err
}

// place parses a port: the name of its node, and its number or label.
func (r *ndt) place(e ndtEnd, at int) (name string, port int, label string, err error) {
	if board, rest, ok := strings.Cut(e.port, "_Port "); ok && strings.HasPrefix(board, "Blade ") {
		chip, number, ok := strings.Cut(rest, "/")
		b, okB := decimal(strings.TrimPrefix(board, "Blade "))
		c, okC := decimal(chip)
		n, okN := decimal(number)
		if !ok || !okB || !okC || !okN {
			return "", 0, "", r.Errorf(at, "port %q: want Blade BOARD_Port CHIP/PORT", lines.Printable(e.port))
		}
		return e.device + "/L" + twoDigits(b) + "/U" + strconv.Itoa(c), n, "", nil
	}
	text, ok := strings.CutPrefix(e.port, "Port ")
	if !ok {
		text, ok = strings.CutPrefix(e.port, "IB Port ")
	}
	if n, isNumber := decimal(text); ok && isNumber {
		return e.device, n, "", nil
	}
	if ok && isLabel(text) {
		return e.device, 0, text, nil
	}
	if !ok && len(e.port) > len(e.device) && strings.EqualFold(e.port[:len(e.device)], e.device) && e.port[len(e.device)] == ' ' {
		return e.port, 1, "", nil // an adapter, by its description
	}
	return "", 0, "", r.Errorf(at, "port %q of %s: want Port N, Blade N_Port U/P, Port LABEL, or the description of an adapter, which begins with the device", lines.Printable(e.port), lines.Printable(e.device))
}

func twoDigits(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

func decimal(text string) (int, bool) {
	v, ok := lines.Decimal([]byte(text))
	return int(min(v, 1<<20)), ok && text != ""
}

// isLabel reports whether a text is a label of a port, as 1/16/1 or sw3p2.
func isLabel(text string) bool {
	return text != "" && strings.ContainsAny(text, "0123456789") && !strings.ContainsAny(text, " \t")
}

// setTypes tells hosts from switches. A node with the description of an adapter is a host, and its
// cable leads to a switch. Nodes with more than two cables, or the name of a switch, are switches.
func (r *ndt) setTypes() {
	cables := make([]int, len(r.Nodes))
	for i := range r.Nodes {
		n := &r.Nodes[i]
		_, device := fabric.HostAndDevice(n.Desc)
		if n.Type = fabric.CA; device == "" && isSwitchName(n.Desc) {
			n.Type = fabric.Switch
		}
		for p := range n.Ports {
			if n.Ports[p].Link != fabric.NoLink {
				cables[i]++
			}
		}
		if device == "" && cables[i] > 2 {
			n.Type = fabric.Switch
		}
	}
	for i := range r.rows {
		row := &r.rows[i]
		for e := range row.nodes {
			_, device := fabric.HostAndDevice(r.Nodes[row.nodes[e]].Desc)
			if peer := &r.Nodes[row.nodes[1-e]]; device != "" {
				if _, also := fabric.HostAndDevice(peer.Desc); also == "" {
					peer.Type = fabric.Switch
				}
			}
		}
	}
}

// isSwitchName recognises names that only switches have: of a managed switch with its model, of a
// chip of a director, or by the custom of the file format, which ends with IB and a number.
func isSwitchName(name string) bool {
	upper := strings.ToUpper(name)
	if strings.HasPrefix(upper, "MF0;") || strings.Contains(upper, "/U") {
		return true
	}
	upper, _, _ = strings.Cut(upper, "-A")
	trimmed := strings.TrimRight(upper, "0123456789")
	return trimmed != upper && strings.HasSuffix(trimmed, "IB")
}
