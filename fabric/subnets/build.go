package subnets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// Opened is the fabric of a FABRIC argument. Made is true for formulas: their GUIDs are the same in
// every subnet, so Build shifts them.
type Opened struct {
	Fabric *fabric.Fabric
	Made   bool
}

// shiftBits is the lowest of the 16 GUID bits for the number of a subnet. Formulas leave them 0.
const shiftBits = 40

// kindPortGUID and a counter from 1 are the node GUIDs of router ports that a File cables, in the
// fabric of a Kind. They sort after the GUIDs of hosts. The GUIDs of the routers themselves are in
// Network.
const kindPortGUID fabric.GUID = 0x0200005200000000

// Build builds the Network of a File, opening each FABRIC once. Errors about the File are of type
// *lines.Error.
func (f *File) Build(name string, open func(arg string) (Opened, error)) (*Network, error) {
	b := builder{n: &Network{Name: name, File: f}, f: f, name: name, kinds: map[string]int32{}, open: open, opened: map[string]Opened{}}
	b.sortCables()
	for s := range f.Subnets {
		if err := b.subnet(s); err != nil {
			return nil, err
		}
	}
	b.routers()
	if err := b.unique(); err != nil {
		return nil, err
	}
	return b.n, nil
}

// builder builds a Network.
type builder struct {
	n      *Network
	f      *File
	name   string
	open   func(arg string) (Opened, error)
	opened map[string]Opened
	kinds  map[string]int32
	cables [][]cable // by subnet
	made   []bool    // by subnet
}

// cable is a cable of a router listed in the File.
type cable struct {
	router int // of the File
	port   *PortLine
}

func (b *builder) errorf(line int, format string, args ...any) error {
	return &lines.Error{File: b.name, Line: line, Msg: fmt.Sprintf(format, args...)}
}

// sortCables collects the cables of each subnet.
func (b *builder) sortCables() {
	at := map[string]int{}
	for i := range b.f.Subnets {
		at[b.f.Subnets[i].Name] = i
	}
	b.cables = make([][]cable, len(b.f.Subnets))
	for r := range b.f.Routers {
		for p := range b.f.Routers[r].Ports {
			line := &b.f.Routers[r].Ports[p]
			b.cables[at[line.Subnet]] = append(b.cables[at[line.Subnet]], cable{r, line})
		}
	}
}

// subnet adds a subnet, sharing the Kind of an earlier equal one.
func (b *builder) subnet(s int) error {
	line := &b.f.Subnets[s]
	o, ok := b.opened[line.Fabric]
	if !ok {
		var err error
		if o, err = b.open(line.Fabric); err != nil {
			return b.errorf(line.Line, "subnet %q: %v", line.Name, err)
		}
		b.opened[line.Fabric] = o
	}
	var key strings.Builder
	key.WriteString(line.Fabric)
	for _, c := range b.cables[s] {
		fmt.Fprintf(&key, "\x00%s\x00%d", c.port.Switch, c.port.SwitchPort)
	}
	kind, ok := b.kinds[key.String()]
	if !ok {
		f, err := b.cable(s, o)
		if err != nil {
			return err
		}
		kind = int32(len(b.n.Kinds))
		b.kinds[key.String()] = kind
		b.n.Kinds = append(b.n.Kinds, Kind{line.Fabric, f, f.Compile()})
	}
	sub := Subnet{Name: line.Name, Prefix: line.Prefix, Kind: kind}
	if o.Made {
		sub.Shift = fabric.GUID(s+1) << shiftBits
	}
	b.made = append(b.made, o.Made)
	b.n.Subnets = append(b.n.Subnets, sub)
	return nil
}

