package fabric

import (
	"cmp"
	"slices"
)

// Compile builds a Graph from the parts of the fabric that are up. The cost is O(n log n) in nodes
// and ports. The result depends on GUIDs, ports and attributes only, not on the order of nodes and
// links in the fabric.
func (f *Fabric) Compile() *Graph {
	order := f.upNodesByGUID()
	g := &Graph{Name: f.Name}
	switchOf := g.addSwitches(f, order)
	g.addChannels(f, order, switchOf)
	g.addHosts(f, order, switchOf)
	g.addPortZeros(f, order)
	g.listEnds()
	g.indexNodes()
	return g
}

func (f *Fabric) upNodesByGUID() []NodeID {
	order := make([]NodeID, 0, len(f.Nodes))
	for i := range f.Nodes {
		if !f.Nodes[i].Down {
			order = append(order, NodeID(i))
		}
	}
	slices.SortFunc(order, func(a, b NodeID) int { return cmp.Compare(f.Nodes[a].GUID, f.Nodes[b].GUID) })
	return order
}

// addSwitches numbers the switches; it returns the number of each node, -1 for nodes that are no
// switches.
func (g *Graph) addSwitches(f *Fabric, order []NodeID) []int32 {
	switchOf := slices.Repeat([]int32{-1}, len(f.Nodes))
	slots := int32(0)
	for _, id := range order {
		n := &f.Nodes[id]
		if n.Type != Switch {
			continue
		}
		switchOf[id] = int32(len(g.SwitchGUID))
		g.SwitchGUID = append(g.SwitchGUID, n.GUID)
		g.SwitchDesc = append(g.SwitchDesc, n.Desc)
		g.SwitchPorts = append(g.SwitchPorts, int32(n.NumPorts()))
		g.SwitchFDBCap = append(g.SwitchFDBCap, int32(n.LinearFDBCap))
		g.SwitchRole = append(g.SwitchRole, n.Role)
		g.Drained = append(g.Drained, n.Drained)
		g.PortStart = append(g.PortStart, slots)
		slots += int32(len(n.Ports))
	}
	g.NumSwitches = len(g.SwitchGUID)
	g.Attached = slices.Repeat([]int32{Nothing}, int(slots))
	g.PortVLs = make([]uint8, slots)
	return switchOf
}

// usable reports whether a cable belongs in the Graph.
func (f *Fabric) usable(l LinkID) bool { return !f.Links[l].Drained && f.LinkUp(l) }

func (g *Graph) addChannels(f *Fabric, order []NodeID, switchOf []int32) {
	for _, id := range order {
		s := switchOf[id]
		if s < 0 {
			continue
		}
		for p, link := range f.Cabled(id, f.usable) {
			here := End{id, p}
			there := f.Peer(here)
			t := switchOf[there.Node]
			if t < 0 || t < s || (t == s && there.Port < here.Port) {
				continue
			}
			c := int32(len(g.From))
			g.From = append(g.From, s, t)
			g.To = append(g.To, t, s)
			g.FromPort = append(g.FromPort, here.Port, there.Port)
			g.ToPort = append(g.ToPort, there.Port, here.Port)
			rate := Rate(f.Links[link].Width, f.Links[link].Speed)
			g.ChanRate = append(g.ChanRate, rate, rate)
			g.attach(s, here.Port, c, f.linkVLs(link))
			g.attach(t, there.Port, c+1, f.linkVLs(link))
		}
	}
	g.NumChannels = len(g.From)
	g.OutStart = make([]int32, g.NumSwitches+1)
	g.Out = make([]int32, 0, g.NumChannels)
	for s := range int32(g.NumSwitches) {
		for p := int32(1); p <= g.SwitchPorts[s]; p++ {
			if c := g.Attached[g.PortStart[s]+p]; c >= 0 {
				g.Out = append(g.Out, c)
			}
		}
		g.OutStart[s+1] = int32(len(g.Out))
	}
}

func (g *Graph) attach(s int32, port uint8, what int32, vls uint8) {
	i := g.PortStart[s] + int32(port)
	g.Attached[i] = what
	g.PortVLs[i] = vls
}

