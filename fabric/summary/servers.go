package summary

import (
	"weft/fabric"
	"weft/fabric/rails"
)

// Servers counts machines, their ports, planes and rails.
type Servers struct {
	Servers        int                       `json:"servers"`          // machines with a host port
	ServersByPorts map[int]int               `json:"servers_by_ports"` // servers by number of host ports
	ServerSigns    map[fabric.ServerSign]int `json:"server_signs"`     // servers by what holds their CAs together; a server with one CA has its node GUID
	HostPorts      int                       `json:"host_ports"`       // CA ports attached to a switch, without aggregation nodes

	Planes    int                `json:"planes"`               // connected parts of the switch network with host ports
	Rails     int                `json:"rails"`                // 0 if the ports of servers are not on rails
	RailList  []rails.Rail       `json:"rail_list,omitempty"`  // the rails
	RailSigns map[rails.Sign]int `json:"rail_signs,omitempty"` // host ports on rails by what decided
	OddRails  []OddRail          `json:"odd_rails,omitempty"`  // host ports on an unexpected rail: their cables may be swapped
}

// OddRail is a host port on an unexpected rail.
type OddRail struct {
	Port   fabric.PortName  `json:"port"`
	Switch fabric.PortName  `json:"switch"`
	Rail   int32            `json:"rail"`                   // of its switch
	Want   int32            `json:"expected"`               // rail of its place; -1 if it is the second port of its server on this rail
	With   *fabric.PortName `json:"swapped_with,omitempty"` // the port of the same server whose cable is in its place
	Text   string           `json:"text"`
}

// countServers counts the servers of a Graph.
func countServers(g *fabric.Graph, servers *fabric.Servers, m *rails.Map) Servers {
	n := Servers{
		Servers: len(servers.List), ServersByPorts: map[int]int{}, ServerSigns: map[fabric.ServerSign]int{},
		Planes: m.Planes, Rails: len(m.Rails), RailList: m.Rails, RailSigns: m.Signs,
	}
	for i := range servers.List {
		ports := 0
		for range servers.Ends(g, int32(i)) {
			ports++
		}
		n.HostPorts += ports
		n.ServersByPorts[ports]++
		n.ServerSigns[servers.List[i].Sign]++
	}
	for i := range m.Odd {
		o := &m.Odd[i]
		odd := OddRail{
			Port: g.EndName(o.End), Switch: g.SwitchPort(g.EndSwitch[o.End], g.EndPort[o.End]),
			Rail: o.Rail, Want: o.Want, Text: o.Text(g),
		}
		if o.With != rails.None {
			with := g.EndName(o.With)
			odd.With = &with
		}
		n.OddRails = append(n.OddRails, odd)
	}
	return n
}

// Several reports whether a server has several host ports.
func (n *Servers) Several() bool { return n.HostPorts > n.Servers }