// cable adds the router ports of a subnet to a copy of its fabric.
func (b *builder) cable(s int, from Opened) (*fabric.Fabric, error) {
	f := from.Fabric.Clone()
	for i, c := range b.cables[s] {
		at, err := f.FindSwitch(c.port.Switch)
		if err != nil {
			return nil, b.errorf(c.port.Line, "subnet %q: %v", b.f.Subnets[s].Name, err)
		}
		guid := kindPortGUID + fabric.GUID(i+1)
		id, err := f.AddNode(fabric.Router, guid, 1, "router port "+fmt.Sprint(i+1))
		if err != nil {
			return nil, b.errorf(c.port.Line, "subnet %q: %v", b.f.Subnets[s].Name, err)
		}
		f.Nodes[id].Ports[1].GUID = guid
		width, speed := usualLink(f, at)
		if from.Made {
			grow(&f.Nodes[at], int(c.port.SwitchPort))
		}
		if _, err := f.Connect(fabric.End{Node: id, Port: 1}, fabric.End{Node: at, Port: c.port.SwitchPort}, width, speed); err != nil {
			return nil, b.errorf(c.port.Line, "subnet %q: %v", b.f.Subnets[s].Name, err)
		}
	}
	GiveRoles(f)
	return f, nil
}

// grow gives a switch of a formula enough ports for its cables.
func grow(n *fabric.Node, ports int) {
	for n.NumPorts() < ports {
		n.Ports = append(n.Ports, fabric.Port{GUID: n.GUID, Link: fabric.NoLink})
	}
}

// usualLink returns the width and speed of the first cable of a switch, for cables without their
// own.
func usualLink(f *fabric.Fabric, s fabric.NodeID) (fabric.Width, fabric.Speed) {
	for i := range f.Nodes[s].Ports {
		if l := f.Nodes[s].Ports[i].Link; l != fabric.NoLink {
			return f.Links[l].Width, f.Links[l].Speed
		}
	}
	return 4, fabric.EDR
}

// GiveRoles makes switches with CAs leaves, and switches with routers but no CAs middle switches:
// these have end ports but are not leaves of a tree. It changes nothing if a role was assigned or
// one of the two types is missing. Aggregation nodes are not hosts.
func GiveRoles(f *fabric.Fabric) {
	has := make([][fabric.Router + 1]bool, len(f.Nodes))
	for i := range f.Links {
		a, b := f.Links[i].A.Node, f.Links[i].B.Node
		if !f.IsAggregationNode(a) && !f.IsAggregationNode(b) {
			has[a][f.Nodes[b].Type], has[b][f.Nodes[a].Type] = true, true
		}
	}
	above := func(i int) bool { return has[i][fabric.Router] && !has[i][fabric.CA] }
	some, hosts := false, false
	for i := range f.Nodes {
		if f.Nodes[i].Role != fabric.NoRole {
			return
		}
		some, hosts = some || f.Nodes[i].Type == fabric.Switch && above(i), hosts || has[i][fabric.CA]
	}
	for i := range f.Nodes {
		switch n := &f.Nodes[i]; {
		case !some || !hosts || n.Type != fabric.Switch:
		case has[i][fabric.CA]:
			n.Role = fabric.RoleLeaf
		case above(i):
			n.Role = fabric.RoleMiddle
		}
	}
}

