package gen

import (
	"fmt"
	"slices"
	"strconv"

	"weft/fabric"
)

// addLeaves adds leaf switches to a copy, each like an existing one.
func addLeaves(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	f = f.Clone()
	g := newGrower(f)
	for _, quoted := range a.texts("leaf") {
		name := fabric.Unquote(quoted)
		if slices.ContainsFunc(f.Nodes, func(n fabric.Node) bool { return n.Desc == name }) {
			return nil, problemf(a.value("leaf").pos, "a node is called %q already: give the new leaf another name", name)
		}
		model, err := modelLeaf(f, a)
		if err != nil {
			return nil, err
		}
		if room := fabric.MaxNodes - len(f.Nodes); room <= f.Nodes[model].NumPorts() {
			return nil, problemf(a.value("leaf").pos, "a fabric has at most %d nodes", fabric.MaxNodes)
		}
		if err := g.addLeaf(model, name); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// modelLeaf returns the leaf named by like=, or the usual leaf if there is no like=.
func modelLeaf(f *fabric.Fabric, a *args) (fabric.NodeID, error) {
	if a.given("like") {
		id, err := f.FindSwitch(a.text("like"))
		switch {
		case err != nil:
			return -1, problemf(a.value("like").pos, "%v", err)
		case len(hostPorts(f, id)) == 0:
			return -1, problemf(a.value("like").pos, "%s has no hosts: it is no leaf", f.NodeName(id))
		}
		if lacks := lacksPorts(f, id); lacks != "" {
			return -1, problemf(a.value("like").pos, "another leaf like %s finds no place: %s", f.NodeName(id), lacks)
		}
		return id, nil
	}
	return usualLeaf(f, a)
}

// leafCables counts the hosts and switches that a leaf is cabled to.
type leafCables struct{ hosts, switches int }

func cablesOf(f *fabric.Fabric, leaf fabric.NodeID) leafCables {
	s := leafCables{hosts: len(hostPorts(f, leaf))}
	for range f.SwitchPeers(leaf, nil) {
		s.switches++
	}
	return s
}

// usualLeaf returns the first leaf, in order of GUID, that has the cables of most leaves and whose
// switches have ports for another leaf.
func usualLeaf(f *fabric.Fabric, a *args) (fabric.NodeID, error) {
	leaves := byGUID(f, func(id fabric.NodeID) bool {
		return isSwitch(f, id) && !f.Nodes[id].Down && slices.ContainsFunc(hostPorts(f, id), func(p uint8) bool {
			return f.Nodes[f.Peer(fabric.End{Node: id, Port: p}).Node].Type == fabric.CA // a spine may have routers
		})
	})
	if len(leaves) == 0 {
		return -1, problemf(a.pos, "no switch that is up has hosts: there is no leaf to add another one like")
	}
	alike := map[leafCables]int{}
	for _, id := range leaves {
		alike[cablesOf(f, id)]++
	}
	best, most, first := fabric.NodeID(-1), 0, ""
	for _, id := range leaves {
		switch lacks := lacksPorts(f, id); {
		case lacks != "" && first == "":
			first = lacks
		case lacks == "" && alike[cablesOf(f, id)] > most:
			best, most = id, alike[cablesOf(f, id)]
		}
	}
	if best < 0 {
		return -1, problemf(a.pos, "no leaf can be added: above each of the %d leaves a switch lacks free ports (%s)", len(leaves), first)
	}
	return best, nil
}

// lacksPorts names a switch next to a leaf that has too few free ports for another leaf like it,
// and their number; "" if all have enough.
func lacksPorts(f *fabric.Fabric, leaf fabric.NodeID) string {
	need := map[fabric.NodeID]int{}
	for peer := range f.SwitchPeers(leaf, nil) {
		need[peer]++
	}
	for peer := range f.SwitchPeers(leaf, nil) {
		if free := len(freePorts(f, peer)); peer != leaf && free < need[peer] {
			return fmt.Sprintf("%s has %d free ports, it takes %d", f.NodeName(peer), free, need[peer])
		}
	}
	return ""
}

// freePorts lists the ports of a node without a cable.
func freePorts(f *fabric.Fabric, id fabric.NodeID) (free []uint8) {
	for p := 1; p <= f.Nodes[id].NumPorts(); p++ {
		if f.Nodes[id].Ports[p].Link == fabric.NoLink {
			free = append(free, uint8(p))
		}
	}
	return free
}

// grower adds nodes with GUIDs that are not in use.
type grower struct {
	f     *fabric.Fabric
	taken map[fabric.GUID]bool
	// Numbers of the GUID scheme tried so far.
	switches, hosts, aggregations int
}

func newGrower(f *fabric.Fabric) *grower {
	g := &grower{f: f, taken: map[fabric.GUID]bool{}}
	for i := range f.Nodes {
		g.taken[f.Nodes[i].GUID] = true
		for _, p := range f.Nodes[i].Ports {
			g.taken[p.GUID] = true
		}
	}
	return g
}

// free returns the next unused GUID of a scheme.
func (g *grower) free(scheme func(int) fabric.GUID, tried *int) fabric.GUID {
	for g.taken[scheme(*tried)] {
		*tried++
	}
	*tried++
	return scheme(*tried - 1)
}

// addLeaf adds a switch like a leaf: cables to the same switches from the same ports, and as many
// new hosts and aggregation nodes.
func (g *grower) addLeaf(model fabric.NodeID, name string) error {
	leaf, err := g.addLike(&g.f.Nodes[model], g.free(guidOfSwitch, &g.switches), name)
	if err != nil {
		return err
	}
	f, hosts := g.f, 0
	for p, l := range f.Cabled(model, nil) {
		link, peer := f.Links[l], f.Peer(fabric.End{Node: model, Port: p})
		switch {
		case peer.Node == model:
			continue // a cable between two ports of one switch is a mistake, or a test
		case isSwitch(f, peer.Node):
			peer.Port = freePorts(f, peer.Node)[0]
		default:
			desc := f.Nodes[peer.Node].Desc // of an aggregation node
			if isHost(f, peer.Node) {
				desc = name + " host " + strconv.Itoa(hosts)
				hosts++
			}
			if peer.Node, err = g.addLike(&f.Nodes[peer.Node], g.free(guidOfHost, &g.hosts), desc); err != nil {
				return err
			}
		}
		if _, err := f.Connect(fabric.End{Node: leaf, Port: p}, peer, link.Width, link.Speed); err != nil {
			return err
		}
	}
	return nil
}

// addLike adds a node with the attributes of a model, without cables and LIDs.
func (g *grower) addLike(model *fabric.Node, guid fabric.GUID, desc string) (fabric.NodeID, error) {
	m := *model // AddNode may move it
	id, err := g.f.AddNode(m.Type, guid, m.NumPorts(), desc)
	if err != nil {
		return -1, err
	}
	n := &g.f.Nodes[id]
	n.SystemGUID, n.VendorID, n.DeviceID, n.Revision = guid, m.VendorID, m.DeviceID, m.Revision
	n.EnhancedPort0, n.LinearFDBCap, n.Role = m.EnhancedPort0, m.LinearFDBCap, m.Role
	for p := range n.Ports {
		n.Ports[p].VLCap = m.Ports[p].VLCap
		if m.Type != fabric.Switch && p > 0 {
			n.Ports[p].GUID = guid + fabric.GUID(p)
		}
	}
	return id, nil
}

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
	case !isSwitch(f, to.Node):
		return nil, problemf(pos, "%s is a %s: a cable is moved to a switch", f.NodeName(to.Node), f.Nodes[to.Node].Type)
	case to.Whole:
		free := freePorts(f, to.Node)
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
		case !isSwitch(f, e.Node):
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
	switches := len(byGUID(f, func(id fabric.NodeID) bool { return isSwitch(f, id) }))
	if switches*a.int("ports") > fabric.MaxSwitchPorts {
		return nil, problemf(a.pos, "%d switches with %d ports are too many (at most %d ports)", switches, a.int("ports"), fabric.MaxSwitchPorts)
	}
	f = f.Clone()
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Type == fabric.Switch {
			f.AddPorts(fabric.NodeID(i), a.int("ports")-n.NumPorts())
		}
	}
	return f, nil
}
