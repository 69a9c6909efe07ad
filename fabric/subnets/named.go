package subnets

import (
	"slices"

	"weft/fabric"
)

// Fabric returns the fabric of a subnet with the GUIDs of nodes and ports in the network, including
// router ports. Nodes and links keep their numbers from the fabric of the Kind.
func (n *Network) Fabric(subnet int32) (*fabric.Fabric, error) {
	sub, g := &n.Subnets[subnet], n.Graph(subnet)
	from := n.Kinds[sub.Kind].Fabric
	portOf := map[fabric.GUID]int32{}
	for _, p := range sub.Ports {
		portOf[g.EndGUID[n.Ports[p].End]] = p
	}
	f := fabric.New(sub.Name)
	for i := range from.Nodes {
		at := &from.Nodes[i]
		guid, desc := at.GUID+sub.Shift, at.Desc
		cabled := int32(-1) // by the File, where each port is a node of its own
		if p, ok := portOf[at.GUID]; ok && at.Type == fabric.Router && at.NumPorts() == 1 {
			cabled = p
			guid, desc = n.Ports[p].GUID, n.Routers[n.Ports[p].Router].Name
		}
		id, err := f.AddNode(at.Type, guid, at.NumPorts(), desc)
		if err != nil {
			return nil, err
		}
		to := &f.Nodes[id]
		to.Down, to.Drained, to.Role = at.Down, at.Drained, at.Role
		for p := range at.Ports {
			to.Ports[p].GUID, to.Ports[p].VLCap = at.Ports[p].GUID+sub.Shift, at.Ports[p].VLCap
			if cabled >= 0 {
				to.Ports[p].GUID = n.Ports[cabled].GUID
			}
		}
	}
	for i := range from.Links {
		l := &from.Links[i]
		id, err := f.Connect(l.A, l.B, l.Width, l.Speed)
		if err != nil {
			return nil, err
		}
		f.Links[id].Down, f.Links[id].Drained = l.Down, l.Drained
	}
	return f, nil
}

// NamedGraph returns the Graph of a subnet with the GUIDs of nodes and ports in the network, but in
// the order of the Kind, not by GUID. fabric.Match uses it to find the parts of a subnet as
// discovered.
func (n *Network) NamedGraph(subnet int32) *fabric.Graph {
	sub, g := &n.Subnets[subnet], *n.Graph(subnet)
	g.SwitchGUID, g.EndGUID, g.EndNodeGUID = slices.Clone(g.SwitchGUID), slices.Clone(g.EndGUID), slices.Clone(g.EndNodeGUID)
	for s := range g.SwitchGUID {
		g.SwitchGUID[s] += sub.Shift
	}
	for e := range g.EndGUID {
		cabled := n.IsRouter(subnet, int32(e)) && g.EndGUID[e] == g.EndNodeGUID[e]
		g.EndGUID[e], g.EndNodeGUID[e] = n.GID(subnet, int32(e)).GUID, g.EndNodeGUID[e]+sub.Shift
		if cabled {
			g.EndNodeGUID[e] = g.EndGUID[e]
		}
	}
	return &g
}
