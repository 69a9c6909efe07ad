// Package discovery reads dumps of discovered subnets: the output of ibnetdiscover and ibdiagnet,
// OpenSM's subnet.lst, ibdiagnet's .lst and .net_dump, and the net files of ibsim. It writes the
// format of ibnetdiscover.
package discovery

import (
	"bytes"

	"weft/fabric"
	"weft/fabric/netfile/draft"
	"weft/fabric/netfile/lines"
)

// discovered reads ibnetdiscover output and ibsim net files. Node ids (the quoted names) tie the
// file together; GUIDs are attributes.
type discovered struct {
	*draft.Draft
	byID    map[string]fabric.NodeID
	current fabric.NodeID // node whose ports are being listed, or -1
	pre     preamble
	chassis string
	module  string // ibsim: prefix of node ids

	guids   [4]nodeGUIDs // by node type
	enabled linkMasks    // ibsim: default of what ports enable
}

// preamble holds the attributes before the header of a node, except its GUID.
type preamble struct {
	vendor, device uint32
	system         fabric.GUID
}

// nodeGUIDs are the GUIDs of the nodes of one type, which ibsim counts up.
type nodeGUIDs struct {
	base  fabric.GUID // last GUID that was set
	next  fabric.GUID // of the next node
	port  fabric.GUID // of its port 0, 0 when not given
	given bool        // next is from the file, not counted up
}

// ReadIBNetDiscover reads ibnetdiscover output and ibsim net files.
func ReadIBNetDiscover(name string, data []byte) (*fabric.Fabric, []lines.Warning, error) {
	r := discovered{Draft: draft.New(name), byID: map[string]fabric.NodeID{}, current: -1}
	if err := lines.Each(name, data, lines.WithoutComments(r.line)); err != nil {
		return nil, nil, err
	}
	if err := r.finish(); err != nil {
		return nil, nil, err
	}
	return r.Build()
}

// nodeWords are the words that begin the header of a node.
var nodeWords = [...]struct {
	word string
	typ  fabric.NodeType
}{
	{"Switch", fabric.Switch},
	{"Ca", fabric.CA},
	{"Hca", fabric.CA},
	{"Rt", fabric.Router},
	{"Router", fabric.Router},
}

// nodeHeader recognises the beginning of a node header: word and number of ports.
func nodeHeader(line []byte) (t fabric.NodeType, ports uint64, rest lines.Cursor, ok bool) {
	for _, w := range nodeWords {
		c := lines.Cursor{Rest: line}
		if !c.Lit(w.word) {
			continue
		}
		c.Blanks()
		if ports, ok = c.Number(); ok {
			return w.typ, ports, c, true
		}
	}
	return 0, 0, lines.Cursor{}, false
}

func (r *discovered) line(line []byte, at int) error {
	if line[0] == '[' {
		c := lines.Cursor{Rest: line[1:]}
		c.Blanks()
		if p, ok := c.Number(); ok && c.Lit("]") {
			return r.portLine(p, c, at)
		}
	}
	if t, ports, c, ok := nodeHeader(line); ok {
		return r.header(t, ports, c, at)
	}
	if key, op, value, ok := assignment(line); ok {
		return r.assign(key, op, value, at)
	}
	c := lines.Cursor{Rest: line}
	switch {
	case c.Lit("Chassis ") || string(line) == "Chassis":
		r.chassis = string(line)
		return nil
	case string(line) == "Non-Chassis Nodes":
		r.chassis = ""
		return nil
	case line[0] == '@' || c.Lit("include ") || c.Lit("do "):
		return r.Errorf(at, "ibsim's aliases, include and do are not understood here: %q", line)
	case lines.IsNoise(line):
		r.Warnf(at, "not part of the topology: %q", line)
		return nil
	case bytes.IndexByte(line, '"') >= 0 || line[0] == '[':
		return r.Errorf(at, "line not understood: %q", line)
	}
	r.Warnf(at, "not part of the topology: %q", line)
	return nil
}

// header parses the rest of a node header: "id" # "description" and, for a switch, its port 0.
func (r *discovered) header(t fabric.NodeType, ports uint64, c lines.Cursor, at int) error {
	c.Blanks()
	id, ok := r.quoted(&c)
	if !ok {
		return r.Errorf(at, "no node id in quotes in the header of a node")
	}
	if ports > fabric.MaxPorts {
		return r.Errorf(at, "%d ports (want 1 to %d)", ports, fabric.MaxPorts)
	}
	n := r.node(id, at)
	node := &r.Nodes[n]
	guids := &r.guids[t]
	own, fromID := guids.own(node.GUID), node.GUID
	if err := r.Describe(n, at, t, int(ports)); err != nil {
		return err
	}
	if fromID != 0 && own != 0 && own != fromID {
		r.Warnf(at, "node id %q and node GUID %s differ: the GUID is taken", id, own)
	}
	if own != 0 {
		node.GUID = own
	}
	if t == fabric.Switch {
		node.Ports[0].GUID = guids.port
	}
	guids.given, guids.port = false, 0
	if node.GUID != 0 && t != fabric.Switch {
		guids.next = node.GUID + fabric.GUID(ports) + 1
	} else if node.GUID != 0 {
		guids.next = node.GUID + 1
	}
	node.SystemGUID, node.VendorID, node.DeviceID = r.pre.system, r.pre.vendor, r.pre.device
	node.Chassis = r.chassis
	r.pre = preamble{}
	r.current = n
	return r.headerComment(n, c, at)
}

