package discovery

import (
	"bytes"
	"math/bits"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// portLine parses the rest of a port line, after [port]:
//
//	(label or port GUID) "id"[port](port GUID) w=1 s=2 # comment
func (r *discovered) portLine(port uint64, c lines.Cursor, at int) error {
	if r.current < 0 {
		return r.Errorf(at, "a port before the first node")
	}
	here, err := r.End(r.current, clampPort(port), at)
	if err != nil {
		return err
	}
	if err := r.localNotes(here, &c, at); err != nil {
		return err
	}
	id, ok := r.quoted(&c)
	if !ok {
		return r.Errorf(at, "no node id in quotes for the other end of port %d", port)
	}
	remote := uint64(1) // ibsim's default
	c.Blanks()
	if c.Lit("[") {
		v, ok := c.Number()
		if !ok || !c.Lit("]") {
			return r.Errorf(at, "no port number in brackets after %q", id)
		}
		remote = v
	}
	there, err := r.End(r.node(id, at), clampPort(remote), at)
	if err != nil {
		return err
	}
	if err := r.remoteGUID(there, &c, at); err != nil {
		return err
	}
	w, s, err := r.portOptions(&c, at)
	if err != nil {
		return err
	}
	if _, ok := c.Until('#'); ok {
		cw, cs, err := r.portComment(here, there, c.Rest, at)
		if err != nil {
			return err
		}
		if cw != 0 || cs != 0 {
			w, s = cw, cs
		}
	}
	return r.Connect(here, there, at, w, s)
}

// clampPort limits a huge port number to one that is still wrong.
func clampPort(p uint64) int { return int(min(p, 1<<20)) }

// localNotes parses the notes between the local port and the other end's id, in () or []: on a CA
// or router the port GUID, last; elsewhere labels.
func (r *discovered) localNotes(here fabric.End, c *lines.Cursor, at int) error {
	for {
		c.Blanks()
		var note []byte
		ok := false
		switch {
		case c.Lit("("):
			note, ok = c.Until(')')
		case c.Lit("["):
			note, ok = c.Until(']')
		default:
			return nil
		}
		if !ok {
			return r.Errorf(at, "bracket not closed")
		}
		p := r.Port(here)
		c.Blanks()
		last := len(c.Rest) > 0 && c.Rest[0] == '"'
		if v, isHex := lines.Hex(note); isHex && last && r.Nodes[here.Node].Type != fabric.Switch {
			r.SetPortGUID(here, p, fabric.GUID(v), at, true)
		} else {
			p.Label = string(note)
		}
	}
}

// remoteGUID parses the port GUID of the other end, if given: on CAs and routers. Chassis dumps put
// [ext 3] before it.
func (r *discovered) remoteGUID(there fabric.End, c *lines.Cursor, at int) error {
	c.Blanks()
	if c.Lit("[") {
		if _, ok := c.Until(']'); !ok {
			return r.Errorf(at, "bracket not closed")
		}
		c.Blanks()
	}
	if !c.Lit("(") {
		return nil
	}
	text, ok := c.Until(')')
	v, isHex := lines.Hex(text)
	if !ok || !isHex {
		return r.Errorf(at, "%q is not a port GUID", text)
	}
	p := *r.Port(there)
	r.SetPortGUID(there, &p, fabric.GUID(v), at, false)
	if r.Nodes[there.Node].Type != fabric.Switch {
		*r.Port(there) = p
	}
	return nil
}

// linkMasks are ibsim's enabled widths and speeds, as bits of PortInfo: width 1,
// 4, 8, 12, 2 lanes; speed SDR DDR QDR; extended speed FDR EDR HDR NDR.
type linkMasks struct{ width, speed, ext uint64 }

var (
	maskWidths = [...]fabric.Width{1, 4, 8, 12, 2}
	maskSpeeds = [...]fabric.Speed{fabric.SDR, fabric.DDR, fabric.QDR}
	maskExts   = [...]fabric.Speed{fabric.FDR, fabric.EDR, fabric.HDR, fabric.NDR}
)

// best returns the widest and fastest enabled values, 0 if nothing is enabled.
func (m linkMasks) best() (w fabric.Width, s fabric.Speed) {
	for i, v := range maskWidths {
		if m.width>>i&1 != 0 {
			w = max(w, v)
		}
	}
	if i := bits.Len64(m.speed); i > 0 {
		s = maskSpeeds[i-1]
	}
	if i := bits.Len64(m.ext); i > 0 {
		s = maskExts[i-1]
	}
	return w, s
}

// set parses one of ibsim's options; the error is empty if it is good.
func (m *linkMasks) set(key byte, value []byte) (problem string) {
	v, ok := lines.Decimal(value)
	switch {
	case key == 'w' && ok && v >= 1 && v <= 31:
		m.width = v
	case key == 's' && ok && v >= 1 && v <= 7:
		m.speed = v
	case key == 'e' && ok && v <= 15:
		m.ext = v
	case key == 'w':
		return "want 1 to 31"
	case key == 's':
		return "want 1 to 7"
	case key == 'e':
		return "want 0 to 15"
	}
	return ""
}

// portOptions parses ibsim's w= s= e= up to the comment.
func (r *discovered) portOptions(c *lines.Cursor, at int) (fabric.Width, fabric.Speed, error) {
	m := r.enabled
	for c.Blanks(); len(c.Rest) > 0 && c.Rest[0] != '#'; c.Blanks() {
		if len(c.Rest) < 2 || c.Rest[1] != '=' || bytes.IndexByte([]byte("wse"), c.Rest[0]) < 0 {
			return 0, 0, r.Errorf(at, "not understood at the end of a port line: %q", c.Rest)
		}
		key := c.Rest[0]
		i := 2
		for i < len(c.Rest) && lines.IsDigit(c.Rest[i]) {
			i++
		}
		if problem := m.set(key, c.Rest[2:i]); problem != "" {
			return 0, 0, r.Errorf(at, "%c=%s: %s", key, c.Rest[2:i], problem)
		}
		c.Rest = c.Rest[i:]
	}
	w, s := m.best()
	return w, s, nil
}

// portComment parses ibnetdiscover's comment after #:
//
//	switch:     "description" lid 16 4xQDR
//	CA, router: lid 3 lmc 0 "description" lid 16 4xQDR
//
// where description and second lid are the other end's. Other comments are skipped.
func (r *discovered) portComment(here, there fabric.End, text []byte, at int) (fabric.Width, fabric.Speed, error) {
	first, last := bytes.IndexByte(text, '"'), bytes.LastIndexByte(text, '"')
	own := text
	if first >= 0 {
		own = text[:first]
	}
	if r.Nodes[here.Node].Type != fabric.Switch && (first >= 0 || bytes.HasPrefix(bytes.TrimSpace(own), []byte("lid "))) {
		if err := r.ownAddress(here.Node, int(here.Port), own, at); err != nil {
			return 0, 0, err
		}
	}
	if first == last {
		return 0, 0, nil
	}
	r.learn(there, text[first+1:last])
	c := lines.Cursor{Rest: text[last+1:]}
	word := c.Word()
	if string(word) == "lid" {
		v, ok := lines.Decimal(c.Word())
		if t := r.Nodes[there.Node].Type; ok && t != 0 && v <= uint64(fabric.MaxUnicastLID) {
			r.SetLID(there.Node, addressPort(t, there.Port), fabric.LID(v), at, false)
		}
		word = c.Word()
	}
	i := bytes.IndexByte(word, 'x') + 1
	if i == 0 {
		if len(word) > 0 {
			r.Warnf(at, "unknown link width and speed %q", word)
		}
		return 0, 0, nil
	}
	w, s := r.Rate(word[:i], word[i:], at)
	return w, s, nil
}

// learn stores the description of a node that has not described itself yet.
func (r *discovered) learn(there fabric.End, desc []byte) {
	n := &r.Nodes[there.Node]
	if n.Line == 0 && n.Desc != string(desc) && len(desc) > 0 {
		n.Desc = string(desc)
	}
}

// addressPort returns the port that holds the LID of a given port.
func addressPort(t fabric.NodeType, port uint8) int {
	if t == fabric.Switch {
		return 0
	}
	return int(port)
}

// assignment splits key=value and ibsim's key+value.
func assignment(line []byte) (key string, op byte, value []byte, ok bool) {
	i := 0
	for i < len(line) && (line[i] >= 'a' && line[i] <= 'z' || line[i] >= 'A' && line[i] <= 'Z' || line[i] == '_') {
		i++
	}
	rest := bytes.TrimLeft(line[i:], " \t")
	if i == 0 || len(rest) == 0 || (rest[0] != '=' && rest[0] != '+') {
		return "", 0, nil, false
	}
	return string(line[:i]), rest[0], bytes.TrimSpace(rest[1:]), true
}

func (r *discovered) assign(key string, op byte, value []byte, at int) error {
	switch key {
	case "switchguid":
		return r.guid(fabric.Switch, op, value, at)
	case "caguid", "hcaguid", "hcaguids":
		return r.guid(fabric.CA, op, value, at)
	case "rtguid":
		return r.guid(fabric.Router, op, value, at)
	case "vendid", "devid", "sysimgguid":
		v, ok := lines.Hex(value)
		if !ok || (key != "sysimgguid" && v > 0xFFFFFFFF) {
			return r.Errorf(at, "%s: %q is not a hexadecimal number", key, value)
		}
		switch key {
		case "vendid":
			r.pre.vendor = uint32(v)
		case "devid":
			r.pre.device = uint32(v)
		default:
			r.pre.system = fabric.GUID(v)
		}
	case "width", "speed", "extspeed":
		if problem := r.enabled.set(key[0], value); problem != "" {
			return r.Errorf(at, "%s=%s: %s", key, value, problem)
		}
	case "module":
		r.module = string(bytes.Trim(value, `"`))
	default:
		r.Warnf(at, "unknown attribute %q", key)
	}
	return nil
}

// guid parses the GUID of the next node of a type: 0xnode, or 0xnode(port). With + it is an offset
// to the last GUID given (ibsim), decimal without 0x.
func (r *discovered) guid(t fabric.NodeType, op byte, value []byte, at int) error {
	text, port := value, []byte(nil)
	if i := bytes.IndexByte(value, '('); i >= 0 {
		text = value[:i]
		if j := bytes.IndexByte(value, ')'); j > i {
			port = value[i+1 : j]
		}
	}
	text = (&lines.Cursor{Rest: text}).Word()
	v, ok := lines.Hex(text)
	if dec, isDec := lines.Decimal(text); isDec && op == '+' {
		v = dec
	}
	g := &r.guids[t]
	if op == '+' {
		v += uint64(g.base)
	} else {
		g.base = fabric.GUID(v)
	}
	if !ok || v == 0 {
		return r.Errorf(at, "%q is not a node GUID", text)
	}
	g.next, g.given, g.port = fabric.GUID(v), true, 0
	if port == nil {
		return nil
	}
	if v, ok = lines.Hex(port); !ok {
		return r.Errorf(at, "%q is not a port GUID", port)
	}
	g.port = fabric.GUID(v)
	return nil
}
