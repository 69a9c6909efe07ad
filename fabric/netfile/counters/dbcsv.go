package counters

import (
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// unsupported is the least of the values that ibdiagnet writes for counters that a device lacks.
const unsupported = 1<<64 - 2

// readSections reads section PM_INFO of ibdiagnet2.db_csv.
func readSections(name string, data []byte) (ports []Port, _ []lines.Warning, err error) {
	all, err := lines.Sections(name, data)
	if err != nil {
		return nil, nil, err
	}
	for i := range all {
		if all[i].Name != "PM_INFO" {
			continue
		}
		err := all[i].Rows(name, func(row *lines.Row) error {
			p, err := portOf(name, row)
			ports = append(ports, p)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return ports, nil, nil
}

// portOf reads the counters of a row. Of a counter and its extended form the greater counts: the
// short one stops at its maximum.
func portOf(name string, row *lines.Row) (Port, error) {
	p := Port{File: name, Line: row.Line, Values: map[string]uint64{}}
	var err error
	if p.GUID, err = row.GUID("NodeGUID"); err != nil {
		return p, err
	}
	number, err := row.Number("PortNumber", fabric.MaxPorts)
	if err != nil {
		return p, err
	}
	p.Port = uint8(number)
	for _, column := range row.Columns() {
		text, ok := row.Text(column)
		if !ok || slices.Contains([]string{"NodeGUID", "PortGUID", "PortNumber"}, column) {
			continue
		}
		v, err := strconv.ParseUint(text, 0, 64)
		if err != nil || v >= unsupported { // not a counter, or none of this device
			continue
		}
		counter := counterName(column)
		p.Values[counter] = max(p.Values[counter], v)
	}
	return p, nil
}

// counterName returns the name of a counter in the specification.
func counterName(column string) string {
	for _, end := range []string{"Extended", "Ext"} {
		if short, ok := strings.CutSuffix(column, end); ok {
			column = short
			break
		}
	}
	if name, ok := olderNames[column]; ok {
		return name
	}
	return column
}
