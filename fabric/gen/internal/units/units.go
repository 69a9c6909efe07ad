// Package units finds the parts that a network has several times, by its cables alone: leaves, pods
// and groups, with their servers.
package units

import (
	"cmp"
	"slices"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
	grouping "weft/fabric/shape/groups"
)

// Unit is a part that a network has several times: switches, and the servers with most of their
// cables in them.
type Unit struct {
	Switches []fabric.NodeID // the lowest level first, each by GUID
	Servers  []int32
	Has      map[fabric.NodeID]bool // the switches
	Down     bool                   // a switch is down
}

// Pattern lists the units of a network. A list is empty if the network has no such units.
type Pattern struct {
	f       *fabric.Fabric
	Servers *fabric.Servers
	At      [][]fabric.NodeID // by server: the switch of each cable, in order of adapter and port
	Level   []int32           // by node, as nodes.Levels, but switches with few servers are no leaves
	Leaves  []Unit            // leaves that share servers or are cross-linked, under other switches
	Pods    []Unit            // leaves that share servers; without rails, the parts of a tree of three levels below its roots
	Rails   bool              // leaves that share servers meet above
	Groups  []Unit            // of a Dragonfly, a Dragonfly+ or a full mesh; with rails, of pods under one level of spines
	Across  *GroupLinks       // the cables of groups that are cabled to each other, else nil
}

// New finds the servers of a network.
func New(f *fabric.Fabric) *Pattern {
	n := &Pattern{f: f, Servers: f.Servers()}
	n.At = make([][]fabric.NodeID, len(n.Servers.List))
	for i, s := range n.Servers.List {
		for _, adapter := range s.Adapters {
			for peer := range f.SwitchPeers(fabric.NodeID(adapter), nil) {
				n.At[i] = append(n.At[i], peer)
			}
		}
	}
	return n
}

// Find finds the units of a network by its cables alone, not by names. The cost is
// O(n log n) in nodes and cables, and that of groups.Find where switches with servers are joined to
// each other.
func (n *Pattern) Find() {
	leaves := n.findLeaves()
	if len(leaves) == 0 {
		return
	}
	n.Level = nodes.LevelsAbove(n.f, leaves)
	shared := n.sharing(leaves)
	n.Leaves = n.units(n.leafParts(shared))
	tops := n.units(n.podParts(shared))
	if withServers(tops) < 2 { // one pod is all of a network
		tops = nil
	}
	n.Groups = n.units(n.groupParts())
	if n.Groups != nil {
		n.Across = n.linksOfGroups()
	}
	switch n.Rails = n.areRails(); {
	case !n.Rails:
		n.Pods = tops
	case n.Across != nil:
		n.Pods = n.Leaves
	default:
		n.Pods, n.Groups = n.Leaves, tops
	}
	if n.Pods == nil && n.areShared(func(_, _ fabric.NodeID) bool { return true }) {
		n.Pods = n.Leaves
	}
}

// findLeaves lists the switches with servers. A switch with less than a quarter of the usual number
// is none: spines have a few servers in many clusters.
func (n *Pattern) findLeaves() []fabric.NodeID {
	ports := make([]int, len(n.f.Nodes))
	for _, at := range n.At {
		for _, s := range at {
			ports[s]++
		}
	}
	some := nodes.ByGUID(n.f, func(id fabric.NodeID) bool { return ports[id] > 0 })
	if len(some) == 0 {
		return nil
	}
	counts := make([]int, len(some))
	for i, id := range some {
		counts[i] = ports[id]
	}
	slices.Sort(counts)
	usual := counts[len(counts)/2]
	return slices.DeleteFunc(some, func(id fabric.NodeID) bool { return 4*ports[id] < usual })
}

// partition joins switches to parts.
type partition []fabric.NodeID // by node: another one of its part, or itself

func newPartition(nodes int) partition {
	p := make(partition, nodes)
	for i := range p {
		p[i] = fabric.NodeID(i)
	}
	return p
}

func (p partition) find(id fabric.NodeID) fabric.NodeID {
	for p[id] != id {
		p[id] = p[p[id]]
		id = p[id]
	}
	return id
}

func (p partition) join(a, b fabric.NodeID) { p[p.find(a)] = p.find(b) }