// own returns the GUID for the node whose header follows, 0 if the file gives none: a GUID in its
// id takes precedence over ibsim's counting.
func (g *nodeGUIDs) own(fromID fabric.GUID) fabric.GUID {
	if g.given || fromID == 0 && g.base != 0 {
		return g.next
	}
	return 0
}

// headerComment parses the comment after # in a header: "description" base port 0 lid 3 lmc 0. The
// description may contain quotes; ibsim accepts one without quotes.
func (r *discovered) headerComment(n fabric.NodeID, c lines.Cursor, at int) error {
	if _, ok := c.Until('#'); !ok {
		return nil
	}
	node := &r.Nodes[n]
	c.Blanks()
	var rest []byte
	if end := bytes.LastIndexByte(c.Rest, '"'); end > 0 && c.Rest[0] == '"' {
		node.Desc, rest = string(c.Rest[1:end]), c.Rest[end+1:]
	} else if len(c.Rest) > 0 {
		desc := c.Rest
		for _, mark := range []string{" enhanced port ", " base port ", " lid ", " lmc "} {
			if i := bytes.Index(c.Rest, []byte(mark)); i >= 0 && i < len(desc) {
				desc, rest = c.Rest[:i], c.Rest[i:]
			}
		}
		node.Desc = string(desc)
	}
	if node.Type != fabric.Switch {
		return nil
	}
	node.EnhancedPort0 = bytes.Contains(rest, []byte("enhanced port 0"))
	return r.ownAddress(n, 0, rest, at)
}

// ownAddress parses "lid 3 lmc 0" of a port of the node itself.
func (r *discovered) ownAddress(n fabric.NodeID, port int, text []byte, at int) error {
	c := lines.Cursor{Rest: text}
	for len(c.Rest) > 0 {
		key := string(c.Word())
		if key != "lid" && key != "lmc" {
			continue
		}
		word := c.Word()
		v, ok := lines.Decimal(word)
		if !ok {
			return r.Errorf(at, "%s %q is not a number", key, word)
		}
		if key == "lmc" {
			if v > fabric.MaxLMC {
				return r.Errorf(at, "LMC %d (want 0 to %d)", v, fabric.MaxLMC)
			}
			r.Nodes[n].Ports[port].LMC = uint8(v)
			continue
		}
		lid, err := r.LID(v, at)
		if err != nil {
			return err
		}
		r.SetLID(n, port, lid, at, true)
	}
	return nil
}

// quoted parses a node id in quotes and applies ibsim's module prefix.
func (r *discovered) quoted(c *lines.Cursor) ([]byte, bool) {
	if !c.Lit(`"`) {
		return nil, false
	}
	id, ok := c.Until('"')
	if !ok || len(id) == 0 {
		return nil, false
	}
	if r.module != "" && bytes.IndexByte(id, '#') < 0 {
		id = append([]byte(r.module+"#"), id...)
	}
	return id, true
}

// node finds a node by its id, or adds it as a mentioned one. Ids such as S-0002c9020041beb0
// contain type and GUID.
func (r *discovered) node(id []byte, at int) fabric.NodeID {
	if n, ok := r.byID[string(id)]; ok {
		return n
	}
	n := r.Add(at)
	r.byID[string(id)] = n
	node := &r.Nodes[n]
	node.Desc = string(id)
	if len(id) == 18 && id[1] == '-' {
		v, ok := lines.Hex(id[2:])
		t := idTypes[id[0]]
		if ok && t != 0 && id[3] != 'x' && id[3] != 'X' {
			node.Type, node.GUID = t, fabric.GUID(v)
		}
	}
	return n
}

// idTypes is the type of node by the first letter of an id.
var idTypes = [256]fabric.NodeType{'S': fabric.Switch, 'H': fabric.CA, 'R': fabric.Router}

// finish makes the checks that need the whole file.
func (r *discovered) finish() error {
	for i := range r.Nodes {
		n := &r.Nodes[i]
		if n.Line != 0 {
			continue
		}
		if n.Type == 0 {
			return r.Errorf(n.RefLine, "node %q is not described in this file, and its id does not show its type", n.Desc)
		}
		r.Warnf(n.RefLine, "%s is not described in this file: taken as a %s of %d ports", r.Name(fabric.NodeID(i)), n.Type, len(n.Ports)-1)
	}
	once, _ := r.WarnOneSided(r.Cables, true, func(id fabric.NodeID) bool { return r.Nodes[id].Line != 0 })
	r.LostNodes(once)
	return nil
}

// IsIBNetDiscover recognises the header of a node, and the lines that may precede it.
func IsIBNetDiscover(line []byte) bool {
	if key, _, _, ok := assignment(line); ok {
		switch key {
		case "vendid", "devid", "sysimgguid", "switchguid", "caguid", "hcaguid", "hcaguids", "rtguid", "module", "width", "speed", "extspeed":
			return true
		}
	}
	_, _, c, ok := nodeHeader(line)
	c.Blanks()
	return ok && c.Lit(`"`)
}
