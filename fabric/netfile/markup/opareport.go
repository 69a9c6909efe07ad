package markup

import (
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/draft"
	"weft/fabric/netfile/lines"
)

// opaReport reads what opareport prints of an Omni-Path fabric as XML: a snapshot (-o snapshot), a
// topology (-o topology), or links (-o links -x); and topology files of opaxlattopology. Nodes are
// known by NodeGUID, or by NodeDesc where a topology file has no GUIDs. FI is a channel adapter.
//
// Only a snapshot says how many ports a node has; otherwise it has as many as links name. LIDs over
// 16 bits, as Omni-Path may have, are left out. 4 lanes of 25 Gbit/s are 4xEDR here; a lane of 12.5
// Gbit/s has no counterpart.
type opaReport struct {
	*draft.Draft
	doc    *document
	part   fabric.NodeType // of the nodes in a list of FIs or Switches, 0 outside both
	byGUID map[fabric.GUID]fabric.NodeID
	byDesc map[string]fabric.NodeID // or several
	known  map[fabric.NodeID]int    // line of the description
	rates  map[fabric.End]opaRate   // of ports
	links  []*element
	met    map[[2]fabric.End]bool
}

type opaRate struct {
	width fabric.Width
	speed fabric.Speed
}

// several stands for all nodes of one description.
const several fabric.NodeID = -1

// IsOPAReport recognises a file by its first element.
func IsOPAReport(data []byte) bool {
	root := rootOf(data)
	return root == "Report" || root == "Snapshot" || root == "Topology"
}

// ReadOPAReport reads a report of opareport in XML. Errors are of type *lines.Error.
func ReadOPAReport(name string, data []byte) (*fabric.Fabric, []lines.Warning, error) {
	r := opaReport{
		Draft: draft.New(name), doc: newDocument(name, data), byGUID: map[fabric.GUID]fabric.NodeID{}, byDesc: map[string]fabric.NodeID{},
		known: map[fabric.NodeID]int{}, rates: map[fabric.End]opaRate{}, met: map[[2]fabric.End]bool{},
	}
	if err := r.doc.each(r.element); err != nil {
		return nil, nil, err
	}
	for _, e := range r.links { // a topology lists links before nodes
		if err := r.link(e); err != nil {
			return nil, nil, err
		}
	}
	if len(r.links) == 0 && len(r.Nodes) > 1 {
		r.Lostf(0, "no link in this report: want opareport -o snapshot, -o topology or -o links -x")
	}
	return r.Build()
}

func (r *opaReport) element(e *element) error {
	switch e.name {
	case "FIs":
		r.part = fabric.CA
	case "Switches":
		r.part = fabric.Switch
	case "Nodes", "LinkSummary", "SMs", "Links":
		r.part = 0
	case "Node":
		err := r.doc.fill(e, "NodeGUID", "NodeDesc", "NodeType", "NodeType_Int", "NumPorts", "SystemImageGUID", "VendorID", "DeviceID", "Revision",
			"PortInfo", "Port", "PortNum", "GUID", "PortGUID", "LID", "EndPortLID", "LMC", "LinkWidthActive_Int", "LinkSpeedActive_Int")
		if err != nil {
			return err
		}
		return r.node(e)
	case "Link":
		if len(r.links) == 2*fabric.MaxLinks {
			return r.Errorf(e.line, "more than %d links", 2*fabric.MaxLinks)
		}
		r.links = append(r.links, e)
		return r.doc.fill(e, "From", "To", "Port", "NodeGUID", "PortNum", "NodeDesc", "NodeType", "NodeType_Int", "PortGUID", "Rate")
	}
	return nil
}

// number parses the text of a child, decimal or after 0x hexadecimal; 0 without one.
func (r *opaReport) number(e *element, name string, most uint64) (uint64, error) {
	text := e.value(name)
	if text == "" {
		return 0, nil
	}
	v, err := strconv.ParseUint(text, 0, 64)
	if strings.TrimLeft(text, "0123456789") == "" { // leading zeros are decimal
		v, err = strconv.ParseUint(text, 10, 64)
	}
	if err != nil || v > most {
		return 0, r.Errorf(e.child(name).line, "%s %q: want a number up to %d", name, text, most)
	}
	return v, nil
}

// find returns the node that an element names, and adds it at its first mention.
func (r *opaReport) find(e *element) (fabric.NodeID, error) {
	g, err := r.number(e, "NodeGUID", 1<<64-1)
	if err != nil {
		return 0, err
	}
	guid, desc := fabric.GUID(g), e.value("NodeDesc")
	id, known := r.byGUID[guid]
	if named, is := r.byDesc[desc]; is && !known && (guid == 0 || named != several && r.Nodes[named].GUID == 0) {
		id, known = named, true
	}
	switch {
	case known && id == several:
		return 0, r.Errorf(e.line, "several nodes are called %q: want NodeGUID here", desc)
	case guid == 0 && desc == "":
		return 0, r.Errorf(e.line, "a %s without NodeGUID and NodeDesc", e.name)
	case !known:
		id = r.Add(e.line)
		if err := r.Grow(id, 1, e.line); err != nil {
			return 0, err
		}
	}
	if guid != 0 {
		r.byGUID[guid], r.Nodes[id].GUID = id, guid
	}
	if old, is := r.byDesc[desc]; is && old != id {
		r.byDesc[desc] = several
	} else if desc != "" {
		r.byDesc[desc] = id
	}
	n := &r.Nodes[id]
	if n.Desc == "" {
		n.Desc = desc
	}
	if n.Type != 0 {
		return id, nil
	}
	switch word := e.value("NodeType_Int") + e.value("NodeType"); {
	case strings.Contains(word, "FI") || strings.Contains(word, "CA"):
		n.Type = fabric.CA
	case strings.Contains(word, "SW"):
		n.Type = fabric.Switch
	case word == "1" || word == "2":
		n.Type = fabric.NodeType(word[0] - '0')
	case word != "":
		return 0, r.Errorf(e.line, "unknown NodeType %q (want FI or SW)", word)
	}
	return id, nil
}