// routers lists the routers: first the routers of the File, then the ones in fabrics, by GUID.
func (b *builder) routers() {
	type place struct {
		number      uint8
		guid        fabric.GUID
		subnet, end int32
	}
	n := b.n
	ports := make([][]place, len(b.f.Routers))
	for r := range b.f.Routers {
		n.Routers = append(n.Routers, Router{Name: b.f.Routers[r].Name, GUID: b.f.Routers[r].GUID})
	}
	byGUID := map[fabric.GUID]int{}
	for s := range n.Subnets {
		sub, g := &n.Subnets[s], n.Graph(int32(s))
		sub.PortOf = slices.Repeat([]int32{-1}, g.NumHosts)
		for e := range int32(g.NumHosts) {
			if g.EndType[e] != fabric.Router {
				continue
			}
			guid := g.EndNodeGUID[e]
			if i := int(guid) - int(kindPortGUID) - 1; i >= 0 && i < len(b.cables[s]) {
				c := b.cables[s][i]
				ports[c.router] = append(ports[c.router], place{c.port.Number, n.Routers[c.router].GUID + fabric.GUID(c.port.Number), int32(s), e})
				continue
			}
			r, ok := byGUID[guid+sub.Shift]
			if !ok {
				r = len(n.Routers)
				byGUID[guid+sub.Shift] = r
				n.Routers = append(n.Routers, Router{Name: g.EndDesc[e], GUID: guid + sub.Shift})
				ports = append(ports, nil)
			}
			ports[r] = append(ports[r], place{g.EndNum[e], g.EndGUID[e] + sub.Shift, int32(s), e})
		}
		sub.Nodes = g.NumEnds
	}
	for r := range ports {
		slices.SortStableFunc(ports[r], func(x, y place) int { return cmp.Compare(x.number, y.number) })
		n.Routers[r].First = int32(len(n.Ports))
		for _, p := range ports[r] {
			n.Ports = append(n.Ports, Port{int32(r), p.number, p.guid, p.subnet, p.end})
		}
		n.Routers[r].End = int32(len(n.Ports))
	}
	for p := range n.Ports {
		n.Subnets[n.Ports[p].Subnet].PortOf[n.Ports[p].End] = int32(p)
	}
	for s := range n.Subnets {
		sub := &n.Subnets[s]
		for _, p := range sub.PortOf {
			if p >= 0 {
				sub.Ports = append(sub.Ports, p)
				sub.Nodes--
			}
		}
	}
}

// unique returns an error if two nodes share a GUID, or two ports of a router a number.
func (b *builder) unique() error {
	n := b.n
	seen := map[fabric.GUID]int{}
	for s := range n.Subnets {
		if b.made[s] {
			continue // distinguished by Shift
		}
		for i := range n.Kinds[n.Subnets[s].Kind].Fabric.Nodes {
			node := &n.Kinds[n.Subnets[s].Kind].Fabric.Nodes[i]
			if old, ok := seen[node.GUID]; ok && node.Type != fabric.Router {
				return b.errorf(b.f.Subnets[s].Line, "node GUID %s (%q) is in subnet %q and in subnet %q", node.GUID, node.Desc, n.Subnets[old].Name, n.Subnets[s].Name)
			}
			seen[node.GUID] = s
		}
	}
	routers, ports := map[fabric.GUID]string{}, map[fabric.GUID]string{}
	for r := range n.Routers {
		if old, ok := routers[n.Routers[r].GUID]; ok {
			return b.errorf(b.lineOf(r), "routers %q and %q have one GUID, %s", old, n.Routers[r].Name, n.Routers[r].GUID)
		}
		routers[n.Routers[r].GUID] = n.Routers[r].Name
		for p := n.Routers[r].First; p < n.Routers[r].End; p++ {
			port := &n.Ports[p]
			if p > n.Routers[r].First && port.Number == n.Ports[p-1].Number {
				return b.errorf(b.lineOf(r), "router %q has two ports %d", n.Routers[r].Name, port.Number)
			}
			if old, ok := ports[port.GUID]; r < len(b.f.Routers) && (ok || port.GUID < n.Routers[r].GUID) {
				return b.errorf(b.lineOf(r), "port %d of router %q gets the GUID %s, the router's plus its number, which %s: give the router another", port.Number, n.Routers[r].Name, port.GUID, cmp.Or(old, "is too large"))
			}
			ports[port.GUID] = fmt.Sprintf("port %d of router %q has", port.Number, n.Routers[r].Name)
		}
	}
	return nil
}

func (b *builder) lineOf(router int) int {
	if router < len(b.f.Routers) {
		return b.f.Routers[router].Line
	}
	return 0
}
