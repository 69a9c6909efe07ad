package layout

import (
	"cmp"
	"slices"

	"weft/fabric"
	"weft/fabric/rails"
)

// server is a machine with several host ports.
type server struct {
	name  string
	mark  Mark
	nodes []fabric.GUID // its CAs
	ports []hostPort    // in the order of the names of adapters
}

// hostPort is a port of a server with a cable to a switch.
type hostPort struct {
	atSwitch int32
	rail     int32 // or rails.None
	mark     Mark
	cable    string // its name, by the port of the host
	name     string // of its adapter, with its number
}

// findServers lists the servers with several host ports, and the rails.
func (n *network) findServers(f *fabric.Fabric, odd map[fabric.LinkID]string) {
	g := n.g
	all := g.Servers()
	found := rails.Of(g, all)
	n.shared, n.railAt, n.rails = make([]int32, g.NumSwitches), found.RailOf, len(found.Rails)
	for i := range all.List {
		var ends []int32
		for e := range all.Ends(g, int32(i)) {
			ends = append(ends, e)
		}
		if len(ends) < 2 {
			continue
		}
		slices.SortFunc(ends, func(a, b int32) int {
			return cmp.Or(byName(g.EndDesc[a], g.EndDesc[b]), cmp.Compare(a, b))
		})
		s := server{name: all.List[i].Name, mark: Failed}
		for _, e := range ends {
			id, _ := f.NodeByGUID(g.EndNodeGUID[e])
			link := f.Nodes[id].Ports[g.EndNum[e]].Link
			p := hostPort{g.EndSwitch[e], found.Of[e], hostMark(f, link, odd), cableName(g.EndNodeGUID[e], g.EndNum[e]), g.EndName(e).Short()}
			if guid := g.EndNodeGUID[e]; !slices.Contains(s.nodes, guid) {
				s.nodes = append(s.nodes, guid)
			}
			if p.mark != Failed {
				s.mark = Fine
			}
			s.ports = append(s.ports, p)
			n.shared[p.atSwitch]++
		}
		n.servers = append(n.servers, s)
	}
}

// hostMark returns the mark of the cable of a host port.
func hostMark(f *fabric.Fabric, link fabric.LinkID, odd map[fabric.LinkID]string) Mark {
	switch {
	case link == fabric.NoLink || !f.LinkUp(link):
		return Failed
	case f.Links[link].Drained:
		return Drained
	case odd[link] != "":
		return Odd
	}
	return Fine
}

// loneOf counts the hosts of a block that have no other port.
func (n *network) loneOf(b *block) (lone int) {
	for _, s := range b.members {
		lone += int(n.g.HostCount(s) - n.shared[s])
	}
	return lone
}

// joined returns the parts of the switches that have servers in common: the pods of rails.
func (n *network) joined() (of []int32, number int) {
	parent := fabric.Numbers(n.g.NumSwitches)
	find := func(s int32) int32 {
		for parent[s] != s {
			parent[s] = parent[parent[s]]
			s = parent[s]
		}
		return s
	}
	for i := range n.servers {
		first := find(n.servers[i].ports[0].atSwitch)
		for _, p := range n.servers[i].ports[1:] {
			s := find(p.atSwitch)
			first, parent[max(first, s)] = min(first, s), min(first, s)
		}
	}
	of = slices.Repeat([]int32{-1}, n.g.NumSwitches)
	for s := range of {
		if n.shared[s] == 0 {
			continue
		}
		if root := find(int32(s)); root == int32(s) {
			of[s] = int32(number)
			number++
		} else {
			of[s] = of[root]
		}
	}
	return of, number
}

// railOf returns the rail of some switches; rails.None if they have none, or several.
func (n *network) railOf(switches []int32) int32 {
	rail := n.railAt[switches[0]]
	for _, s := range switches {
		if n.railAt[s] != rail {
			return rails.None
		}
	}
	return rail
}

// classOf returns the class of a rail, "" for none and where colours show loads or lanes.
func (n *network) classOf(rail int32) Class {
	if rail == rails.None || n.colour != byPlace {
		return ""
	}
	return railClass(rail)
}

// markedPorts counts the ports of servers with a mark.
func (n *network) markedPorts(m Mark) (marked int) {
	for i := range n.servers {
		for _, p := range n.servers[i].ports {
			if p.mark == m {
				marked++
			}
		}
	}
	return marked
}

// serverText counts servers and routers, if any server has several ports, and their rails.
func (n *network) serverText(hostPorts int) string {
	if len(n.servers) == 0 {
		return several(hostPorts, "host port", "host ports")
	}
	servers := hostPorts
	for i := range n.servers {
		servers -= len(n.servers[i].ports) - 1
	}
	text := several(servers, "server", "servers") + ", " + several(hostPorts, "host port", "host ports")
	if n.rails > 0 {
		text += ", " + several(n.rails, "rail", "rails")
	}
	return text
}
