package gen

import (
	"cmp"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
)

// distribute puts even hosts on the even units and odd hosts on the odd ones. A unit is a leaf, or
// several leaves joined by cables (a cross-linked pair of rack switches), or by hosts of several
// ports (the rails of a pod, a leaf of each plane). Units count in order of GUID. The leaves of one
// share its hosts, unless these have a port on each. A unit keeps the hosts on the lowest ports,
// and gets missing ones on the lowest free ports.
func distribute(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	level := Levels(f)
	if slices.Max(append(slices.Clone(level), NoLevel)) < 1 {
		return nil, problemf(a.pos, "hosts(even,odd) needs a tree: no switch is above a leaf")
	}
	all, models, err := sharedUnits(f, linkedUnits(f, level))
	if err != nil {
		return nil, problemf(a.pos, "%v", err)
	}
	drop := make([]bool, len(f.Nodes))
	var plugs []plug
	for i, unit := range all {
		n := a.int("even")
		if i%2 == 1 {
			n = a.int("odd")
		}
		if m := models[i]; m >= 0 {
			plugs = append(plugs, keepHosts(f, leavesOf(f, m)[0], n, drop).like(f, m))
			continue
		}
		for l, leaf := range unit {
			plugs = append(plugs, keepHosts(f, leaf, portion(n, len(unit), l), drop))
		}
	}
	slices.SortFunc(plugs, func(p, q plug) int { return cmp.Compare(p.leaf, q.leaf) })
	g := f.Without(func(id fabric.NodeID) bool { return drop[id] }, nil)
	next := 0
	for _, p := range plugs {
		for range p.missing {
			if err := p.plugIn(g, &next); err != nil {
				return nil, problemf(a.pos, "%v", err)
			}
		}
	}
	return g, nil
}

// plug counts the hosts that a leaf lacks.
type plug struct {
	leaf    fabric.GUID
	missing int
	on      []fabric.GUID // by port of such a host: the leaf, or 0 if the port stays free
}

// keepHosts marks all hosts of a leaf but the first n for removal. It returns a plug for the
// missing ones, as hosts of one port.
func keepHosts(f *fabric.Fabric, leaf fabric.NodeID, n int, drop []bool) plug {
	kept := map[fabric.NodeID]bool{}
	for _, p := range nodes.HostPorts(f, leaf) {
		h := f.Peer(fabric.End{Node: leaf, Port: p}).Node
		if len(kept) < n {
			kept[h] = true
		}
		drop[h] = !kept[h]
	}
	guid := f.Nodes[leaf].GUID
	return plug{guid, n - len(kept), []fabric.GUID{guid}}
}

// leavesOf lists the switches that a host is cabled to, each once.
func leavesOf(f *fabric.Fabric, host fabric.NodeID) []fabric.NodeID {
	return slices.Compact(slices.SortedFunc(f.SwitchPeers(host, nil), func(a, b fabric.NodeID) int {
		return cmp.Compare(f.Nodes[a].GUID, f.Nodes[b].GUID)
	}))
}

// like returns the plug for missing hosts with the ports of a model.
func (p plug) like(f *fabric.Fabric, model fabric.NodeID) plug {
	p.on = make([]fabric.GUID, f.Nodes[model].NumPorts())
	for _, port := range cabled(f, model) {
		p.on[port-1] = f.Nodes[f.Peer(fabric.End{Node: model, Port: port}).Node].GUID
	}
	return p
}

// plugIn adds a missing host, on the lowest free ports of its leaves and with the first free GUID
// of the scheme from next on.
func (p plug) plugIn(f *fabric.Fabric, next *int) error {
	h, err := addHost(f, nextFree(f, guidOfHost, next), len(p.on))
	if err != nil {
		return err
	}
	for i, guid := range p.on {
		leaf, there := f.NodeByGUID(guid)
		if !there {
			continue
		}
		free := freePort(&f.Nodes[leaf])
		if free == 0 {
			return problemf(0, "%s has no free port for another host", f.NodeName(leaf))
		}
		if _, err := f.Connect(fabric.End{Node: h, Port: uint8(i + 1)}, fabric.End{Node: leaf, Port: free}, 4, fabric.EDR); err != nil {
			return err
		}
	}
	return nil
}

// sharedUnits joins units by hosts with several cables. It returns for each unit its first such
// host, or -1 if all hosts have one cable.
func sharedUnits(f *fabric.Fabric, units [][]fabric.NodeID) (all [][]fabric.NodeID, models []fabric.NodeID, err error) {
	of := map[fabric.NodeID]int{} // by leaf
	for i, unit := range units {
		for _, leaf := range unit {
			of[leaf] = i
		}
	}
	model := slices.Repeat([]fabric.NodeID{-1}, len(units))
	for _, h := range nodes.ByGUID(f, func(id fabric.NodeID) bool { return nodes.IsHost(f, id) && len(cabled(f, id)) > 0 }) {
		leaves := leavesOf(f, h)
		for _, leaf := range leaves {
			m := &model[of[leaf]]
			if *m < 0 {
				*m = h
			}
			if several := len(cabled(f, h)) > 1 || len(cabled(f, *m)) > 1; several && !slices.Equal(leaves, leavesOf(f, *m)) {
				return nil, nil, fmt.Errorf("%s and %s share %s, but not all of their leaves: put |plane and |ports after |hosts",
					f.NodeName(*m), f.NodeName(h), f.NodeName(leaf))
			}
		}
	}
	seen := map[fabric.NodeID]bool{} // hosts that join units
	for i, unit := range units {
		m := model[i]
		if m < 0 || len(cabled(f, m)) == 1 {
			all, models = append(all, unit), append(models, -1)
		} else if !seen[m] {
			seen[m] = true
			all, models = append(all, unit), append(models, m)
		}
	}
	return all, models, nil
}

// linkedUnits lists the leaves; leaves joined by cables are one unit.
func linkedUnits(f *fabric.Fabric, level []int32) [][]fabric.NodeID {
	var out [][]fabric.NodeID
	seen := make([]bool, len(f.Nodes))
	for _, first := range nodes.ByGUID(f, func(id fabric.NodeID) bool { return level[id] == 0 }) {
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
	leaves := nodes.ByGUID(f, func(id fabric.NodeID) bool { return nodes.IsSwitch(f, id) })
	second := map[fabric.GUID][]fabric.NodeID{} // by first host
	var waiting []fabric.NodeID                 // hosts of one leaf that lack a second port
	for _, leaf := range leaves {
		var here []fabric.NodeID
		for _, p := range nodes.HostPorts(f, leaf) {
			if h := f.Peer(fabric.End{Node: leaf, Port: p}).Node; len(cabled(f, h)) == 1 {
				here = append(here, h)
			}
		}
		n := min(len(waiting), len(here))
		for i := range n {
			second[f.Nodes[waiting[i]].GUID] = []fabric.NodeID{here[i]}
		}
		waiting = append(waiting[n:], here[n:]...)
	}
	if len(waiting) > 0 {
		return nil, problemf(a.pos, "%d hosts are left without a partner on another leaf, %s first: make their number even",
			len(waiting), f.NodeName(waiting[0]))
	}
	if len(second) == 0 && slices.ContainsFunc(leaves, func(s fabric.NodeID) bool { return len(nodes.HostPorts(f, s)) > 0 }) {
		return nil, problemf(a.pos, "all hosts have several cables already")
	}
	return joinHosts(f, second)
}
