package subnets

import (
	"errors"

	"weft/fabric"
)

// Whole returns a network as one fabric with routers as switches. Nodes keep their GUIDs.
func Whole(n *Network) (*fabric.Fabric, error) {
	f := fabric.New(n.Name)
	var errs []error
	node := func(id fabric.NodeID, err error) fabric.NodeID {
		errs = append(errs, err)
		return id
	}
	routers := make([]fabric.NodeID, len(n.Routers))
	for r := range n.Routers {
		most := uint8(1)
		for p := n.Routers[r].First; p < n.Routers[r].End; p++ {
			most = max(most, n.Ports[p].Number)
		}
		routers[r] = node(f.AddNode(fabric.Switch, n.Routers[r].GUID, int(most), n.Routers[r].Name))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for s := range n.Subnets {
		if err := addSubnet(f, n, int32(s), routers); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// addSubnet adds the nodes and links of a subnet; cables of router ports go to the switches that
// stand for routers.
func addSubnet(f *fabric.Fabric, n *Network, s int32, routers []fabric.NodeID) error {
	sub, g := &n.Subnets[s], n.Graph(s)
	from := n.Kinds[sub.Kind].Fabric
	port := map[fabric.GUID]*Port{} // by the GUID that a router port has in the Kind
	for _, p := range sub.Ports {
		port[g.EndGUID[n.Ports[p].End]] = &n.Ports[p]
	}
	ids := make([]fabric.NodeID, len(from.Nodes))
	for i := range from.Nodes {
		at := &from.Nodes[i]
		if at.Type == fabric.Router {
			continue
		}
		desc := at.Desc
		if sub.Shift != 0 { // host 0 of each subnet of a formula is a machine of its own
			desc = sub.Name + " " + desc
		}
		id, err := f.AddNode(at.Type, at.GUID+sub.Shift, at.NumPorts(), desc)
		if err != nil {
			return err
		}
		to := &f.Nodes[id]
		ids[i], to.Down, to.Drained = id, at.Down, at.Drained
		for p := range at.Ports {
			to.Ports[p].GUID, to.Ports[p].VLCap = at.Ports[p].GUID+sub.Shift, at.Ports[p].VLCap
		}
	}
	end := func(e fabric.End) (fabric.End, bool) {
		if from.Nodes[e.Node].Type != fabric.Router {
			return fabric.End{Node: ids[e.Node], Port: e.Port}, true
		}
		p := port[from.Nodes[e.Node].Ports[e.Port].GUID]
		if p == nil { // not up
			return fabric.End{}, false
		}
		return fabric.End{Node: routers[p.Router], Port: p.Number}, true
	}
	for i := range from.Links {
		l := &from.Links[i]
		a, ok1 := end(l.A)
		b, ok2 := end(l.B)
		if !ok1 || !ok2 {
			continue
		}
		id, err := f.Connect(a, b, l.Width, l.Speed)
		if err != nil {
			return err
		}
		f.Links[id].Down, f.Links[id].Drained = l.Down, l.Drained
	}
	return nil
}
