package discovery

import (
	"bytes"

	"weft/fabric"
	"weft/fabric/netfile/draft"
	"weft/fabric/netfile/lines"
)

// lstFile reads subnet.lst of OpenSM and .lst of ibdiagnet: one cable a line, listed once or from
// both ends,
//
//	{ SIDE } { SIDE } PHY=4x LOG=ACT SPD=5
//
// where SIDE is
//
//	CA Ports:02 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:.. DevID:.. Rev:.. {description} LID:0001 PN:01
//
// and every number is hexadecimal.
type lstFile struct {
	*draft.Draft
	byGUID map[fabric.GUID]fabric.NodeID
}

// lstSide is one end of a line.
type lstSide struct {
	typ            fabric.NodeType
	ports          uint64
	system, node   fabric.GUID
	port           fabric.GUID
	vendor, device uint64
	revision       uint64
	desc           []byte
	lid            fabric.LID
	num            uint64
}

// ReadLST reads subnet.lst of OpenSM and .lst of ibdiagnet.
func ReadLST(name string, data []byte) (*fabric.Fabric, []lines.Warning, error) {
	r := lstFile{draft.New(name), map[fabric.GUID]fabric.NodeID{}}
	if err := lines.Each(name, data, lines.WithoutComments(r.line)); err != nil {
		return nil, nil, err
	}
	r.retype()
	once, _ := r.WarnOneSided(r.Cables, false, func(fabric.NodeID) bool { return true })
	r.LostEnds(once)
	return r.Build()
}

func (r *lstFile) line(line []byte, at int) error {
	c := lines.Cursor{Rest: line}
	var ends [2]fabric.End
	for i := range ends {
		side, err := r.side(&c, at)
		if err != nil {
			return err
		}
		if ends[i], err = r.note(&side, at); err != nil {
			return err
		}
	}
	width, speed, down, err := r.linkState(c, at)
	if err != nil {
		return err
	}
	var w fabric.Width
	var s fabric.Speed
	if speed != nil {
		w, s = r.Rate(width, speed, at)
	} else if width != nil {
		w, _ = r.Rate(width, []byte("SDR"), at)
	}
	if err := r.Connect(ends[0], ends[1], at, w, s); err != nil {
		return err
	}
	if down {
		r.SetDown(ends[0], ends[1], at)
	}
	return nil
}

// shortType returns the type of node that two or three letters stand for; 0 for none.
func shortType(word []byte) fabric.NodeType {
	switch string(word) {
	case "SW":
		return fabric.Switch
	case "CA":
		return fabric.CA
	case "RT", "Rt", "RTR":
		return fabric.Router
	}
	return 0
}

// side parses "{ ... }".
func (r *lstFile) side(c *lines.Cursor, at int) (lstSide, error) {
	var s lstSide
	c.Blanks()
	if !c.Lit("{") {
		return s, r.Errorf(at, "no { where an end of a cable should begin")
	}
	word := c.Word()
	kind, _, _ := bytes.Cut(word, []byte("-")) // CA-SM: the master SM is there
	if s.typ = shortType(kind); s.typ == 0 {
		return s, r.Errorf(at, "unknown node type %q (want SW, CA or RT)", word)
	}
	for {
		c.Blanks()
		if len(c.Rest) == 0 || c.Rest[0] == '{' || c.Rest[0] == '}' {
			break
		}
		if err := r.field(&s, c.Word(), at); err != nil {
			return s, err
		}
	}
	if !c.Lit("{") {
		return s, r.Errorf(at, "no {description} of a node")
	}
	end := bytes.Index(c.Rest, []byte("} LID:"))
	if end < 0 {
		return s, r.Errorf(at, "no } LID: after the description of a node")
	}
	s.desc, c.Rest = c.Rest[:end], c.Rest[end+2:]
	for {
		c.Blanks()
		if c.Lit("}") {
			break
		}
		if len(c.Rest) == 0 {
			return s, r.Errorf(at, "no } at the end of an end of a cable")
		}
		if err := r.field(&s, c.Word(), at); err != nil {
			return s, err
		}
	}
	if s.node == 0 || s.ports == 0 || s.num == 0 {
		return s, r.Errorf(at, "an end of a cable without NodeGUID, Ports or PN")
	}
	return s, nil
}

