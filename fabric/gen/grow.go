package gen

import (
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
)

// kinds lists what can be added.
var kinds = []string{"leaf", "pod", "group", "server"}

// add adds units or servers to a copy, each like an existing one.
func add(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	if err := a.oneOf(kinds...); err != nil {
		return nil, err
	}
	kind := kinds[slices.IndexFunc(kinds, a.given)]
	g := newGrower(f.Clone())
	for _, quoted := range a.texts(kind) {
		name := fabric.Unquote(quoted)
		g.pattern, g.copies = findPattern(g.f), map[fabric.NodeID]fabric.NodeID{}
		var err error
		if g.called[name] {
			err = taken(name)
		} else if kind == "server" {
			err = g.addServer(a, name)
		} else {
			err = g.addUnit(kind, a, name)
		}
		if err != nil {
			return nil, located(a.value(kind).pos, err)
		}
	}
	return g.f, nil
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

// grower adds nodes with GUIDs and names that are not in use.
type grower struct {
	*pattern        // before the present addition
	used            map[fabric.GUID]bool
	called          map[string]bool
	switches, hosts int                             // numbers of the GUID scheme tried so far
	copies          map[fabric.NodeID]fabric.NodeID // of the present addition, by the node that each is like
}

func newGrower(f *fabric.Fabric) *grower {
	g := &grower{pattern: &pattern{f: f}, used: map[fabric.GUID]bool{}, called: map[string]bool{}}
	for i := range f.Nodes {
		g.called[f.Nodes[i].Desc] = true
		g.used[f.Nodes[i].GUID] = true
		for _, p := range f.Nodes[i].Ports {
			g.used[p.GUID] = true
		}
	}
	return g
}

// free returns the next unused GUID of a scheme.
func (g *grower) free(scheme func(int) fabric.GUID, tried *int) fabric.GUID {
	for g.used[scheme(*tried)] {
		*tried++
	}
	*tried++
	return scheme(*tried - 1)
}

func taken(name string) error {
	return fmt.Errorf("a node is called %q already: give what is added another name", name)
}

// addUnit adds a unit like another one: switches and servers, with the same cables among themselves
// and to the same switches outside. A group gets cables to all groups instead.
func (g *grower) addUnit(kind string, a *args, name string) error {
	u, err := g.model(kind, a)
	if err != nil {
		return err
	}
	nodes := len(u.switches)
	for _, s := range u.servers {
		nodes += len(g.servers.List[s].Adapters)
	}
	if len(g.f.Nodes)+nodes > fabric.MaxNodes {
		return fmt.Errorf("a fabric has at most %d nodes", fabric.MaxNodes)
	}
	names := g.switchNames(u, name)
	for i, s := range u.switches {
		if _, err := g.addLike(s, g.free(guidOfSwitch, &g.switches), names[i]); err != nil {
			return err
		}
	}
	if err := g.addHosts(u, name); err != nil {
		return err
	}
	if kind != "group" {
		return g.copyCables(u, true)
	}
	links := g.linksOfGroups()
	if err := g.copyCables(u, false); err != nil {
		return err
	}
	return g.joinGroup(u, links)
}

// addHosts adds the servers of a unit, and the aggregation nodes of its switches, in order of
// switch and port.
func (g *grower) addHosts(u *unit, name string) error {
	member := map[int32]bool{}
	for _, s := range u.servers {
		member[s] = true
	}
	servers := 0
	for _, s := range u.switches {
		for p := range g.f.Cabled(s, nil) {
			node := g.f.Peer(fabric.End{Node: s, Port: p}).Node
			if _, copied := g.copies[node]; copied || isSwitch(g.f, node) {
				continue
			}
			switch server := g.servers.Of[node]; {
			case g.f.IsAggregationNode(node):
				if _, err := g.addLike(node, g.free(guidOfHost, &g.hosts), g.f.Nodes[node].Desc); err != nil {
					return err
				}
			case server != fabric.NoServer && member[server]:
				if err := g.addAdapters(server, fmt.Sprintf("%s host %d", name, servers)); err != nil {
					return err
				}
				servers++
			}
		}
	}
	return nil
}

// addAdapters adds the adapters of a new server like another one.
func (g *grower) addAdapters(server int32, name string) error {
	s := &g.servers.List[server]
	var first fabric.GUID
	for i, adapter := range s.Adapters {
		id, guid := fabric.NodeID(adapter), g.free(guidOfHost, &g.hosts)
		desc := name
		if len(s.Adapters) > 1 {
			desc = name + " " + deviceName(s, g.f.Nodes[id].Desc, i)
		}
		if g.called[desc] {
			return taken(desc)
		}
		made, err := g.addLike(id, guid, desc)
		if err != nil {
			return err
		}
		if i == 0 {
			first = guid
		}
		if g.f.Nodes[id].SystemGUID == g.f.Nodes[s.Adapters[0]].SystemGUID {
			g.f.Nodes[made].SystemGUID = first
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

// addLike adds a node with the attributes of another one, without cables and LIDs.
func (g *grower) addLike(model fabric.NodeID, guid fabric.GUID, desc string) (fabric.NodeID, error) {
	f, m := g.f, g.f.Nodes[model]
	if m.Type == fabric.Switch && g.called[desc] {
		return -1, taken(desc)
	}
	id, err := f.AddNode(m.Type, guid, m.NumPorts(), desc)
	if err != nil {
		return -1, err
	}
	g.copies[model], g.called[desc] = id, true
	n := &f.Nodes[id]
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

// copyCables gives the copies of a unit's nodes the cables among them, and with outside those to
// other switches, which get them on their first free ports. Hosts outside the unit get none.
func (g *grower) copyCables(u *unit, outside bool) error {
	nodes := slices.Clone(u.switches)
	for _, s := range u.servers {
		for _, adapter := range g.servers.List[s].Adapters {
			nodes = append(nodes, fabric.NodeID(adapter))
		}
	}
	for _, id := range nodes {
		for p, l := range g.f.Cabled(id, nil) {
			here := fabric.End{Node: id, Port: p}
			there := g.f.Peer(here)
			copied, inside := g.copies[there.Node]
			switch {
			case inside && isSwitch(g.f, there.Node) && (!isSwitch(g.f, id) || there.Node < id || there.Node == id && there.Port < p):
				continue // it is copied from its other end
			case inside:
				there.Node = copied
			case !outside || !isSwitch(g.f, there.Node):
				continue
			default:
				there.Port = freePorts(g.f, there.Node)[0]
			}
			here.Node = g.copies[id]
			if err := g.connect(here, there, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// connect joins two ports by a cable like another one.
func (g *grower) connect(a, b fabric.End, like fabric.LinkID) error {
	l := g.f.Links[like]
	_, err := g.f.Connect(a, b, l.Width, l.Speed)
	return err
}
