package flow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/sim/traffic"
)

// Network is the forwarding of a Plan in a form that is fast to walk. Links are numbered as slots:
// slot PortStart[s]+p is port p of switch s, slot len(to)+h is the link from host h. It is
// immutable.
type Network struct {
	// Hosts are the end ports that have a LID; rank i is Hosts[i] unless shuffled.
	Hosts []int32

	g        *fabric.Graph
	lids     lidUse
	switches int
	columns  int
	next     []uint8 // by column, then switch: egress port; 0 if the path does not end at the host
	base     []int32 // by switch: slot of its port 0
	to       []int32 // by slot: switch behind it, or arrived
	hops     int     // links of the longest path, both host links included

	servers func() *traffic.Servers
}

// Servers returns the servers of the Graph; nil if each has one port.
func (n *Network) Servers() *traffic.Servers { return n.servers() }

// arrived stands for the host behind a slot.
const arrived int32 = -1

// New compiles the tables of a Plan. Its Choice names the LIDs that sources use; if they may use
// any, they use base LIDs alone, as most do. Entries that do not lead to the LID's own port (holes,
// loops, dead ports) are marked, so that walks need no checks. It fails if the Plan is for another
// Graph, or if ctx ends.
func New(ctx context.Context, g *fabric.Graph, p *route.Plan, workers int) (*Network, error) {
	by := p.Choice.By
	if by == route.AnyLID {
		by = route.BaseLID
	}
	return compile(ctx, g, p, by, workers)
}

// Meter compiles several Plans for one Graph. What depends on the Graph alone is found once.
type Meter struct {
	g       *fabric.Graph
	servers func() *traffic.Servers
}

// NewMeter returns a Meter for a Graph.
func NewMeter(g *fabric.Graph) *Meter {
	return &Meter{g: g, servers: sync.OnceValue(func() *traffic.Servers { return traffic.ServersOf(g) })}
}

// Network compiles a Plan as New does.
func (m *Meter) Network(ctx context.Context, p *route.Plan, workers int) (*Network, error) {
	n, err := New(ctx, m.g, p, workers)
	if err == nil {
		n.servers = m.servers
	}
	return n, err
}

// NewSpread compiles a Plan that lets sources use any LID: they spread every flow evenly over the
// LIDs of its target. It returns nil for other Plans, and if no host has more than one LID.
func NewSpread(ctx context.Context, g *fabric.Graph, p *route.Plan, workers int) (*Network, error) {
	for h := range int32(min(g.NumHosts, len(p.Ends.Base), len(p.Ends.LMC))) {
		if p.Choice.By == route.AnyLID && p.Ends.Count(h) > 1 {
			return compile(ctx, g, p, route.AnyLID, workers)
		}
	}
	return nil, nil
}