// field parses one Key:hexadecimal.
func (r *lstFile) field(s *lstSide, word []byte, at int) error {
	key, value, _ := bytes.Cut(word, []byte(":"))
	v, ok := lines.Hex(value)
	if !ok {
		return r.Errorf(at, "%q is not Key:hexadecimal", word)
	}
	switch string(key) {
	case "Ports":
		s.ports = v
	case "SystemGUID":
		s.system = fabric.GUID(v)
	case "NodeGUID":
		s.node = fabric.GUID(v)
	case "PortGUID":
		s.port = fabric.GUID(v)
	case "VenID":
		s.vendor = v
	case "DevID":
		s.device = v
	case "Rev":
		s.revision = v
	case "PN":
		s.num = v
	case "LID":
		lid, err := r.LID(v, at)
		s.lid = lid
		return err
	default:
		r.Warnf(at, "unknown field %q", key)
	}
	return nil
}

// note creates the node of an end, or compares it with earlier lines.
func (r *lstFile) note(s *lstSide, at int) (fabric.End, error) {
	id, known := r.byGUID[s.node]
	if !known {
		id = r.Add(at)
		r.byGUID[s.node] = id
		n := &r.Nodes[id]
		n.GUID, n.SystemGUID = s.node, s.system
		n.VendorID, n.DeviceID, n.Revision = uint32(s.vendor), deviceID(s.device), uint32(s.revision)
		n.Desc = string(s.desc)
		if err := r.Describe(id, at, s.typ, clampPort(s.ports)); err != nil {
			return fabric.End{}, err
		}
	}
	n := &r.Nodes[id]
	if n.Type != s.typ || len(n.Ports)-1 != clampPort(s.ports) {
		return fabric.End{}, r.Errorf(at, "%s is a %s of %d ports here, a %s of %d ports on line %d",
			r.Name(id), s.typ, s.ports, n.Type, len(n.Ports)-1, n.Line)
	}
	if n.Desc != string(s.desc) {
		r.Warnf(at, "%s is described as %q here", r.Name(id), s.desc)
	}
	e, err := r.End(id, clampPort(s.num), at)
	if err != nil {
		return e, err
	}
	p := addressPort(n.Type, e.Port)
	r.SetLID(id, p, s.lid, at, true)
	r.SetPortGUID(e, &n.Ports[p], s.port, at, true)
	return e, nil
}

// deviceID undoes an old writer's bug: 16 bits in the upper half of 32.
func deviceID(v uint64) uint32 {
	if v > 0xFFFF && v&0xFFFF == 0 {
		return uint32(v >> 16)
	}
	return uint32(v)
}

// linkState parses PHY=4x LOG=ACT SPD=5.
func (r *lstFile) linkState(c lines.Cursor, at int) (width, speed []byte, down bool, err error) {
	for c.Blanks(); len(c.Rest) > 0; c.Blanks() {
		word := c.Word()
		key, value, _ := bytes.Cut(word, []byte("="))
		switch string(key) {
		case "PHY":
			width = value
		case "SPD":
			speed = value
		case "LOG":
			switch string(value) {
			case "ACT", "INI", "ARM":
			case "DWN", "DOWN":
				down = true
			default:
				r.Warnf(at, "unknown link state %q: taken as up", value)
			}
		default:
			return nil, nil, false, r.Errorf(at, "%q is not PHY=, LOG= or SPD=", word)
		}
	}
	return width, speed, down, nil
}

// retype finds switches that an old writer called CA. Every port of a CA has a GUID of its own
// while all ports of a switch share one. So a "CA" with one GUID on two cabled ports, or with more
// ports than any CA has, is a switch.
func (r *lstFile) retype() {
	for i := range r.Nodes {
		n := &r.Nodes[i]
		if n.Type != fabric.CA || !looksLikeSwitch(n) {
			continue
		}
		r.Warnf(n.Line, "CA nodes whose ports share one port GUID, or of more than %d ports, are taken as switches", mostCAPorts)
		for p := 1; p < len(n.Ports); p++ {
			at := &n.Ports[p]
			if at.GUID != 0 && n.Ports[0].GUID == 0 {
				n.Ports[0].GUID = at.GUID
			}
			r.SetLID(fabric.NodeID(i), 0, at.LID, n.Line, false)
			at.GUID, at.LID = 0, 0
		}
		n.Type = fabric.Switch
	}
}

// mostCAPorts is the largest plausible number of ports of a CA.
const mostCAPorts = 4

func looksLikeSwitch(n *draft.Node) bool {
	if len(n.Ports)-1 > mostCAPorts {
		return true
	}
	for p := 1; p < len(n.Ports); p++ {
		for q := p + 1; q < len(n.Ports); q++ {
			if n.Ports[p].GUID != 0 && n.Ports[p].GUID == n.Ports[q].GUID {
				return true
			}
		}
	}
	return false
}

// IsLST recognises an end of a cable.
func IsLST(line []byte) bool { return line[0] == '{' && bytes.Contains(line, []byte("NodeGUID:")) }