// linkVLs returns the number of data VLs that both ends of a link support.
func (f *Fabric) linkVLs(id LinkID) uint8 {
	l := &f.Links[id]
	a := f.Nodes[l.A.Node].Ports[l.A.Port].VLCap
	b := f.Nodes[l.B.Node].Ports[l.B.Port].VLCap
	if a == 0 || (b != 0 && b < a) {
		return b
	}
	return a
}

func (g *Graph) addHosts(f *Fabric, order []NodeID, switchOf []int32) {
	for _, id := range order {
		n := &f.Nodes[id]
		if n.Type == Switch {
			continue
		}
		numbered, aggregation := false, f.IsAggregationNode(id)
		for p, link := range f.Cabled(id, f.usable) {
			there := f.Peer(End{id, p})
			s := switchOf[there.Node]
			if s < 0 {
				continue
			}
			if !numbered {
				numbered = true
				g.NumNodes++
			}
			e := int32(len(g.EndSwitch))
			g.attach(s, there.Port, -2-e, f.linkVLs(link))
			g.addEnd(n, int(p), s, there.Port, Rate(f.Links[link].Width, f.Links[link].Speed))
			g.Aggregation[e] = aggregation
		}
	}
	g.NumHosts = len(g.EndSwitch)
}

func (g *Graph) addEnd(n *Node, port int, s int32, switchPort uint8, rate int32) {
	g.EndSwitch = append(g.EndSwitch, s)
	g.EndPort = append(g.EndPort, switchPort)
	g.EndNode = append(g.EndNode, int32(g.NumNodes-1))
	g.EndGUID = append(g.EndGUID, n.Ports[port].GUID)
	g.EndNodeGUID = append(g.EndNodeGUID, n.GUID)
	g.EndSystem = append(g.EndSystem, n.SystemGUID)
	g.EndType = append(g.EndType, n.Type)
	g.EndNum = append(g.EndNum, uint8(port))
	g.EndDesc = append(g.EndDesc, n.Desc)
	g.EndRate = append(g.EndRate, rate)
	g.EndLID = append(g.EndLID, n.Ports[port].LID)
	g.EndLMC = append(g.EndLMC, n.Ports[port].LMC)
	g.Aggregation = append(g.Aggregation, false)
}

func (g *Graph) addPortZeros(f *Fabric, order []NodeID) {
	s := int32(0)
	for _, id := range order {
		if f.Nodes[id].Type != Switch {
			continue
		}
		g.NumNodes++
		g.addEnd(&f.Nodes[id], 0, s, 0, 0)
		s++
	}
	g.NumEnds = len(g.EndSwitch)
}

// listEnds lists the end ports of every switch, its hosts first.
func (g *Graph) listEnds() {
	g.EndsStart, g.OthersStart = make([]int32, g.NumSwitches+1), make([]int32, g.NumSwitches)
	g.SwitchEnds = make([]int32, 0, g.NumEnds)
	for s := range int32(g.NumSwitches) {
		list := func(aggregation bool) {
			for p := int32(1); p <= g.SwitchPorts[s]; p++ {
				if end := -2 - g.Attached[g.PortStart[s]+p]; end >= 0 && g.Aggregation[end] == aggregation {
					g.SwitchEnds = append(g.SwitchEnds, end)
				}
			}
		}
		list(false)
		g.OthersStart[s] = int32(len(g.SwitchEnds))
		list(true)
		g.SwitchEnds = append(g.SwitchEnds, g.PortZero(s))
		g.EndsStart[s+1] = int32(len(g.SwitchEnds))
	}
}

// indexNodes lists the end ports by node. EndNode is ascending by construction.
func (g *Graph) indexNodes() {
	g.NodeStart = make([]int32, g.NumNodes+1)
	g.NodeEnds = make([]int32, g.NumEnds)
	for e := range g.NodeEnds {
		g.NodeEnds[e] = int32(e)
		g.NodeStart[g.EndNode[e]+1] = int32(e + 1)
	}
}