func compile(ctx context.Context, g *fabric.Graph, p *route.Plan, by route.ChoiceBy, workers int) (*Network, error) {
	if p.Tables.NumSwitches() != g.NumSwitches || len(p.Ends.Base) != g.NumEnds {
		return nil, fmt.Errorf("flow: the plan has %d switches and %d end ports, the fabric %d and %d",
			p.Tables.NumSwitches(), len(p.Ends.Base), g.NumSwitches, g.NumEnds)
	}
	if err := checkChoice(g, p); err != nil {
		return nil, err
	}
	n := &Network{
		g: g, switches: g.NumSwitches, base: g.PortStart, to: make([]int32, len(g.Attached)),
		lids:    lidUse{by: by, plan: p, parts: 1, first: make([]int32, g.NumHosts)},
		servers: sync.OnceValue(func() *traffic.Servers { return traffic.ServersOf(g) }),
	}
	for slot, what := range g.Attached {
		n.to[slot] = arrived
		if what >= 0 {
			n.to[slot] = g.To[what]
		}
	}
	byLID := n.number(&p.Ends)
	n.next = make([]uint8, n.columns*n.switches)
	hops := make([]int, p.Tables.NumBlocks())
	depths := make([][]int32, max(workers, 1))
	err := par.For(ctx, workers, len(hops), func(worker, block int) error {
		if depths[worker] == nil {
			depths[worker] = make([]int32, 2*n.switches)
		}
		hops[block] = n.fill(p.Tables, byLID, block, depths[worker])
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, h := range hops {
		n.hops = max(n.hops, h+1)
	}
	return n, nil
}

// lidUse describes the LIDs that sources use for a target.
type lidUse struct {
	by    route.ChoiceBy // AnyLID: all LIDs, in equal parts
	plan  *route.Plan
	parts int     // parts of a flow that is spread: the largest number of LIDs of a host; else 1
	first []int32 // by host: column of its base LID; the columns of its other LIDs follow
}

// column returns the column that a source uses for a part of a flow to a target.
func (u *lidUse) column(src, dst int32, part int) int32 {
	ends, offset := &u.plan.Ends, 0
	switch u.by {
	case route.BaseLID:
	case route.AnyLID:
		offset = part % ends.Count(dst)
	case route.HashedLID:
		offset = int(route.HashedOffset(ends.Base[src], ends.LMC[src], ends.Count(dst)))
	case route.ListedLIDs:
		offset = int(u.plan.Choice.Offsets(src, dst)[0])
	}
	return u.first[dst] + int32(offset)
}

// allSend reports whether every source uses every LID that has a column.
func (u *lidUse) allSend() bool { return u.by == route.AnyLID || u.by == route.BaseLID }

// checkChoice returns an error if a row names a LID that its target does not have.
func checkChoice(g *fabric.Graph, p *route.Plan) error {
	c := &p.Choice
	if c.By != route.ListedLIDs {
		return nil
	}
	if len(c.Start) != g.NumEnds+1 {
		return fmt.Errorf("flow: the plan's choice of LIDs is for %d sources, the fabric has %d", len(c.Start)-1, g.NumEnds)
	}
	for i, target := range c.Target {
		if target < 0 || int(target) >= g.NumEnds || int(c.Offset[i]) >= max(p.Ends.Count(target), 1) {
			return fmt.Errorf("flow: the plan's choice names LID %d of end port %d, which it does not have", c.Offset[i], target)
		}
	}
	return nil
}

// columnOf pairs a column with the host that its LID names.
type columnOf struct{ column, host int32 }

// number numbers the LIDs that sources may use, by host: the base LIDs, or all. It returns the
// columns of each LID.
func (n *Network) number(ends *route.Ends) (byLID [][]columnOf) {
	byLID = make([][]columnOf, int(ends.Top())/route.BlockSize*route.BlockSize+route.BlockSize)
	for h := range int32(n.g.NumHosts) {
		lids := ends.Count(h)
		if lids == 0 || !n.g.IsHost(h) {
			continue
		}
		switch n.lids.by {
		case route.BaseLID:
			lids = 1
		case route.AnyLID:
			n.lids.parts = max(n.lids.parts, lids)
		case route.HashedLID, route.ListedLIDs:
		}
		n.Hosts = append(n.Hosts, h)
		n.lids.first[h] = int32(n.columns)
		for k := range lids {
			lid := int(ends.Base[h]) + k
			byLID[lid] = append(byLID[lid], columnOf{int32(n.columns + k), h})
		}
		n.columns += lids
	}
	return byLID
}

// fill copies one block of LIDs of all switches into columns and cleans them. It returns the number
// of links of the longest path from a switch.
func (n *Network) fill(t *route.Tables, byLID [][]columnOf, block int, scratch []int32) int {
	lo := block * route.BlockSize
	if lo >= len(byLID) {
		return 0
	}
	lids := byLID[lo : lo+route.BlockSize]
	for s := range n.switches {
		entries := t.Block(int32(s), block)
		for i, columns := range lids {
			for _, c := range columns {
				n.next[int(c.column)*n.switches+s] = entries[i]
			}
		}
	}
	hops := 0
	for _, columns := range lids {
		for _, c := range columns {
			hops = max(hops, n.clean(n.column(c.column), c.host, scratch))
		}
	}
	return hops
}

// column returns the next hops to one LID, by switch.
func (n *Network) column(c int32) []uint8 {
	return n.next[int(c)*n.switches : int(c+1)*n.switches]
}

// ByLeaf lists the Hosts by switch and port: neighbours in the list share a leaf,
// whatever their GUIDs.
func (n *Network) ByLeaf() []int32 {
	hosts := slices.Clone(n.Hosts)
	slices.SortFunc(hosts, func(a, b int32) int {
		return cmp.Or(cmp.Compare(n.g.EndSwitch[a], n.g.EndSwitch[b]), cmp.Compare(n.g.EndPort[a], n.g.EndPort[b]))
	})
	return hosts
}

// Values of depth while a column is cleaned; others count the links to the host.
const (
	unseen    int32 = 0
	underWay  int32 = -1
	misrouted int32 = -2
)

// clean sets an entry to 0 if packets from its switch do not reach the host, and returns the number
// of links of the longest path. scratch has room for two numbers a switch.
func (n *Network) clean(column []uint8, host int32, scratch []int32) int {
	depth, stack := scratch[:n.switches], scratch[n.switches:]
	clear(depth)
	most := int32(0)
	for start := range int32(n.switches) {
		top, links := 0, int32(0)
		for s := start; ; {
			if depth[s] != unseen {
				links = depth[s]
				break
			}
			depth[s] = underWay
			stack[top] = s
			top++
			c, h := n.g.At(s, column[s])
			if c < 0 {
				if links = misrouted; h == host {
					links = 0
				}
				break
			}
			s = n.g.To[c]
		}
		for top--; top >= 0; top-- {
			s := stack[top]
			if links < 0 {
				depth[s], column[s] = misrouted, 0
				continue
			}
			links++
			depth[s] = links
			most = max(most, links)
		}
	}
	return int(most)
}

// links returns the number of link slots.
func (n *Network) links() int { return len(n.to) + n.g.NumHosts }
