package fabric

import "fmt"

// PortName names a port or a node in reports.
type PortName struct {
	Type string `json:"type"`          // of the node: switch, CA or router
	GUID GUID   `json:"guid"`          // of the node
	Name string `json:"name"`          // description of the node
	Port uint8  `json:"port,omitzero"` // 0 for the node itself, and for port 0 of a switch
}

// String names the port in one line, as in CA "n1 HCA-1" (0x0002c90200123456)[1].
func (p PortName) String() string {
	s := fmt.Sprintf("%s %q", p.Type, p.Name)
	if p.GUID != 0 { // files that know nodes by name have none
		s += fmt.Sprintf(" (%s)", p.GUID)
	}
	if p.Port > 0 {
		s += fmt.Sprintf("[%d]", p.Port)
	}
	return s
}

// Short names the port by the description of its node alone, as in leaf 1[19].
func (p PortName) Short() string {
	if p.Port > 0 {
		return fmt.Sprintf("%s[%d]", p.Name, p.Port)
	}
	return p.Name
}

// EndName names an end port.
func (g *Graph) EndName(end int32) PortName {
	return PortName{g.EndType[end].String(), g.EndNodeGUID[end], g.EndDesc[end], g.EndNum[end]}
}

// SwitchPort names a port of switch s; port 0 stands for the switch.
func (g *Graph) SwitchPort(s int32, port uint8) PortName {
	return PortName{Switch.String(), g.SwitchGUID[s], g.SwitchDesc[s], port}
}

// ChannelPorts names the two ports of a channel, first the one it leaves by.
func (g *Graph) ChannelPorts(c int32) []PortName {
	return []PortName{g.SwitchPort(g.From[c], g.FromPort[c]), g.SwitchPort(g.To[c], g.ToPort[c])}
}

// PortName names a port of a node; port 0 stands for the node.
func (f *Fabric) PortName(e End) PortName {
	n := &f.Nodes[e.Node]
	return PortName{n.Type.String(), n.GUID, n.Desc, e.Port}
}

// LinkPorts names both ends of a link.
func (f *Fabric) LinkPorts(id LinkID) []PortName {
	return []PortName{f.PortName(f.Links[id].A), f.PortName(f.Links[id].B)}
}

// SwitchName names a switch for people: description and GUID.
func SwitchName(g *Graph, s int32) string {
	return fmt.Sprintf("switch %q (%s)", g.SwitchDesc[s], g.SwitchGUID[s])
}
