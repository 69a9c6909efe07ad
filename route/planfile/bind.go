package planfile

import (
	"fmt"

	"weft/fabric"
	"weft/route"
)

// bind reads the switches and end ports of the Plan, with their names. It compares them with those
// of g, in order; this is the order of GUIDs, except in one of several subnets. If g is the Plan's
// own, bind adds them to it.
func (c *coder) bind(h *planHeader, g *fabric.Graph, own bool, ends *route.Ends) error {
	c.section = "switches"
	seen := map[identity]bool{} // of the Plan's own switches, then end ports
	switches, err := c.names(h.Switches, func(i int, id identity) error {
		if own {
			return addSwitch(g, id, seen)
		}
		return isSwitch(g, i, id)
	})
	if err != nil {
		return err
	}
	if !own && len(switches.Base) < g.NumSwitches {
		return notInPlan(fabric.SwitchName(g, int32(len(switches.Base))))
	}
	c.section = "end ports"
	clear(seen)
	hosts, err := c.names(h.Hosts, func(i int, id identity) error {
		if own {
			return addHost(g, id, seen)
		}
		return isHost(g, i, id)
	})
	if err != nil {
		return err
	}
	if !own && len(hosts.Base) < g.NumHosts {
		return notInPlan(route.EndName(g, int32(len(hosts.Base))))
	}
	if own {
		addPortZeros(g)
	}
	ends.Base, ends.LMC = append(hosts.Base, switches.Base...), append(hosts.LMC, switches.LMC...)
	return nil
}

// identity identifies a switch in a plan file, or an end port, whose number on the node then takes
// the place of ports.
type identity struct {
	guid  fabric.GUID
	ports uint8
}

// name reads or writes an identity with its LIDs.
func (c *coder) name(id *identity, base *fabric.LID, lmc *uint8) {
	u64(c, &id.guid)
	u8(c, &id.ports)
	u16(c, base)
	u8(c, lmc)
}

// names reads n identities with their LIDs; visit sees each of them.
func (c *coder) names(n int, visit func(i int, id identity) error) (e route.Ends, err error) {
	for i := range n {
		var id identity
		var base fabric.LID
		var lmc uint8
		c.name(&id, &base, &lmc)
		if c.err != nil {
			return e, c.err
		}
		if err := visit(i, id); err != nil {
			return e, err
		}
		e.Base, e.LMC = append(e.Base, base), append(e.LMC, lmc)
	}
	return e, nil
}

// isSwitch compares the next switch of the Plan with that of g.
func isSwitch(g *fabric.Graph, s int, id identity) error {
	name := fmt.Sprintf("switch %s", id.guid)
	if s >= g.NumSwitches || id.guid < g.SwitchGUID[s] {
		return notInFabric(name)
	}
	if id.guid > g.SwitchGUID[s] {
		return notInPlan(fabric.SwitchName(g, int32(s)))
	}
	if int32(id.ports) != g.SwitchPorts[s] {
		return &BindError{name, fmt.Sprintf("has %d ports, but %d in the plan", g.SwitchPorts[s], id.ports)}
	}
	return nil
}

// isHost compares the next CA or router port of the Plan with that of g.
func isHost(g *fabric.Graph, i int, id identity) error {
	if i >= g.NumHosts || id.before(hostOf(g, i)) {
		return notInFabric(fmt.Sprintf("end port %s[%d]", id.guid, id.ports))
	}
	if id != hostOf(g, i) {
		return notInPlan(route.EndName(g, int32(i)))
	}
	return nil
}

// addSwitch adds a switch of the Plan to its own Graph.
func addSwitch(g *fabric.Graph, id identity, seen map[identity]bool) error {
	alone := identity{guid: id.guid}
	if seen[alone] {
		return fmt.Errorf("route: plan file: switches: %s is there twice", id.guid)
	}
	seen[alone] = true
	g.NumSwitches++
	g.SwitchGUID, g.SwitchDesc = append(g.SwitchGUID, id.guid), append(g.SwitchDesc, "")
	g.SwitchPorts = append(g.SwitchPorts, int32(id.ports))
	return nil
}

// addHost adds a CA or router port of the Plan to its own Graph.
func addHost(g *fabric.Graph, id identity, seen map[identity]bool) error {
	if seen[id] {
		return fmt.Errorf("route: plan file: end ports: %s[%d] is there twice", id.guid, id.ports)
	}
	seen[id] = true
	g.NumHosts++
	addEnd(g, fabric.CA, id)
	return nil
}

func hostOf(g *fabric.Graph, i int) identity { return identity{g.EndNodeGUID[i], g.EndNum[i]} }

func (id identity) before(o identity) bool {
	return id.guid < o.guid || id.guid == o.guid && id.ports < o.ports
}

func addPortZeros(g *fabric.Graph) {
	for _, guid := range g.SwitchGUID {
		addEnd(g, fabric.Switch, identity{guid: guid})
	}
}

func addEnd(g *fabric.Graph, t fabric.NodeType, id identity) {
	g.NumEnds++
	g.EndNodeGUID, g.EndNum = append(g.EndNodeGUID, id.guid), append(g.EndNum, id.ports)
	g.EndType, g.EndDesc, g.EndGUID = append(g.EndType, t), append(g.EndDesc, ""), append(g.EndGUID, 0)
}
