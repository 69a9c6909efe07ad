package netfile

import (
	"bytes"

	"weft/fabric"
)

// discovered reads ibnetdiscover output and ibsim net files. Node ids (the
// quoted names) tie the file together; GUIDs are attributes.
type discovered struct {
	*draft
	byID    map[string]fabric.NodeID
	current fabric.NodeID // node whose ports are being listed, or -1
	pre     preamble
	chassis string
	module  string // ibsim: prefix of node ids

	guids   [4]nodeGUIDs // by node type
	enabled linkMasks    // ibsim: what ports enable unless they say otherwise
}

// preamble holds the attributes before the header of a node, but for its GUID.
type preamble struct {
	vendor, device uint32
	system         fabric.GUID
}

// nodeGUIDs are the GUIDs of the nodes of one type, which ibsim counts up.
type nodeGUIDs struct {
	base  fabric.GUID // set last
	next  fabric.GUID // of the next node
	port  fabric.GUID // of its port 0, 0 when not given
	given bool        // next was given for it, not counted up
}

// readIBNetDiscover reads ibnetdiscover output and ibsim net files.
func readIBNetDiscover(name string, data []byte) (*fabric.Fabric, []Warning, error) {
	r := discovered{draft: newDraft(name), byID: map[string]fabric.NodeID{}, current: -1}
	if err := eachLine(name, data, withoutComments(r.line)); err != nil {
		return nil, nil, err
	}
	if err := r.finish(); err != nil {
		return nil, nil, err
	}
	return r.build()
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
func nodeHeader(line []byte) (t fabric.NodeType, ports uint64, rest cursor, ok bool) {
	for _, w := range nodeWords {
		c := cursor{s: line}
		if !c.lit(w.word) {
			continue
		}
		c.blanks()
		if ports, ok = c.number(); ok {
			return w.typ, ports, c, true
		}
	}
	return 0, 0, cursor{}, false
}

func (r *discovered) line(line []byte, at int) error {
	if line[0] == '[' {
		c := cursor{s: line[1:]}
		c.blanks()
		if p, ok := c.number(); ok && c.lit("]") {
			return r.portLine(p, c, at)
		}
	}
	if t, ports, c, ok := nodeHeader(line); ok {
		return r.header(t, ports, c, at)
	}
	if key, op, value, ok := assignment(line); ok {
		return r.assign(key, op, value, at)
	}
	c := cursor{s: line}
	switch {
	case c.lit("Chassis ") || string(line) == "Chassis":
		r.chassis = string(line)
		return nil
	case string(line) == "Non-Chassis Nodes":
		r.chassis = ""
		return nil
	case line[0] == '@' || c.lit("include ") || c.lit("do "):
		return r.errorf(at, "ibsim's aliases, include and do are not understood here: %q", line)
	case isNoise(line):
		r.warnf(at, "not part of the topology: %q", line)
		return nil
	case bytes.IndexByte(line, '"') >= 0 || line[0] == '[':
		return r.errorf(at, "line not understood: %q", line)
	}
	r.warnf(at, "not part of the topology: %q", line)
	return nil
}

// header reads the rest of a node header: "id" # "description" and, for a
// switch, its port 0.
func (r *discovered) header(t fabric.NodeType, ports uint64, c cursor, at int) error {
	c.blanks()
	id, ok := r.quoted(&c)
	if !ok {
		return r.errorf(at, "no node id in quotes in the header of a node")
	}
	if ports > fabric.MaxPorts {
		return r.errorf(at, "%d ports (want 1 to %d)", ports, fabric.MaxPorts)
	}
	n := r.node(id, at)
	node := &r.nodes[n]
	guids := &r.guids[t]
	own, fromID := guids.own(node.GUID), node.GUID
	if err := r.describe(n, at, t, int(ports)); err != nil {
		return err
	}
	if fromID != 0 && own != 0 && own != fromID {
		r.warnf(at, "node id %q and node GUID %s differ: the GUID is taken", id, own)
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

// own is the GUID for the node whose header comes now, 0 when the file gives none:
// the one that its id tells goes before one that ibsim would count up.
func (g *nodeGUIDs) own(fromID fabric.GUID) fabric.GUID {
	if g.given || fromID == 0 && g.base != 0 {
		return g.next
	}
	return 0
}

// headerComment reads what follows # in a header: "description" base port 0 lid
// 3 lmc 0. The description may itself hold quotes; ibsim takes one without.
func (r *discovered) headerComment(n fabric.NodeID, c cursor, at int) error {
	if _, ok := c.until('#'); !ok {
		return nil
	}
	node := &r.nodes[n]
	c.blanks()
	var rest []byte
	if end := bytes.LastIndexByte(c.s, '"'); end > 0 && c.s[0] == '"' {
		node.Desc, rest = string(c.s[1:end]), c.s[end+1:]
	} else if len(c.s) > 0 {
		desc := c.s
		for _, mark := range []string{" enhanced port ", " base port ", " lid ", " lmc "} {
			if i := bytes.Index(c.s, []byte(mark)); i >= 0 && i < len(desc) {
				desc, rest = c.s[:i], c.s[i:]
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

// ownAddress reads "lid 3 lmc 0" of a port of the node itself.
func (r *discovered) ownAddress(n fabric.NodeID, port int, text []byte, at int) error {
	c := cursor{s: text}
	for len(c.s) > 0 {
		key := string(c.word())
		if key != "lid" && key != "lmc" {
			continue
		}
		word := c.word()
		v, ok := decimal(word)
		if !ok {
			return r.errorf(at, "%s %q is not a number", key, word)
		}
		if key == "lmc" {
			if v > fabric.MaxLMC {
				return r.errorf(at, "LMC %d (want 0 to %d)", v, fabric.MaxLMC)
			}
			r.nodes[n].Ports[port].LMC = uint8(v)
			continue
		}
		lid, err := r.lid(v, at)
		if err != nil {
			return err
		}
		r.setLID(n, port, lid, at, true)
	}
	return nil
}

// quoted takes a node id in quotes and applies ibsim's module prefix.
func (r *discovered) quoted(c *cursor) ([]byte, bool) {
	if !c.lit(`"`) {
		return nil, false
	}
	id, ok := c.until('"')
	if !ok || len(id) == 0 {
		return nil, false
	}
	if r.module != "" && bytes.IndexByte(id, '#') < 0 {
		id = append([]byte(r.module+"#"), id...)
	}
	return id, true
}

// node finds a node by its id, or adds it as one that was referred to. Ids such
// as S-0002c9020041beb0 tell type and GUID.
func (r *discovered) node(id []byte, at int) fabric.NodeID {
	if n, ok := r.byID[string(id)]; ok {
		return n
	}
	n := r.add(at)
	r.byID[string(id)] = n
	node := &r.nodes[n]
	node.Desc = string(id)
	if len(id) == 18 && id[1] == '-' {
		v, ok := hex(id[2:])
		t := idTypes[id[0]]
		if ok && t != 0 && id[3] != 'x' && id[3] != 'X' {
			node.Type, node.GUID = t, fabric.GUID(v)
		}
	}
	return n
}

// idTypes is the type of node by the first letter of an id.
var idTypes = [256]fabric.NodeType{'S': fabric.Switch, 'H': fabric.CA, 'R': fabric.Router}

// finish checks what can be told only at the end of the file.
func (r *discovered) finish() error {
	for i := range r.nodes {
		n := &r.nodes[i]
		if n.line != 0 {
			continue
		}
		if n.Type == 0 {
			return r.errorf(n.refLine, "node %q is not described in this file, and its id does not tell what it is", n.Desc)
		}
		r.warnf(n.refLine, "%s is not described in this file: taken as a %s of %d ports", r.name(fabric.NodeID(i)), n.Type, len(n.Ports)-1)
	}
	once, _ := r.warnOneSided(r.cables, true, func(id fabric.NodeID) bool { return r.nodes[id].line != 0 })
	r.lostNodes(once)
	return nil
}

// isIBNetDiscover recognises the header of a node, and what may stand before it.
func isIBNetDiscover(line []byte) bool {
	if key, _, _, ok := assignment(line); ok {
		switch key {
		case "vendid", "devid", "sysimgguid", "switchguid", "caguid", "hcaguid", "hcaguids", "rtguid", "module", "width", "speed", "extspeed":
			return true
		}
	}
	_, _, c, ok := nodeHeader(line)
	c.blanks()
	return ok && c.lit(`"`)
}
