package discovery

import (
	"bytes"

	"weft/fabric"
	"weft/fabric/netfile/draft"
	"weft/fabric/netfile/lines"
)

// portList reads the port list of ibnetdiscover -p, a line for each port of each node, and the node
// list of ibnetdiscover -l. Ports are identified by port GUID, so two ports of one CA become two
// CAs.
type portList struct {
	*draft.Draft
	byGUID map[fabric.GUID]fabric.NodeID
}

// listedPort is a port as a line names it.
type listedPort struct {
	kind fabric.NodeType
	lid  fabric.LID
	num  int
	guid fabric.GUID
}

// ReadPortList reads the output of ibnetdiscover -p.
func ReadPortList(name string, data []byte) (*fabric.Fabric, []lines.Warning, error) {
	r := portList{draft.New(name), map[fabric.GUID]fabric.NodeID{}}
	if err := lines.Each(name, data, r.line); err != nil {
		return nil, nil, err
	}
	r.LostEnds(r.once())
	return r.Build()
}

// once returns the cables that only one end lists.
func (r *portList) once() []*draft.Cable {
	once, _ := r.WarnOneSided(r.Cables, false, func(fabric.NodeID) bool { return true })
	return once
}

// line parses the line of a port: SW 1 17 0x2 4x QDR - CA 12 1 0x5 ( 'switch' - 'host' ), or
// without a cable SW 1 17 0x2 4x SDR 'switch'.
func (r *portList) line(line []byte, at int) error {
	c := &lines.Cursor{Rest: line}
	here, err := r.port(c, at)
	if err != nil {
		return err
	}
	width, speed := c.Word(), c.Word()
	c.Blanks()
	if !c.Lit("- ") {
		_, err := r.end(here, bytes.Trim(c.Rest, "' "), at)
		return err
	}
	there, err := r.port(c, at)
	if err != nil {
		return err
	}
	c.Blanks()
	hereName, thereName, ok := namesOf(c.Rest)
	if !ok {
		return r.Errorf(at, "want ( 'NAME' - 'NAME' ) at the end, got %q", c.Rest)
	}
	a, err := r.end(here, hereName, at)
	if err != nil {
		return err
	}
	b, err := r.end(there, thereName, at)
	if err != nil {
		return err
	}
	w, s := r.Rate(width, speed, at)
	return r.Connect(a, b, at, w, s)
}

// port parses type, LID, port number and port GUID.
func (r *portList) port(c *lines.Cursor, at int) (p listedPort, err error) {
	word := c.Word()
	if p.kind = shortType(word); p.kind == 0 {
		return p, r.Errorf(at, "unknown node type %q (want SW, CA or RT)", word)
	}
	word = c.Word()
	lid, ok := lines.Decimal(word)
	if !ok {
		return p, r.Errorf(at, "%q is not a LID", word)
	}
	if p.lid, err = r.LID(lid, at); err != nil {
		return p, err
	}
	word = c.Word()
	num, ok := lines.Decimal(word)
	if !ok || num < 1 || num > fabric.MaxPorts {
		return p, r.Errorf(at, "%q is not a port number", word)
	}
	p.num = int(num)
	word = c.Word()
	guid, ok := lines.Hex(word)
	if !ok || guid == 0 {
		return p, r.Errorf(at, "%q is not a port GUID", word)
	}
	p.guid = fabric.GUID(guid)
	return p, nil
}

// namesOf parses ( 'NAME' - 'NAME' ). Names may contain quotes.
func namesOf(text []byte) (a, b []byte, ok bool) {
	text, ok1 := bytes.CutPrefix(bytes.TrimSpace(text), []byte("( '"))
	text, ok2 := bytes.CutSuffix(text, []byte("' )"))
	a, b, ok = bytes.Cut(text, []byte("' - '"))
	return a, b, ok && ok1 && ok2
}

// end returns the end that a line names, and creates its node at the first mention.
func (r *portList) end(p listedPort, name []byte, at int) (fabric.End, error) {
	id, known := r.byGUID[p.guid]
	if !known {
		id = r.Add(at)
		r.byGUID[p.guid] = id
		n := &r.Nodes[id]
		n.GUID, n.Type, n.Desc = p.guid, p.kind, string(name)
	}
	n := &r.Nodes[id]
	if n.Type != p.kind {
		return fabric.End{}, r.Errorf(at, "%s is a %s here and a %s on line %d", r.Name(id), p.kind, n.Type, n.RefLine)
	}
	if n.Desc != string(name) {
		r.Warnf(at, "%s is described as %q here", r.Name(id), name)
	}
	end, err := r.End(id, p.num, at)
	if err != nil {
		return end, err
	}
	address := addressPort(p.kind, end.Port)
	r.SetLID(id, address, p.lid, at, false)
	r.Nodes[id].Ports[address].GUID = p.guid
	return end, nil
}

// IsPortList recognises the line of a port.
func IsPortList(line []byte) bool {
	c := &lines.Cursor{Rest: line}
	kind := shortType(c.Word())
	_, isLID := lines.Decimal(c.Word())
	_, isPort := lines.Decimal(c.Word())
	return kind != 0 && isLID && isPort && bytes.HasPrefix(c.Word(), []byte("0x"))
}

// ReadNodeList reads the output of ibnetdiscover -l, which has no cables.
func ReadNodeList(name string, data []byte) (*fabric.Fabric, []lines.Warning, error) {
	d := draft.New(name)
	err := lines.Each(name, data, func(line []byte, at int) error { return nodeLine(d, line, at) })
	if err != nil {
		return nil, nil, err
	}
	d.Lostf(0, "a list of nodes (ibnetdiscover -l) has no cables")
	return d.Build()
}

// nodeKinds are the types of nodes in a node list.
var nodeKinds = map[string]fabric.NodeType{"Switch": fabric.Switch, "Ca": fabric.CA, "Router": fabric.Router}

// nodeLine parses a line of a node list: Switch : 0x2 ports 36 devid 0xc738 vendid 0x2c9 "name".
func nodeLine(d *draft.Draft, line []byte, at int) error {
	head, desc, ok := bytes.Cut(line, []byte(`"`))
	words := bytes.Fields(head)
	if !ok || len(words) != 9 || !IsNodeList(line) {
		return d.Errorf(at, `not a node: want TYPE : GUID ports N devid N vendid N "NAME"`)
	}
	id := d.Add(at)
	n := &d.Nodes[id]
	guid, isGUID := lines.Hex(words[2])
	ports, isNumber := lines.Decimal(words[4])
	device, _ := lines.Hex(words[6])
	vendor, _ := lines.Hex(words[8])
	if !isGUID || guid == 0 || !isNumber {
		return d.Errorf(at, "want a GUID and a number of ports, got %q and %q", words[2], words[4])
	}
	n.GUID, n.DeviceID, n.VendorID, n.Desc = fabric.GUID(guid), deviceID(device), uint32(vendor), string(bytes.TrimSuffix(desc, []byte(`"`)))
	return d.Describe(id, at, nodeKinds[string(words[0])], clampPort(ports))
}

// IsNodeList recognises the line of a node.
func IsNodeList(line []byte) bool {
	words := bytes.Fields(line)
	return len(words) > 4 && nodeKinds[string(words[0])] != 0 && string(words[1]) == ":" && string(words[3]) == "ports"
}