// count counts the parts of the switches for which is holds.
func (n *Pattern) count(p partition, is func(fabric.NodeID) bool) int {
	roots := map[fabric.NodeID]bool{}
	for id := range n.f.Nodes {
		if nodes.IsSwitch(n.f, fabric.NodeID(id)) && is(fabric.NodeID(id)) {
			roots[p.find(fabric.NodeID(id))] = true
		}
	}
	return len(roots)
}

func (n *Pattern) isLeaf(id fabric.NodeID) bool { return n.Level[id] == 0 }

// pair is two leaves.
type pair struct{ a, b fabric.NodeID }

// sharing returns the pairs of leaves that share at least half of the servers of the leaf with
// fewer. So the rails of a pod belong together, and so do a leaf and its share of a smaller plane.
// If that joins all leaves, because some have servers of all pods, half of the servers of the leaf
// with more must be shared.
func (n *Pattern) sharing(leaves []fabric.NodeID) []pair {
	of, together := map[fabric.NodeID]int{}, map[pair]int{}
	for _, at := range n.At {
		var mine []fabric.NodeID
		for _, s := range at {
			if n.isLeaf(s) && !slices.Contains(mine, s) {
				mine = append(mine, s)
			}
		}
		slices.Sort(mine)
		for i, a := range mine {
			of[a]++
			for _, b := range mine[i+1:] {
				together[pair{a, b}]++
			}
		}
	}
	joined := func(less func(...int) int) (out []pair) {
		for p, n := range together {
			if 2*n >= less(of[p.a], of[p.b]) {
				out = append(out, p)
			}
		}
		return out
	}
	fewer := joined(func(n ...int) int { return slices.Min(n) })
	p := newPartition(len(n.f.Nodes))
	p.joinPairs(fewer)
	if n.count(p, n.isLeaf) == 1 && len(leaves) > 1 {
		return joined(func(n ...int) int { return slices.Max(n) })
	}
	return fewer
}

func (p partition) joinPairs(pairs []pair) {
	for _, two := range pairs {
		p.join(two.a, two.b)
	}
}

// joinCables joins the switches of cables for which takes holds.
func (n *Pattern) joinCables(p partition, takes func(a, b fabric.NodeID) bool) {
	for i := range n.f.Links {
		if l := &n.f.Links[i]; n.f.IsSwitchLink(fabric.LinkID(i)) && takes(l.A.Node, l.B.Node) {
			p.join(l.A.Node, l.B.Node)
		}
	}
}

// leafParts joins leaves that share servers or have a cable between them. There are none if that
// leaves a single part although cables join leaves, as in a torus.
func (n *Pattern) leafParts(shared []pair) (partition, func(fabric.NodeID) bool) {
	p := newPartition(len(n.f.Nodes))
	p.joinPairs(shared)
	before := n.count(p, n.isLeaf)
	n.joinCables(p, func(a, b fabric.NodeID) bool { return n.isLeaf(a) && n.isLeaf(b) })
	if n.count(p, n.isLeaf) == 1 && before > 1 {
		return nil, nil
	}
	return p, n.isLeaf
}

// podParts removes the switches of the highest level from a tree of three levels or more, and joins
// what shares servers: planes have their pods in common. Where each rail is a tree that leaves a
// single part.
func (n *Pattern) podParts(shared []pair) (partition, func(fabric.NodeID) bool) {
	top := slices.Max(n.Level)
	if top < 2 {
		return nil, nil
	}
	is := func(id fabric.NodeID) bool { return n.Level[id] >= 0 && n.Level[id] < top }
	p := newPartition(len(n.f.Nodes))
	n.joinCables(p, func(a, b fabric.NodeID) bool { return is(a) && is(b) })
	p.joinPairs(shared)
	return p, is
}

