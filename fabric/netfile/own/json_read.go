package own

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/draft"
	"weft/fabric/netfile/lines"
)

// jsonReader reads the format and tracks its line.
type jsonReader struct {
	file    string
	data    []byte
	dec     *json.Decoder
	counted int // lines are counted up to this offset
	line    int
	fabric  *fabric.Fabric
	nodes   []lined[jsonNode]
	links   []lined[jsonLink]
	format  string
	version int
	ports   int // of all nodes
}

// lined is an item of a list and the line on which it begins.
type lined[T any] struct {
	item T
	line int
}

// ReadJSON reads what WriteJSON writes.
func ReadJSON(name string, data []byte) (*fabric.Fabric, []lines.Warning, error) {
	r := jsonReader{file: name, data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1, fabric: fabric.New(name)}
	r.dec.DisallowUnknownFields()
	if err := r.checkLengths(); err != nil {
		return nil, nil, err
	}
	if err := r.document(); err != nil {
		return nil, nil, err
	}
	for i := range r.nodes {
		if err := r.addNode(&r.nodes[i].item, r.nodes[i].line); err != nil {
			return nil, nil, err
		}
	}
	for i := range r.links {
		if err := r.addLink(&r.links[i].item, r.links[i].line); err != nil {
			return nil, nil, err
		}
	}
	return r.fabric, nil, nil
}

