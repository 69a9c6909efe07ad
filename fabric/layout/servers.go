package layout

import (
	"cmp"
	"slices"

	"weft/fabric"
)

// server is a machine with several host ports.
type server struct {
	name  string
	mark  Mark
	ports []hostPort // rail by rail
}

// hostPort is a port of a server with a cable to a switch.
type hostPort struct {
	atSwitch int32
	mark     Mark
	name     string // of its adapter, with its number
}

// findServers lists the servers with several host ports. The ports of a server are in the order of
// their adapters' names, and the rail of a port is its place among them.
func (n *network) findServers(f *fabric.Fabric) {
	g := n.g
	all := g.Servers()
	n.shared = make([]int32, g.NumSwitches)
	times := make([]map[int32]int32, g.NumSwitches) // by switch and rail: host ports
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
		for place, e := range ends {
			p := hostPort{g.EndSwitch[e], hostMark(f, g, e), g.EndName(e).Short()}
			if p.mark != Failed {
				s.mark = Fine
			}
			s.ports = append(s.ports, p)
			n.shared[p.atSwitch]++
			if times[p.atSwitch] == nil {
				times[p.atSwitch] = map[int32]int32{}
			}
			times[p.atSwitch][int32(place)]++
		}
		n.servers = append(n.servers, s)
	}
	n.rail = slices.Repeat([]int32{noRail}, g.NumSwitches)
	for s := range times {
		for rail, count := range times[s] {
			if float64(count) > mostOfRail*float64(n.shared[s]) {
				n.rail[s] = rail
			}
		}
	}
}

// noRail is the rail of a switch without servers of several ports, or with ports of several rails.
// On a switch of a rail, more than mostOfRail of the servers' ports are of that rail.
const (
	noRail     int32 = -1
	mostOfRail       = 0.75
)

// hostMark returns the mark of the cable of a host port.
func hostMark(f *fabric.Fabric, g *fabric.Graph, end int32) Mark {
	id, _ := f.NodeByGUID(g.EndNodeGUID[end])
	link := f.Nodes[id].Ports[g.EndNum[end]].Link
	switch {
	case link == fabric.NoLink || !f.LinkUp(link):
		return Failed
	case f.Links[link].Drained:
		return Drained
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

// railOf returns the rail of some switches, from 1; 0 if they have none, or several.
func (n *network) railOf(switches []int32) int {
	rail := n.rail[switches[0]]
	for _, s := range switches {
		if n.rail[s] != rail {
			return 0
		}
	}
	return int(rail) + 1
}

// serverText counts servers and routers, if any server has several ports.
func (n *network) serverText(hostPorts int) string {
	if len(n.servers) == 0 {
		return ""
	}
	for i := range n.servers {
		hostPorts -= len(n.servers[i].ports) - 1
	}
	return several(hostPorts, "server", "servers") + ", "
}
