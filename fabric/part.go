package fabric

import "slices"

// Part returns the Graph of some switches with everything attached to them, as if all other
// switches were down. Its switches are in ascending order. ends lists, by end port of the part, the
// end port of g. A cable to another switch is left out; a node is in the part if a port of it is.
// The cost is that of a Graph of the size of g.
func (g *Graph) Part(switches []int32) (part *Graph, ends []int32) {
	p := &Graph{Name: g.Name, NumSwitches: len(switches), OutStart: []int32{0}}
	local := slices.Repeat([]int32{Nothing}, g.NumSwitches)
	for i, s := range switches {
		local[s] = int32(i)
		p.SwitchGUID = append(p.SwitchGUID, g.SwitchGUID[s])
		p.SwitchDesc = append(p.SwitchDesc, g.SwitchDesc[s])
		p.SwitchPorts = append(p.SwitchPorts, g.SwitchPorts[s])
		p.SwitchFDBCap = append(p.SwitchFDBCap, g.SwitchFDBCap[s])
		p.SwitchRole = append(p.SwitchRole, g.SwitchRole[s])
		p.Drained = append(p.Drained, g.Drained[s])
		p.PortStart = append(p.PortStart, int32(len(p.PortVLs)))
		slots := g.PortStart[s]
		p.PortVLs = append(p.PortVLs, g.PortVLs[slots:slots+g.SwitchPorts[s]+1]...)
	}
	p.Attached = slices.Repeat([]int32{Nothing}, len(p.PortVLs))
	channel := p.takeChannels(g, local)
	ends, end := p.takeEnds(g, local)
	for i, s := range switches {
		for port := range g.SwitchPorts[s] + 1 {
			from, to := g.PortStart[s]+port, p.PortStart[i]+port
			switch what := g.Attached[from]; {
			case what >= 0 && channel[what] >= 0:
				p.Attached[to] = channel[what]
				p.Out = append(p.Out, channel[what])
			case what >= 0:
				p.PortVLs[to] = 0 // a cable to another part
			case what <= -2:
				p.Attached[to] = -2 - end[-2-what]
			}
		}
		p.OutStart = append(p.OutStart, int32(len(p.Out)))
	}
	p.listEnds()
	p.indexNodes()
	return p, ends
}

// takeChannels copies the channels between switches of a part; it returns their numbers there.
func (g *Graph) takeChannels(from *Graph, local []int32) (number []int32) {
	number = slices.Repeat([]int32{Nothing}, from.NumChannels)
	for c := range from.From {
		s, t := local[from.From[c]], local[from.To[c]]
		if s < 0 || t < 0 {
			continue
		}
		number[c] = int32(len(g.From))
		g.From, g.To = append(g.From, s), append(g.To, t)
		g.FromPort, g.ToPort = append(g.FromPort, from.FromPort[c]), append(g.ToPort, from.ToPort[c])
		g.ChanRate = append(g.ChanRate, from.ChanRate[c])
	}
	g.NumChannels = len(g.From)
	return number
}

// takeEnds copies the end ports of a part's switches. It returns the end port of the whole for each
// one of the part, and the other way round.
func (g *Graph) takeEnds(from *Graph, local []int32) (ends, number []int32) {
	number = slices.Repeat([]int32{Nothing}, from.NumEnds)
	node := Nothing // of the whole
	for e := range int32(from.NumEnds) {
		s := local[from.EndSwitch[e]]
		if int(e) == from.NumHosts {
			g.NumHosts = len(ends)
		}
		if s < 0 {
			continue
		}
		if from.EndNode[e] != node {
			node = from.EndNode[e]
			g.NumNodes++
		}
		number[e] = int32(len(ends))
		ends = append(ends, e)
		g.EndSwitch, g.EndPort = append(g.EndSwitch, s), append(g.EndPort, from.EndPort[e])
		g.EndNode = append(g.EndNode, int32(g.NumNodes-1))
		g.EndGUID, g.EndNodeGUID = append(g.EndGUID, from.EndGUID[e]), append(g.EndNodeGUID, from.EndNodeGUID[e])
		g.EndSystem, g.EndType = append(g.EndSystem, from.EndSystem[e]), append(g.EndType, from.EndType[e])
		g.EndNum, g.EndDesc = append(g.EndNum, from.EndNum[e]), append(g.EndDesc, from.EndDesc[e])
		g.EndRate, g.EndLID = append(g.EndRate, from.EndRate[e]), append(g.EndLID, from.EndLID[e])
		g.EndLMC, g.Aggregation = append(g.EndLMC, from.EndLMC[e]), append(g.Aggregation, from.Aggregation[e])
	}
	g.NumEnds = len(ends)
	return ends, number
}
