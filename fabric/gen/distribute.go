package gen

import (
	"slices"

	"weft/fabric"
)

// distribute puts even hosts on the even units and odd hosts on the odd ones. A unit is a leaf, or
// several leaves joined by cables (a cross-linked pair of rack switches). Units count in order of
// GUID, and the leaves of one share its hosts. A leaf keeps the hosts on its lowest ports, and gets
// missing ones on its lowest free ports.
func distribute(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	level := Levels(f)
	if slices.Max(append(slices.Clone(level), NoLevel)) < 1 {
		return nil, problemf(a.pos, "hosts(even,odd) needs a tree: no switch is above a leaf")
	}
	for id := range f.Nodes {
		if isHost(f, fabric.NodeID(id)) && len(cabled(f, fabric.NodeID(id))) > 1 {
			return nil, problemf(a.pos, "%s has several cables: hosts(even,odd) wants one a host (put |ports, |planes and |plane after it; rail has hosts= of its own)",
				f.NodeName(fabric.NodeID(id)))
		}
	}
	want := map[fabric.GUID]int{}
	for i, unit := range units(f, level) {
		n := a.int("even")
		if i%2 == 1 {
			n = a.int("odd")
		}
		for l, leaf := range unit {
			want[f.Nodes[leaf].GUID] = portion(n, len(unit), l)
		}
	}
	drop := make([]bool, len(f.Nodes))
	for guid, n := range want {
		leaf, _ := f.NodeByGUID(guid)
		for i, p := range hostPorts(f, leaf) {
			drop[f.Peer(fabric.End{Node: leaf, Port: p}).Node] = i >= n
		}
	}
	g := f.Without(func(id fabric.NodeID) bool { return drop[id] }, nil)
	leaves := byGUID(g, func(id fabric.NodeID) bool { return want[g.Nodes[id].GUID] > 0 })
	next := 0
	for _, leaf := range leaves {
		for range want[g.Nodes[leaf].GUID] - len(hostPorts(g, leaf)) {
			if err := plugIn(g, leaf, &next); err != nil {
				return nil, problemf(a.pos, "%v", err)
			}
		}
	}
	return g, nil
}

// units lists the leaves; leaves joined by cables are one unit.
func units(f *fabric.Fabric, level []int32) [][]fabric.NodeID {
	var out [][]fabric.NodeID
	seen := make([]bool, len(f.Nodes))
	for _, first := range byGUID(f, func(id fabric.NodeID) bool { return level[id] == 0 }) {
		if seen[first] {
			continue
		}
		seen[first] = true
		unit := []fabric.NodeID{first}
		for i := 0; i < len(unit); i++ {
			for p := range f.SwitchPeers(unit[i], nil) {
				if level[p] == 0 && !seen[p] {
					seen[p] = true
					unit = append(unit, p)
				}
			}
		}
		out = append(out, unit)
	}
	return out
}

// plugIn adds a host to the lowest free port of a leaf, with the first free GUID of the scheme from
// next on.
func plugIn(f *fabric.Fabric, leaf fabric.NodeID, next *int) error {
	p := freePort(&f.Nodes[leaf])
	if p == 0 {
		return problemf(0, "%s has no free port for another host", f.NodeName(leaf))
	}
	h, err := addHost(f, nextFree(f, guidOfHost, next), 1)
	if err != nil {
		return err
	}
	_, err = f.Connect(fabric.End{Node: h, Port: 1}, fabric.End{Node: leaf, Port: p}, 4, fabric.EDR)
	return err
}

// cabled lists the cabled ports of a node.
func cabled(f *fabric.Fabric, id fabric.NodeID) []uint8 {
	var ports []uint8
	for p := range f.Cabled(id, nil) {
		ports = append(ports, p)
	}
	return ports
}

// freePort returns the lowest port without a cable, 0 if there is none.
func freePort(n *fabric.Node) uint8 {
	return uint8(1 + slices.IndexFunc(n.Ports[1:], func(p fabric.Port) bool { return p.Link == fabric.NoLink }))
}

// twoPorts merges hosts two by two. A host takes over the cable of a host with one cable on the
// next leaf, at its lowest free port, or at a new port with the port GUID of the other host. The
// leaves are taken in order of GUID, which pairs the two switches of a rack. Hosts with several
// cables stay as they are.
func twoPorts(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	f = f.Clone()
	leaves := byGUID(f, func(id fabric.NodeID) bool { return isSwitch(f, id) })
	second := map[fabric.GUID]fabric.End{} // first host to the former port of its second one
	drop := make([]bool, len(f.Nodes))
	var waiting []fabric.NodeID // hosts of one leaf that lack a second port
	for _, leaf := range leaves {
		var here []fabric.NodeID
		for _, p := range hostPorts(f, leaf) {
			if h := f.Peer(fabric.End{Node: leaf, Port: p}).Node; len(cabled(f, h)) == 1 {
				here = append(here, h)
			}
		}
		n := min(len(waiting), len(here))
		for i := range n {
			second[f.Nodes[waiting[i]].GUID] = fabric.End{Node: here[i], Port: cabled(f, here[i])[0]}
			drop[here[i]] = true
		}
		waiting = append(waiting[n:], here[n:]...)
	}
	if len(waiting) > 0 {
		return nil, problemf(a.pos, "%d hosts are left without a partner on another leaf, %s first: make their number even",
			len(waiting), f.NodeName(waiting[0]))
	}
	g := f.Without(func(id fabric.NodeID) bool { return drop[id] }, nil)
	for id := range g.Nodes {
		old, merged := second[g.Nodes[id].GUID]
		if !merged {
			continue
		}
		port := f.Nodes[old.Node].Ports[old.Port]
		link := f.Links[port.Link]
		peer := f.Peer(old)
		peer.Node, _ = g.NodeByGUID(f.Nodes[peer.Node].GUID)
		mine := fabric.End{Node: fabric.NodeID(id), Port: freePort(&g.Nodes[id])}
		if mine.Port == 0 {
			mine.Port = uint8(len(g.Nodes[id].Ports))
			port.Link = fabric.NoLink
			g.Nodes[id].Ports = append(g.Nodes[id].Ports, port)
		}
		l, err := g.Connect(mine, peer, link.Width, link.Speed)
		if err != nil {
			return nil, err
		}
		g.Links[l].Down, g.Links[l].Drained = link.Down, link.Drained
	}
	return g, nil
}
