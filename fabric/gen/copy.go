package gen

import (
	"fmt"
	"strconv"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
)

// copier adds the nodes and cables of another fabric to the fabric of a grower.
type copier struct {
	*grower
	other *fabric.Fabric
	node  []fabric.NodeID // by node of other: the node in f, or -1
	shift []int           // by node of other: offset of its port numbers
}

func newCopier(f, other *fabric.Fabric) *copier {
	c := &copier{newGrower(f), other, make([]fabric.NodeID, len(other.Nodes)), make([]int, len(other.Nodes))}
	for i := range c.node {
		c.node[i] = -1
	}
	return c
}

// unite makes a node of other and a node here one: the ports of other follow those here.
func (c *copier) unite(here, there fabric.NodeID) error {
	n := &c.f.Nodes[here]
	c.node[there], c.shift[there] = here, n.NumPorts()
	if ports := n.NumPorts() + c.other.Nodes[there].NumPorts(); ports > fabric.MaxPorts {
		return fmt.Errorf("%s would have %d ports (at most %d)", c.f.NodeName(here), ports, fabric.MaxPorts)
	}
	for _, p := range c.other.Nodes[there].Ports[1:] {
		guid := n.Ports[0].GUID
		if n.Type != fabric.Switch {
			guid = c.portGUID(n)
		}
		n.Ports = append(n.Ports, fabric.Port{GUID: guid, Link: fabric.NoLink, VLCap: p.VLCap})
	}
	return nil
}

// portGUID returns the GUID of the next port of an adapter: the node's plus the port number, as in
// the scheme, unless a file uses it elsewhere.
func (c *copier) portGUID(n *fabric.Node) fabric.GUID {
	guid := n.GUID + fabric.GUID(len(n.Ports))
	if c.taken[guid] {
		guid = c.free(guidOfHost, &c.hosts)
	}
	c.taken[guid] = true
	return guid
}

// add adds all nodes that are not united, with the next free GUIDs of the scheme, and all cables.
// switchName turns the description of a switch or router in other into that of its copy; hostName
// names a host by its number in the GUID scheme.
func (c *copier) add(switchName func(string) string, hostName func(int) string) error {
	for _, i := range nodes.ByGUID(c.other, func(id fabric.NodeID) bool { return c.node[id] < 0 }) {
		var err error
		n := &c.other.Nodes[i]
		switch {
		case n.Type == fabric.Switch:
			c.node[i], err = c.addLike(n, c.free(guidOfSwitch, &c.switches), switchName(n.Desc))
		case n.Type == fabric.Router:
			c.node[i], err = c.addLike(n, c.free(guidOfHost, &c.hosts), switchName(n.Desc))
		case c.other.IsAggregationNode(i):
			c.node[i], err = c.addLike(n, c.free(guidOfAggregation, &c.aggregations), n.Desc)
		default:
			guid := c.free(guidOfHost, &c.hosts)
			c.node[i], err = c.addLike(n, guid, hostName(c.hosts-1))
		}
		if err != nil {
			return err
		}
		added := &c.f.Nodes[c.node[i]]
		added.Down, added.Drained = n.Down, n.Drained
	}
	return c.connect()
}

// connect adds the cables of other.
func (c *copier) connect() error {
	for _, l := range c.other.Links {
		id, err := c.f.Connect(c.end(l.A), c.end(l.B), l.Width, l.Speed)
		if err != nil {
			return err
		}
		// A node that is down in other takes its cables along, not the ports that it had here.
		c.f.Links[id].Down = l.Down || c.isDown(l.A.Node) || c.isDown(l.B.Node)
		c.f.Links[id].Drained = l.Drained
	}
	return nil
}

// isDown reports whether a node is down in other, and up here.
func (c *copier) isDown(there fabric.NodeID) bool {
	return c.other.Nodes[there].Down && !c.f.Nodes[c.node[there]].Down
}

// end converts the end of a cable in other.
func (c *copier) end(e fabric.End) fabric.End {
	return fabric.End{Node: c.node[e.Node], Port: uint8(int(e.Port) + c.shift[e.Node])}
}

// numbered names hosts as formulas do.
func numbered(n int) string { return "host " + strconv.Itoa(n) }
