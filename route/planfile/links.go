package planfile

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/route"
)

// hasLinks reports whether a Graph knows the neighbours of its ports.
func hasLinks(g *fabric.Graph) bool { return g.NumSwitches > 0 && len(g.Attached) > 0 }

// links reads or writes which switches are drained, and the neighbour of each port: -1 for nothing,
// -2-h for end port h, 256*s+p for port p of switch s. It adds them to a Graph that is the Plan's
// own.
func (c *coder) links(g *fabric.Graph, own bool) error {
	c.section = "links"
	var drained []uint8
	var behind []int32
	if !c.reads() {
		drained, behind = make([]uint8, g.NumSwitches), behindPorts(g)
		for s, yes := range g.Drained {
			if yes {
				drained[s] = 1
			}
		}
	}
	list(c, &drained, g.NumSwitches, u8)
	list(c, &behind, route.SwitchPortCount(g), i32)
	if c.err != nil || !own {
		return c.err
	}
	for _, d := range drained {
		g.Drained = append(g.Drained, d != 0)
	}
	return attach(g, behind)
}

func behindPorts(g *fabric.Graph) []int32 {
	behind := slices.Clone(g.Attached)
	for i, c := range behind {
		if c >= 0 {
			behind[i] = g.To[c]<<8 | int32(g.ToPort[c])
		}
	}
	return behind
}

// attach gives a Graph with switches and end ports its channels, numbered as by fabric.Compile.
func attach(g *fabric.Graph, behind []int32) error {
	wrong := func(s int32, port int) error {
		return fmt.Errorf("route: plan file: links: port %d of %s does not fit its neighbour", port, fabric.SwitchName(g, s))
	}
	slots := int32(0)
	for _, ports := range g.SwitchPorts {
		g.PortStart = append(g.PortStart, slots)
		slots += ports + 1
	}
	g.Attached = slices.Repeat([]int32{fabric.Nothing}, len(behind))
	g.EndSwitch, g.EndPort = slices.Repeat([]int32{-1}, g.NumHosts), make([]uint8, g.NumEnds)
	g.OutStart = make([]int32, 1, g.NumSwitches+1)
	for s := range int32(g.NumSwitches) {
		for port := range int(g.SwitchPorts[s]) + 1 {
			at := g.PortStart[s] + int32(port)
			switch v := behind[at]; {
			case v == fabric.Nothing:
			case port == 0:
				return wrong(s, port)
			case v < 0:
				h := -2 - v
				if int(h) >= g.NumHosts || g.EndSwitch[h] >= 0 {
					return wrong(s, port)
				}
				g.Attached[at], g.EndSwitch[h], g.EndPort[h] = v, s, uint8(port)
			default:
				t, q := v>>8, v&255
				if int(t) >= g.NumSwitches || q == 0 || q > g.SwitchPorts[t] || behind[g.PortStart[t]+q] != s<<8|int32(port) || t == s && int(q) == port {
					return wrong(s, port)
				}
				if t > s || t == s && int(q) > port {
					addChannels(g, s, uint8(port), t, uint8(q))
				}
				g.Out = append(g.Out, g.Attached[at])
			}
		}
		g.OutStart = append(g.OutStart, int32(len(g.Out)))
	}
	if h := slices.Index(g.EndSwitch, -1); h >= 0 {
		return fmt.Errorf("route: plan file: links: %s is not at a switch", route.EndName(g, int32(h)))
	}
	g.EndSwitch = append(g.EndSwitch, fabric.Numbers(g.NumSwitches)...)
	return nil
}

func addChannels(g *fabric.Graph, s int32, port uint8, t int32, q uint8) {
	c := int32(g.NumChannels)
	g.NumChannels += 2
	g.From, g.To = append(g.From, s, t), append(g.To, t, s)
	g.FromPort, g.ToPort = append(g.FromPort, port, q), append(g.ToPort, q, port)
	g.Attached[g.PortStart[s]+int32(port)], g.Attached[g.PortStart[t]+int32(q)] = c, c+1
}
