package gen

import (
	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
)

// move moves one end of a cable of a copy to another port.
func move(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	f = f.Clone()
	from, err := endToMove(f, a)
	if err != nil {
		return nil, err
	}
	pos := a.value("to").pos
	to, err := f.FindPlace(a.text("to"))
	switch {
	case err != nil:
		return nil, problemf(pos, "%v", err)
	case !nodes.IsSwitch(f, to.Node):
		return nil, problemf(pos, "%s is a %s: a cable is moved to a switch", f.NodeName(to.Node), f.Nodes[to.Node].Type)
	case to.Whole:
		free := nodes.FreePorts(f, to.Node)
		if len(free) == 0 {
			return nil, problemf(pos, "%s has no free port", f.NodeName(to.Node))
		}
		to.Port = free[0]
	}
	if err := f.MoveCable(from, to.End); err != nil {
		return nil, problemf(pos, "%v", err)
	}
	return f, nil
}

// endToMove returns the end of a cable named by link=, or the switch end if it names a host.
func endToMove(f *fabric.Fabric, a *args) (fabric.End, error) {
	pos := a.value("link").pos
	id, err := f.FindLink(a.text("link"))
	if err != nil {
		return fabric.End{}, problemf(pos, "%v", err)
	}
	var ends []fabric.End // in switches
	at, err := f.FindPlace(a.text("link"))
	for _, e := range []fabric.End{f.Links[id].A, f.Links[id].B} {
		switch {
		case !nodes.IsSwitch(f, e.Node):
		case err == nil && at.Node == e.Node && (at.Whole || at.Port == e.Port):
			return e, nil
		default:
			ends = append(ends, e)
		}
	}
	if len(ends) != 1 {
		return fabric.End{}, problemf(pos, "%d ends of this cable are in switches: name the one to move as NAME[PORT]", len(ends))
	}
	return ends[0], nil
}

// radix adds ports to the switches of a copy.
func radix(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	switches := len(nodes.ByGUID(f, func(id fabric.NodeID) bool { return nodes.IsSwitch(f, id) }))
	if switches*a.int("ports") > a.most.SwitchPorts {
		return nil, problemf(a.pos, "%d switches with %d ports are too many (at most %d ports)", switches, a.int("ports"), a.most.SwitchPorts)
	}
	f = f.Clone()
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Type == fabric.Switch {
			f.AddPorts(fabric.NodeID(i), a.int("ports")-n.NumPorts())
		}
	}
	return f, nil
}
