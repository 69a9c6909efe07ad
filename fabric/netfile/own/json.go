// Package own reads and writes weft's own format, JSON with everything in a fabric.
package own

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"weft/fabric"
)

// The JSON format holds everything in a Fabric, in its order:
//
//	{
//		"format": "weft-fabric",
//		"version": 1,
//		"name": "where it came from",
//		"nodes": [
//		{"guid":"0x0002c90200417670","type":"switch","description":"leaf 1","ports":36,...},
//		...
//		],
//		"links": [
//		{"a":"0x0002c90200417670","a_port":1,"b":"0x...","b_port":7,"width":4,"speed":"QDR"},
//		...
//		]
//	}
//
// GUIDs are strings; a node GUID is not 0. "type" is "switch", "CA" or "router". "ports" is the
// number of external ports; "port" (see jsonPort) lists the ports with values other than the node's
// defaults, each once. "speed" is SDR to XDR. All keys except guid, type, ports, a, a_port, b,
// b_port may be absent, which means zero. A text that is not UTF-8 is written {"base64": "..."}.
// Unknown keys are errors.
const (
	jsonFormat  = "weft-fabric"
	jsonVersion = 1
)

type jsonNode struct {
	GUID          fabric.GUID `json:"guid"`
	Type          string      `json:"type"`
	Desc          jsonText    `json:"description,omitzero"`
	Ports         int         `json:"ports"`
	SystemGUID    fabric.GUID `json:"system_guid,omitzero"`
	VendorID      uint32      `json:"vendor_id,omitzero"`
	DeviceID      uint32      `json:"device_id,omitzero"`
	Revision      uint32      `json:"revision,omitzero"`
	Chassis       jsonText    `json:"chassis,omitzero"`
	EnhancedPort0 bool        `json:"enhanced_port0,omitzero"`
	LinearFDBCap  uint16      `json:"linear_fdb_cap,omitzero"`
	Role          string      `json:"role,omitzero"`
	Down          bool        `json:"down,omitzero"`
	Drained       bool        `json:"drained,omitzero"`
	Port          []jsonPort  `json:"port,omitempty"`
}

// jsonPort is a port, 0 for the management port of a switch. Without "guid" the port has the node's
// GUID on a switch, and none on other nodes.
type jsonPort struct {
	Number uint8        `json:"number"`
	GUID   *fabric.GUID `json:"guid,omitempty"`
	LID    fabric.LID   `json:"lid,omitzero"`
	LMC    uint8        `json:"lmc,omitzero"`
	VLCap  uint8        `json:"vl_cap,omitzero"`
	Label  jsonText     `json:"label,omitzero"`
}

type jsonLink struct {
	A       fabric.GUID  `json:"a"`
	APort   uint8        `json:"a_port"`
	B       fabric.GUID  `json:"b"`
	BPort   uint8        `json:"b_port"`
	Width   fabric.Width `json:"width,omitzero"`
	Speed   string       `json:"speed,omitzero"`
	Down    bool         `json:"down,omitzero"`
	Drained bool         `json:"drained,omitzero"`
}

// jsonText is a text of any bytes.
type jsonText string

type jsonBytes struct {
	Base64 []byte `json:"base64"`
}

func (t jsonText) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return marshalJSON(string(t))
	}
	return marshalJSON(jsonBytes{[]byte(t)})
}

func (t *jsonText) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '{' {
		return json.Unmarshal(data, (*string)(t))
	}
	var b jsonBytes
	err := json.Unmarshal(data, &b)
	*t = jsonText(b.Base64)
	return err
}

// marshalJSON is json.Marshal without escaping <, > and &.
func marshalJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// WriteJSON writes everything in a fabric, one node or link a line, in the fabric's own order.
func WriteJSON(w io.Writer, f *fabric.Fabric) error {
	out := bufio.NewWriter(w)
	name, err := marshalJSON(jsonText(f.Name))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "{\n\"format\": %q,\n\"version\": %d,\n\"name\": %s,\n", jsonFormat, jsonVersion, name)
	err = writeJSONList(out, "nodes", len(f.Nodes), func(i int) any { return nodeToJSON(&f.Nodes[i]) })
	if err != nil {
		return err
	}
	fmt.Fprint(out, ",\n")
	err = writeJSONList(out, "links", len(f.Links), func(i int) any { return linkToJSON(f, &f.Links[i]) })
	if err != nil {
		return err
	}
	fmt.Fprint(out, "\n}\n")
	return out.Flush()
}

func writeJSONList(out *bufio.Writer, key string, n int, item func(int) any) error {
	fmt.Fprintf(out, "%q: [", key)
	for i := range n {
		if i > 0 {
			out.WriteByte(',')
		}
		line, err := marshalJSON(item(i))
		if err != nil {
			return err
		}
		out.WriteByte('\n')
		out.Write(line)
	}
	_, err := out.WriteString("\n]")
	return err
}

func nodeToJSON(n *fabric.Node) jsonNode {
	j := jsonNode{
		GUID: n.GUID, Type: n.Type.String(), Desc: jsonText(n.Desc), Ports: n.NumPorts(),
		SystemGUID: n.SystemGUID, VendorID: n.VendorID, DeviceID: n.DeviceID, Revision: n.Revision,
		Chassis: jsonText(n.Chassis), EnhancedPort0: n.EnhancedPort0, LinearFDBCap: n.LinearFDBCap,
		Down: n.Down, Drained: n.Drained,
	}
	if n.Role != fabric.NoRole {
		j.Role = n.Role.String()
	}
	for i := range n.Ports {
		p := &n.Ports[i]
		jp := jsonPort{Number: uint8(i), LID: p.LID, LMC: p.LMC, VLCap: p.VLCap, Label: jsonText(p.Label)}
		if p.GUID != defaultPortGUID(n) {
			jp.GUID = &p.GUID
		}
		if jp != (jsonPort{Number: uint8(i)}) {
			j.Port = append(j.Port, jp)
		}
	}
	return j
}

// defaultPortGUID returns the GUID that AddNode gives to the ports of a node.
func defaultPortGUID(n *fabric.Node) fabric.GUID {
	if n.Type == fabric.Switch {
		return n.GUID
	}
	return 0
}

func linkToJSON(f *fabric.Fabric, l *fabric.Link) jsonLink {
	j := jsonLink{
		A: f.Nodes[l.A.Node].GUID, APort: l.A.Port,
		B: f.Nodes[l.B.Node].GUID, BPort: l.B.Port,
		Width: l.Width, Down: l.Down, Drained: l.Drained,
	}
	if l.Speed != fabric.SpeedUnknown {
		j.Speed = l.Speed.String()
	}
	return j
}