// checkLengths refuses a file with more than MaxLine bytes between two brackets, commas or colons
// outside of nodes and links: encoding/json holds a value several times over.
func (r *jsonReader) checkLengths() error {
	const itemDepth = 2 // of the brackets around a node or link
	depth, begin := 0, 0
	for i := 0; i < len(r.data); i++ {
		switch r.data[i] {
		case '"':
			for i++; i < len(r.data) && r.data[i] != '"'; i++ {
				if r.data[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',', ':':
		default:
			continue
		}
		if i-begin > lines.MaxLine {
			return lines.Errorf(r.file, 1+bytes.Count(r.data[:begin], []byte("\n")), "a value of more than %d bytes: this is no such file, or a damaged one", lines.MaxLine)
		}
		if depth <= itemDepth {
			begin = i
		}
	}
	return nil
}

// here returns the line of the next token.
func (r *jsonReader) here() int {
	return r.lineAt(int(r.dec.InputOffset()), true)
}

// lineAt returns the line of an offset, or of the first token behind it. Offsets only grow.
func (r *jsonReader) lineAt(offset int, skip bool) int {
	offset = min(offset, len(r.data))
	for skip && offset < len(r.data) && bytes.IndexByte([]byte(" \t\r\n,:"), r.data[offset]) >= 0 {
		offset++
	}
	if offset > r.counted {
		r.line += bytes.Count(r.data[r.counted:offset], []byte("\n"))
		r.counted = offset
	}
	return r.line
}

// failed converts an error of encoding/json to an *Error.
func (r *jsonReader) failed(err error) error {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		// Offset is behind the wrong character, or before it if a token was expected: then a line
		// may end in between.
		at := int(syntax.Offset) - 1
		if at >= 0 && at < len(r.data) && r.data[at] == '\n' && !strings.Contains(syntax.Error(), `'\n'`) {
			at++
		}
		return lines.Errorf(r.file, r.lineAt(at, false), "not JSON: %s", syntax)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return lines.Errorf(r.file, r.lineAt(len(r.data), false), "not JSON: the file ends too early")
	case errors.As(err, &typ):
		return lines.Errorf(r.file, r.line, "%q has the wrong JSON type, %s", typ.Field, typ.Value)
	}
	return lines.Errorf(r.file, r.line, "%s", strings.TrimPrefix(lines.Reason(err), "json: "))
}

// delim consumes an expected bracket.
func (r *jsonReader) delim(want json.Delim, what string) error {
	line := r.here()
	t, err := r.dec.Token()
	if err != nil {
		return r.failed(err)
	}
	if t != want {
		return lines.Errorf(r.file, line, "%s must begin with %q", what, rune(want))
	}
	return nil
}

func (r *jsonReader) document() error {
	if err := r.delim('{', "the file"); err != nil {
		return err
	}
	seen := map[string]bool{}
	for r.dec.More() {
		line := r.here()
		t, err := r.dec.Token()
		if err != nil {
			return r.failed(err)
		}
		key := t.(string)
		if seen[key] {
			return lines.Errorf(r.file, line, "%q is given twice", key)
		}
		seen[key] = true
		if err := r.value(key, line); err != nil {
			return err
		}
	}
	if _, err := r.dec.Token(); err != nil {
		return r.failed(err)
	}
	line := r.here()
	if _, err := r.dec.Token(); err != io.EOF {
		return lines.Errorf(r.file, line, "text after the end of the JSON object")
	}
	if r.format != jsonFormat || r.version != jsonVersion {
		return lines.Errorf(r.file, 0, "format %q version %d (want %q version %d)", r.format, r.version, jsonFormat, jsonVersion)
	}
	if !seen["nodes"] {
		return lines.Errorf(r.file, 0, "no %q", "nodes")
	}
	return nil
}

func (r *jsonReader) value(key string, line int) (err error) {
	switch key {
	case "format":
		err = r.dec.Decode(&r.format)
	case "version":
		err = r.dec.Decode(&r.version)
	case "name":
		var name jsonText
		err = r.dec.Decode(&name)
		r.fabric.Name = string(name)
	case "nodes":
		r.nodes, err = readJSONList[jsonNode](r, key, fabric.MaxNodes)
	case "links":
		r.links, err = readJSONList[jsonLink](r, key, fabric.MaxLinks)
	default:
		return lines.Errorf(r.file, line, "unknown key %q", key)
	}
	var ours *lines.Error
	if err != nil && !errors.As(err, &ours) {
		return r.failed(err)
	}
	return err
}

func readJSONList[T any](r *jsonReader, key string, most int) (list []lined[T], err error) {
	if err := r.delim('[', fmt.Sprintf("%q", key)); err != nil {
		return nil, err
	}
	for r.dec.More() {
		item := lined[T]{line: r.here()}
		if len(list) == most {
			return nil, lines.Errorf(r.file, item.line, "more than %d %s", most, key)
		}
		if err := r.dec.Decode(&item.item); err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	_, err = r.dec.Token()
	return list, err
}

var jsonTypes = map[string]fabric.NodeType{"CA": fabric.CA, "switch": fabric.Switch, "router": fabric.Router}

func (r *jsonReader) addNode(j *jsonNode, line int) error {
	t, ok := jsonTypes[j.Type]
	if !ok {
		return lines.Errorf(r.file, line, "type %q (want switch, CA or router)", j.Type)
	}
	if j.GUID == 0 {
		return lines.Errorf(r.file, line, "a %s without a guid", t)
	}
	if j.Drained && t != fabric.Switch {
		return lines.Errorf(r.file, line, "a %s cannot be drained", t)
	}
	if r.ports += max(0, j.Ports); r.ports > draft.MaxPorts {
		return lines.Errorf(r.file, line, "the nodes up to here have more than %d ports", draft.MaxPorts)
	}
	id, err := r.fabric.AddNode(t, j.GUID, j.Ports, string(j.Desc))
	if err != nil {
		return lines.Errorf(r.file, line, "%s", lines.Reason(err))
	}
	n := &r.fabric.Nodes[id]
	n.SystemGUID, n.VendorID, n.DeviceID, n.Revision = j.SystemGUID, j.VendorID, j.DeviceID, j.Revision
	n.Chassis, n.EnhancedPort0, n.LinearFDBCap = string(j.Chassis), j.EnhancedPort0, j.LinearFDBCap
	n.Down, n.Drained = j.Down, j.Drained
	if j.Role != "" {
		if n.Role, err = fabric.ParseRole(j.Role); err != nil || t != fabric.Switch {
			return lines.Errorf(r.file, line, "role %q of a %s (want root, middle, leaf or none, of a switch)", j.Role, t)
		}
	}
	var met [fabric.MaxPorts + 1]bool
	for i := range j.Port {
		p := &j.Port[i]
		if err := r.addPort(n, p, line); err != nil {
			return err
		}
		if met[p.Number] {
			return lines.Errorf(r.file, line, "port %d is given twice", p.Number)
		}
		met[p.Number] = true
	}
	return nil
}

func (r *jsonReader) addPort(n *fabric.Node, j *jsonPort, line int) error {
	switch {
	case int(j.Number) > n.NumPorts():
		return lines.Errorf(r.file, line, "port %d of a node with %d ports", j.Number, n.NumPorts())
	case j.LID > fabric.MaxUnicastLID:
		return lines.Errorf(r.file, line, "port %d: LID %d is not a unicast LID", j.Number, j.LID)
	case j.LMC > fabric.MaxLMC:
		return lines.Errorf(r.file, line, "port %d: LMC %d (want 0 to %d)", j.Number, j.LMC, fabric.MaxLMC)
	case j.VLCap > 15:
		return lines.Errorf(r.file, line, "port %d: vl_cap %d (want 0 to 15)", j.Number, j.VLCap)
	}
	p := &n.Ports[j.Number]
	p.LID, p.LMC, p.VLCap, p.Label = j.LID, j.LMC, j.VLCap, string(j.Label)
	if j.GUID != nil {
		p.GUID = *j.GUID
	}
	return nil
}

func (r *jsonReader) addLink(j *jsonLink, line int) error {
	speed := fabric.SpeedUnknown
	if j.Speed != "" {
		s, ok := fabric.ParseSpeed(j.Speed)
		if !ok {
			return lines.Errorf(r.file, line, "speed %q (want SDR to XDR)", j.Speed)
		}
		speed = s
	}
	if j.Width != 0 && !draft.KnownWidth(uint64(j.Width)) {
		return lines.Errorf(r.file, line, "width %d (want 1, 2, 4, 8 or 12)", j.Width)
	}
	a, okA := r.fabric.NodeByGUID(j.A)
	b, okB := r.fabric.NodeByGUID(j.B)
	if !okA || !okB {
		missing := j.A
		if okA {
			missing = j.B
		}
		return lines.Errorf(r.file, line, "no node has GUID %s", missing)
	}
	id, err := r.fabric.Connect(fabric.End{Node: a, Port: j.APort}, fabric.End{Node: b, Port: j.BPort}, j.Width, speed)
	if err != nil {
		return lines.Errorf(r.file, line, "%s", lines.Reason(err))
	}
	r.fabric.Links[id].Down, r.fabric.Links[id].Drained = j.Down, j.Drained
	return nil
}

// IsJSON recognises a JSON object, which need not have lines.
func IsJSON(data []byte) bool {
	s, ok := bytes.CutPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{"))
	s = bytes.TrimLeft(s, " \t\r\n")
	return ok && len(s) > 0 && (s[0] == '"' || s[0] == '}')
}
