// Package counters reads the counters of ports that perfquery and ibqueryerrors print.
package counters

import (
	"bytes"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// Port holds the counters of one port, as perfquery or ibqueryerrors printed them.
type Port struct {
	GUID   fabric.GUID // of the node or port, 0 if identified by LID
	LID    fabric.LID  // 0 if identified by GUID
	Port   uint8
	Values map[string]uint64 // by names of the specification: PortXmitWait
	File   string
	Line   int // of its heading
}

// olderNames are the counter names of older versions of the programs. Their "bytes" are units of 4
// bytes, too.
var olderNames = map[string]string{
	"SymbolErrors": "SymbolErrorCounter", "LinkRecovers": "LinkErrorRecoveryCounter", "LinkDowned": "LinkDownedCounter",
	"RcvErrors": "PortRcvErrors", "RcvRemotePhysErrors": "PortRcvRemotePhysicalErrors", "RcvSwRelayErrors": "PortRcvSwitchRelayErrors",
	"XmtDiscards": "PortXmitDiscards", "XmtConstraintErrors": "PortXmitConstraintErrors", "RcvConstraintErrors": "PortRcvConstraintErrors",
	"LinkIntegrityErrors": "LocalLinkIntegrityErrors", "ExcBufOverrunErrors": "ExcessiveBufferOverrunErrors",
	"XmtData": "PortXmitData", "RcvData": "PortRcvData", "XmtPkts": "PortXmitPkts", "RcvPkts": "PortRcvPkts", "XmtWait": "PortXmitWait",
	"XmtBytes": "PortXmitData", "RcvBytes": "PortRcvData",
}

// counterFile reads the output of perfquery and ibqueryerrors.
type counterFile struct {
	lines.Messages
	ports []Port
	now   *Port // port of the following lines, nil for counters of all ports together
	known bool  // a line of one of the programs was found
}

// Read reads the output of perfquery (also with -x and -l) and of ibqueryerrors (also with --data,
// --counters and -r), one after the other or mixed, or section PM_INFO of ibdiagnet2.db_csv.
// Counters of all ports together are skipped. Errors are of type *lines.Error.
func Read(name string, data []byte) ([]Port, []lines.Warning, error) {
	if bytes.Contains(data, []byte("START_PM_INFO")) {
		return readSections(name, data)
	}
	r := counterFile{Messages: lines.Messages{File: name}}
	if err := lines.Each(name, data, r.line); err != nil {
		return nil, nil, err
	}
	if !r.known {
		return nil, nil, r.Errorf(0, "no counters in the output format of perfquery or ibqueryerrors")
	}
	return r.ports, r.Warnings, nil
}

func (r *counterFile) line(line []byte, at int) error {
	text := strings.TrimSpace(string(line))
	switch {
	case strings.HasPrefix(text, "# ") && strings.Contains(text, " counters: "):
		return r.perfquery(text, at)
	case strings.HasPrefix(text, "Errors for ") || strings.HasPrefix(text, "Data Counters for "):
		r.now, r.known = nil, true
		return nil
	case strings.HasPrefix(text, "GUID 0x"):
		return r.ibqueryerrors(text, at)
	case text == "" || text[0] == '#' || strings.HasPrefix(text, "Link info:") || lines.IsNoise(line):
		return nil
	}
	name, value, ok := strings.Cut(text, ":")
	value = strings.TrimLeft(value, ".")
	if !ok || len(value) == 0 || bytes.ContainsAny([]byte(name), " \t") {
		return nil
	}
	return r.value(name, value, at)
}

// perfquery parses the heading of a port: # Port counters: Lid 10 port 3 (CapMask: 0x9300)
func (r *counterFile) perfquery(text string, at int) error {
	r.now, r.known = nil, true
	_, rest, _ := strings.Cut(text, " counters: ")
	words := strings.Fields(rest)
	if len(words) < 4 || !strings.EqualFold(words[0], "lid") || words[2] != "port" {
		r.Warnf(at, "not counters of a port by LID: %q", text)
		return nil
	}
	lid, err := r.UnicastLID([]byte(words[1]), lines.Decimal, 1, at)
	if err != nil {
		return err
	}
	port, ok := lines.Decimal([]byte(words[3]))
	if !ok || port > 255 {
		return r.Errorf(at, "%q is not a port number", words[3])
	}
	if port <= fabric.MaxPorts {
		r.begin(Port{LID: lid, Port: uint8(port), Line: at})
	}
	return nil
}

// ibqueryerrors parses a line of a port: GUID 0x2 port 3: [SymbolErrorCounter == 17 (17.000)] ...
func (r *counterFile) ibqueryerrors(text string, at int) error {
	r.now, r.known = nil, true
	head, rest, ok := strings.Cut(text, ":")
	words := strings.Fields(head)
	if !ok || len(words) != 4 || words[2] != "port" {
		return r.Errorf(at, "not GUID, port and counters: %q", text)
	}
	guid, ok := lines.Hex([]byte(words[1]))
	if !ok || guid == 0 {
		return r.Errorf(at, "%q is not a GUID", words[1])
	}
	if words[3] == "ALL" {
		return nil
	}
	port, ok := lines.Decimal([]byte(words[3]))
	if !ok || port > fabric.MaxPorts {
		return r.Errorf(at, "%q is not a port number", words[3])
	}
	r.begin(Port{GUID: fabric.GUID(guid), Port: uint8(port), Line: at})
	for part := range strings.SplitSeq(rest, "[") {
		name, value, ok := strings.Cut(part, "==")
		if !ok {
			continue
		}
		value, _, _ = strings.Cut(strings.TrimSpace(value), " ")
		if err := r.value(strings.TrimSpace(name), strings.TrimRight(value, "]"), at); err != nil {
			return err
		}
	}
	return nil
}

func (r *counterFile) begin(p Port) {
	p.File, p.Values = r.File, map[string]uint64{}
	r.ports = append(r.ports, p)
	r.now = &r.ports[len(r.ports)-1]
}

// value records a counter. Selector fields, which have hexadecimal values, are skipped.
func (r *counterFile) value(name, text string, at int) error {
	if r.now == nil || strings.HasPrefix(text, "0x") || name == "PortSelect" {
		return nil
	}
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return r.Errorf(at, "%s: %q is not a number", name, text)
	}
	if known := olderNames[name]; known != "" {
		name = known
	}
	r.now.Values[name] = max(r.now.Values[name], v)
	return nil
}