func (r *opaReport) node(e *element) error {
	id, err := r.find(e)
	if err != nil {
		return err
	}
	if old := r.known[id]; old != 0 {
		return r.Errorf(e.line, "%s is described twice: here and on line %d", r.Name(id), old)
	}
	r.known[id] = e.line
	n := &r.Nodes[id]
	if n.Type == 0 {
		n.Type = r.part
	}
	if n.Type == 0 {
		return r.Errorf(e.line, "%s has no NodeType, and is in no list of FIs or Switches", r.Name(id))
	}
	var values [5]uint64
	for i, f := range [...]struct {
		name string
		most uint64
	}{{"SystemImageGUID", 1<<64 - 1}, {"VendorID", 1<<32 - 1}, {"DeviceID", 1<<32 - 1}, {"Revision", 1<<32 - 1}, {"NumPorts", fabric.MaxPorts}} {
		if values[i], err = r.number(e, f.name, f.most); err != nil {
			return err
		}
	}
	n.SystemGUID, n.VendorID, n.DeviceID, n.Revision = fabric.GUID(values[0]), uint32(values[1]), uint32(values[2]), uint32(values[3])
	if values[4] > 0 {
		if err := r.Describe(id, e.line, n.Type, int(values[4])); err != nil {
			return err
		}
	}
	for i := range e.children {
		if c := &e.children[i]; c.name == "PortInfo" || c.name == "Port" {
			if err := r.port(id, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// port reads a port of a node. A switch has GUID and LID at port 0, an adapter at each port.
func (r *opaReport) port(id fabric.NodeID, e *element) error {
	num, err := r.number(e, "PortNum", fabric.MaxPorts)
	if err != nil {
		return err
	}
	end := fabric.End{Node: id}
	if num > 0 {
		if end, err = r.End(id, int(num), e.line); err != nil {
			return err
		}
	}
	width, err := r.number(e, "LinkWidthActive_Int", 1<<16)
	if err != nil {
		return err
	}
	speed, err := r.number(e, "LinkSpeedActive_Int", 1<<16)
	if err != nil {
		return err
	}
	r.rates[end] = opaRate{opaWidths[width], opaSpeeds[speed]}
	if (num == 0) != (r.Nodes[id].Type == fabric.Switch) {
		return nil
	}
	var values [4]uint64
	for i, name := range []string{"GUID", "PortGUID", "LID", "EndPortLID"} {
		if values[i], err = r.number(e, name, 1<<64-1); err != nil {
			return err
		}
	}
	if guid := fabric.GUID(max(values[0], values[1])); guid != 0 {
		r.SetPortGUID(end, r.Port(end), guid, e.line, true)
	}
	if lid := max(values[2], values[3]); lid > uint64(fabric.MaxUnicastLID) {
		r.Warnf(e.line, "LIDs that are no unicast LIDs of InfiniBand, the first %d: taken as not assigned", lid)
	} else {
		r.SetLID(id, int(num), fabric.LID(lid), e.line, true)
	}
	lmc, err := r.number(e, "LMC", uint64(fabric.MaxLMC))
	r.Port(end).LMC = uint8(lmc)
	return err
}

// Widths and speeds are bits of a mask; one is set if active.
var (
	opaWidths = map[uint64]fabric.Width{1: 1, 2: 2, 8: 4}
	opaSpeeds = map[uint64]fabric.Speed{2: fabric.EDR}
	opaRates  = map[string]opaRate{"25g": {1, fabric.EDR}, "50g": {2, fabric.EDR}, "100g": {4, fabric.EDR}}
)

// link connects the two ends of a link.
func (r *opaReport) link(e *element) error {
	var ends [2]fabric.End
	n := 0
	for i := range e.children {
		c := &e.children[i]
		if c.name != "From" && c.name != "To" && c.name != "Port" {
			continue
		}
		if n == 2 {
			return r.Errorf(c.line, "a link with more than two ends")
		}
		var err error
		if ends[n], err = r.linkEnd(c); err != nil {
			return err
		}
		n++
	}
	if n != 2 {
		return r.Errorf(e.line, "a link with %d ends (want 2)", n)
	}
	if r.met[ends] { // in the list of all links and in that of external links
		return nil
	}
	r.met[ends] = true
	rate, told := opaRates[e.value("Rate")]
	if !told {
		rate = r.rates[ends[0]]
	}
	return r.Connect(ends[0], ends[1], e.line, rate.width, rate.speed)
}

func (r *opaReport) linkEnd(e *element) (fabric.End, error) {
	id, err := r.find(e)
	if err != nil {
		return fabric.End{}, err
	}
	if n := &r.Nodes[id]; n.Type == 0 {
		return fabric.End{}, r.Errorf(e.line, "a link ends at %s, which this report does not describe", r.Name(id))
	}
	num, err := r.number(e, "PortNum", fabric.MaxPorts)
	if err != nil {
		return fabric.End{}, err
	}
	end, err := r.End(id, int(num), e.line)
	if err != nil {
		return end, err
	}
	guid, err := r.number(e, "PortGUID", 1<<64-1)
	if guid != 0 && r.Nodes[id].Type == fabric.CA {
		r.SetPortGUID(end, r.Port(end), fabric.GUID(guid), e.line, false)
	}
	return end, err
}