// groupParts finds the groups of a direct network, or of a network whose spines are joined to each
// other.
func (n *Pattern) groupParts() (partition, func(fabric.NodeID) bool) {
	p := newPartition(len(n.f.Nodes))
	anySwitch := func(fabric.NodeID) bool { return true }
	if n.Leaves == nil {
		g := n.f.Compile()
		found, err := grouping.Find(g)
		if err != nil {
			return nil, nil
		}
		for _, members := range found.Members {
			first, _ := n.f.NodeByGUID(g.SwitchGUID[members[0]])
			for _, s := range members[1:] {
				id, _ := n.f.NodeByGUID(g.SwitchGUID[s])
				p.join(id, first)
			}
		}
		return p, anySwitch
	}
	n.joinCables(p, func(a, b fabric.NodeID) bool { return n.Level[a] != n.Level[b] || n.isLeaf(a) })
	linked := map[pair]bool{}
	for i := range n.f.Links {
		l := &n.f.Links[i]
		if a, b := p.find(l.A.Node), p.find(l.B.Node); n.f.IsSwitchLink(fabric.LinkID(i)) && a != b {
			linked[pair{min(a, b), max(a, b)}] = true
		}
	}
	if parts := n.count(p, anySwitch); parts < 3 || 8*len(linked) < 3*parts*(parts-1) {
		return nil, nil
	}
	return p, anySwitch
}

// units makes units of the parts of a partition, in order of their first switch.
func (n *Pattern) units(p partition, is func(fabric.NodeID) bool) (out []Unit) {
	if p == nil {
		return nil
	}
	of := map[fabric.NodeID]int{} // by root
	for _, id := range nodes.ByGUID(n.f, func(id fabric.NodeID) bool { return nodes.IsSwitch(n.f, id) && is(id) }) {
		u, known := of[p.find(id)]
		if !known {
			u = len(out)
			of[p.find(id)], out = u, append(out, Unit{Has: map[fabric.NodeID]bool{}})
		}
		out[u].Switches = append(out[u].Switches, id)
		out[u].Has[id] = true
		out[u].Down = out[u].Down || n.f.Nodes[id].Down
	}
	for server, at := range n.At {
		inside := map[int]int{}
		for _, s := range at {
			if u, known := of[p.find(s)]; known && out[u].Has[s] {
				inside[u]++
			}
		}
		for u, cables := range inside {
			if 2*cables > len(at) {
				out[u].Servers = append(out[u].Servers, int32(server))
			}
		}
	}
	for _, u := range out {
		slices.SortStableFunc(u.Switches, func(a, b fabric.NodeID) int { return cmp.Compare(n.Level[a], n.Level[b]) })
	}
	return out
}

func withServers(units []Unit) (n int) {
	for _, u := range units {
		if len(u.Servers) > 0 {
			n++
		}
	}
	return n
}

// areRails reports whether leaves that share servers meet in switches above them. Leaves of planes
// do not.
func (n *Pattern) areRails() bool {
	net := newPartition(len(n.f.Nodes))
	n.joinCables(net, func(_, _ fabric.NodeID) bool { return true })
	return n.areShared(func(a, b fabric.NodeID) bool { return net.find(a) == net.find(b) })
}

// areShared reports whether most units of leaves have a server with cables in two switches for
// which the function holds.
func (n *Pattern) areShared(holds func(a, b fabric.NodeID) bool) bool {
	many := 0
	for _, u := range n.Leaves {
		if slices.ContainsFunc(u.Servers, func(s int32) bool {
			at := slices.DeleteFunc(slices.Clone(n.At[s]), func(id fabric.NodeID) bool { return !u.Has[id] })
			return slices.ContainsFunc(at, func(id fabric.NodeID) bool { return id != at[0] && holds(id, at[0]) })
		}) {
			many++
		}
	}
	return 2*many > len(n.Leaves)
}

// Cables counts the cables of a unit's servers, and the unit's cables to each switch outside it.
func (n *Pattern) Cables(u *Unit) (ports int, outside map[fabric.NodeID]int) {
	outside = map[fabric.NodeID]int{}
	for _, s := range u.Switches {
		for peer := range n.f.SwitchPeers(s, nil) {
			if !u.Has[peer] {
				outside[peer]++
			}
		}
	}
	for _, server := range u.Servers {
		ports += len(n.At[server])
		for _, s := range n.At[server] {
			if !u.Has[s] {
				outside[s]++
			}
		}
	}
	return ports, outside
}

// Likeness counts the parts and cables of a unit; equal counts make units alike.
type Likeness struct{ Switches, Servers, Ports, Outside int }

// LikenessOf counts the parts and cables of a unit.
func (n *Pattern) LikenessOf(u *Unit) Likeness {
	ports, outside := n.Cables(u)
	l := Likeness{Switches: len(u.Switches), Servers: len(u.Servers), Ports: ports}
	for _, c := range outside {
		l.Outside += c
	}
	return l
}
