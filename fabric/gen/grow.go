package gen

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
	"weft/fabric/gen/internal/units"
)

// kinds lists the units that |add can add.
var kinds = []string{"leaf", "pod", "group", "server"}

// add adds units or servers to a copy, each like an existing one.
func add(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	if err := a.oneOf(kinds...); err != nil {
		return nil, err
	}
	kind := kinds[slices.IndexFunc(kinds, a.given)]
	g := newGrower(f.Clone())
	for _, quoted := range a.texts(kind) {
		x, name := newExtension(g, kind), fabric.Unquote(quoted)
		err := x.unused(name)
		switch {
		case err != nil:
		case kind == "server":
			err = x.addServer(a, name)
		default:
			err = x.addUnit(kind, a, name)
		}
		if err != nil {
			return nil, located(a.value(kind).pos, err)
		}
	}
	return g.f, nil
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
		g.taken[f.Nodes[i].GUID], g.taken[f.Nodes[i].SystemGUID] = true, true
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

// extension adds a unit or a server to a network, like another one.
type extension struct {
	*grower
	net    *pattern                        // the network without it
	called map[string]bool                 // the descriptions in use
	copies map[fabric.NodeID]fabric.NodeID // by the node that each is like
}

func newExtension(g *grower, kind string) *extension {
	x := &extension{g, &pattern{units.New(g.f), g.f}, map[string]bool{}, map[fabric.NodeID]fabric.NodeID{}}
	for i := range g.f.Nodes {
		x.called[g.f.Nodes[i].Desc] = true
	}
	if kind != "server" {
		x.net.Find()
	}
	return x
}

// unused returns an error if a node has a name already.
func (x *extension) unused(name string) error {
	if x.called[name] {
		return fmt.Errorf("a node is called %q already: give what is added another name", name)
	}
	return nil
}

// copy adds a node like another one.
func (x *extension) copy(model fabric.NodeID, scheme func(int) fabric.GUID, tried *int, desc string) (err error) {
	x.called[desc] = true
	x.copies[model], err = x.addLike(&x.f.Nodes[model], x.free(scheme, tried), desc)
	return err
}

// addUnit adds a unit like another one: switches and servers, with the same cables among themselves
// and to the same switches outside. A group gets cables to all groups instead.
func (x *extension) addUnit(kind string, a *args, name string) error {
	u, err := x.net.model(kind, a)
	if err != nil {
		return err
	}
	more := len(u.Switches)
	for _, s := range u.Servers {
		more += len(x.net.Servers.List[s].Adapters)
	}
	if len(x.f.Nodes)+more > fabric.MaxNodes {
		return fmt.Errorf("a fabric has at most %d nodes", fabric.MaxNodes)
	}
	names := x.net.switchNames(u, name)
	for i, s := range u.Switches {
		if err := errors.Join(x.unused(names[i]), x.copy(s, guidOfSwitch, &x.switches, names[i])); err != nil {
			return err
		}
	}
	if err := x.addHosts(u, name); err != nil {
		return err
	}
	if kind != "group" || x.net.Across == nil {
		return x.copyCables(u, true)
	}
	if err := x.copyCables(u, false); err != nil {
		return err
	}
	return x.joinGroup(u)
}

// addHosts adds copies of the servers of a unit, and of the aggregation nodes of its switches, in
// order of switch and port.
func (x *extension) addHosts(u *units.Unit, name string) error {
	member := map[int32]bool{}
	for _, s := range u.Servers {
		member[s] = true
	}
	servers := 0
	for _, s := range u.Switches {
		for p := range x.f.Cabled(s, nil) {
			node := x.f.Peer(fabric.End{Node: s, Port: p}).Node
			if _, copied := x.copies[node]; copied || nodes.IsSwitch(x.f, node) {
				continue
			}
			switch server := x.net.Servers.Of[node]; {
			case x.f.IsAggregationNode(node):
				if err := x.copy(node, guidOfAggregation, &x.aggregations, x.f.Nodes[node].Desc); err != nil {
					return err
				}
			case server != fabric.NoServer && member[server]:
				if err := x.addAdapters(server, fmt.Sprintf("%s host %d", name, servers)); err != nil {
					return err
				}
				servers++
			}
		}
	}
	return nil
}

// addAdapters adds the adapters of a new server like another one.
func (x *extension) addAdapters(server int32, name string) error {
	s := &x.net.Servers.List[server]
	for i, adapter := range s.Adapters {
		id := fabric.NodeID(adapter)
		desc := name
		if len(s.Adapters) > 1 {
			desc = name + " " + deviceName(s, x.f.Nodes[id].Desc, i)
		}
		if err := errors.Join(x.unused(desc), x.copy(id, guidOfHost, &x.hosts, desc)); err != nil {
			return err
		}
		if first := fabric.NodeID(s.Adapters[0]); x.f.Nodes[id].SystemGUID == x.f.Nodes[first].SystemGUID {
			x.f.Nodes[x.copies[id]].SystemGUID = x.f.Nodes[x.copies[first]].GUID
		}
	}
	return nil
}

// deviceName returns the part of an adapter's description behind the name of its server, or a name
// by its number.
func deviceName(s *fabric.Server, desc string, number int) string {
	if device, ok := strings.CutPrefix(desc, s.Name+" "); ok && s.Sign == fabric.ByHostName {
		return device
	}
	return fmt.Sprintf("HCA-%d", number+1)
}

// copyCables cables the copies of a unit's nodes like the unit itself. With outside it also copies
// the cables to other switches, each to the first free port. It copies no cable to a host outside
// the unit.
func (x *extension) copyCables(u *units.Unit, outside bool) error {
	members := slices.Clone(u.Switches)
	for _, s := range u.Servers {
		for _, adapter := range x.net.Servers.List[s].Adapters {
			members = append(members, fabric.NodeID(adapter))
		}
	}
	for _, id := range members {
		for p, l := range x.f.Cabled(id, nil) {
			here := fabric.End{Node: id, Port: p}
			there := x.f.Peer(here)
			copied, inside := x.copies[there.Node]
			switch {
			case inside && nodes.IsSwitch(x.f, there.Node) && (!nodes.IsSwitch(x.f, id) || there.Node < id || there.Node == id && there.Port < p):
				continue // it is copied from its other end
			case inside:
				there.Node = copied
			case !outside || !nodes.IsSwitch(x.f, there.Node):
				continue
			default:
				there.Port = nodes.FreePorts(x.f, there.Node)[0]
			}
			here.Node = x.copies[id]
			if err := x.connect(here, there, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// connect joins two ports by a cable like another one.
func (x *extension) connect(a, b fabric.End, like fabric.LinkID) error {
	l := x.f.Links[like]
	_, err := x.f.Connect(a, b, l.Width, l.Speed)
	return err
}
