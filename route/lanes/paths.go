package lanes

import (
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/internal/cdg"
)

// Paths holds the paths of forwarding tables, by pairs of classes of end ports.
type Paths struct {
	Graph   *fabric.Graph
	Index   *cdg.Index // numbers the edges
	Tables  *route.Tables
	Workers int

	Home     []int32        // by class: its switch
	LIDs     [][]fabric.LID // by class: LIDs whose trees are followed
	Followed []int32        // by LID of whole blocks: its class if its tree is followed, else -1

	class   []int32 // by end port; 0 for ports without a LID, which send nothing
	classOf []int32 // by LID, -1 without an owner
	atStart []int32 // classes at a switch: at[atStart[s]:atStart[s+1]]
	at      []int32
}

// maxCells is the maximum number of SL cells, two a byte, if every end port is a class: 128 MiB.
const maxCells = 1 << 28

// ByEnd makes every end port a class, as long as the SLs then fit into 128 MiB (16,384 end ports);
// beyond that it is BySwitch.
func ByEnd(in *route.Input, tables *route.Tables) *Paths {
	n := len(in.Ends.Base)
	if n*n > maxCells {
		return BySwitch(in, tables)
	}
	class := fabric.Numbers(n)
	return newPaths(in, tables, class, in.Graph.EndSwitch, nil)
}

// BySwitch makes two classes a switch: its hosts, and its port 0 with its aggregation nodes.
func BySwitch(in *route.Input, tables *route.Tables) *Paths {
	g := in.Graph
	class := make([]int32, g.NumEnds)
	home := make([]int32, 2*g.NumSwitches)
	for end := range class {
		s := g.EndSwitch[end]
		class[end] = 2 * s
		if !g.IsHost(int32(end)) {
			class[end]++
		}
	}
	for c := range home {
		home[c] = int32(c / 2)
	}
	return newPaths(in, tables, class, home, nil)
}

// ByTree makes a class of every switch with its hosts, and follows only some LIDs (by LID): the
// other LIDs of a switch must take the same channels as one of these.
func ByTree(in *route.Input, tables *route.Tables, followed []bool) *Paths {
	g := in.Graph
	home := fabric.Numbers(g.NumSwitches)
	return newPaths(in, tables, g.EndSwitch, home, followed)
}

// WithoutSwitches leaves out the paths from and to port 0 of every switch, which the paper does not
// layer; those packets are then not safe. It must not follow ByTree, which has them in one class
// with hosts.
func (p *Paths) WithoutSwitches() *Paths {
	for _, c := range p.class[len(p.class)-p.Graph.NumSwitches:] {
		for _, lid := range p.LIDs[c] {
			p.Followed[lid] = -1
		}
		p.LIDs[c] = nil
	}
	p.placeClasses()
	return p
}

// newPaths prepares the classes; followed marks the followed LIDs, nil for all.
func newPaths(in *route.Input, tables *route.Tables, class, home []int32, followed []bool) *Paths {
	p := &Paths{
		Graph: in.Graph, Index: cdg.NewIndex(in.Graph), Tables: tables, Workers: max(1, in.Workers),
		Home: home, class: class, classOf: in.Ends.ByLID(),
	}
	p.LIDs = make([][]fabric.LID, len(home))
	p.Followed = slices.Repeat([]int32{-1}, tables.NumBlocks()*route.BlockSize)
	for lid, end := range p.classOf {
		if end < 0 {
			continue
		}
		c := class[end]
		p.classOf[lid] = c
		if followed == nil || followed[lid] {
			p.LIDs[c] = append(p.LIDs[c], fabric.LID(lid))
			p.Followed[lid] = c
		}
	}
	p.placeClasses()
	return p
}

// placeClasses lists the classes with LIDs by switch.
func (p *Paths) placeClasses() {
	p.atStart = make([]int32, p.Graph.NumSwitches+1)
	for c, s := range p.Home {
		if len(p.LIDs[c]) > 0 {
			p.atStart[s+1]++
		}
	}
	for s := range p.Graph.NumSwitches {
		p.atStart[s+1] += p.atStart[s]
	}
	p.at = make([]int32, p.atStart[p.Graph.NumSwitches])
	next := append([]int32(nil), p.atStart...)
	for c, s := range p.Home {
		if len(p.LIDs[c]) > 0 {
			p.at[next[s]] = int32(c)
			next[s]++
		}
	}
}

// ClassesAt lists the classes at a switch.
func (p *Paths) ClassesAt(s int32) []int32 { return p.at[p.atStart[s]:p.atStart[s+1]] }

// Next returns the output channel of switch s for a LID, or a negative number.
func (p *Paths) Next(s int32, lid fabric.LID) int32 {
	port := p.Tables.Port(s, lid)
	if port == route.NoPort {
		return fabric.Nothing
	}
	c, _ := p.Graph.At(s, port)
	return c
}

// Edges lists the edges of all paths of a pair, both ways.
func (p *Paths) Edges(a, b int32, into []cdg.Edge) []cdg.Edge {
	for _, lid := range p.LIDs[b] {
		into = p.EdgesTo(p.Home[a], lid, into)
	}
	for _, lid := range p.LIDs[a] {
		into = p.EdgesTo(p.Home[b], lid, into)
	}
	return into
}

// EdgesTo lists the edges of the path from switch s to a LID.
func (p *Paths) EdgesTo(s int32, lid fabric.LID, into []cdg.Edge) []cdg.Edge {
	for c := p.Next(s, lid); c >= 0; {
		d := p.Next(p.Graph.To[c], lid)
		if d >= 0 {
			into = append(into, cdg.Edge{C: c, D: d})
		}
		c = d
	}
	return into
}

// pairs visits all pairs of classes on different switches.
func (p *Paths) pairs(visit func(a, b int32)) {
	for i, a := range p.at {
		for _, b := range p.at[i+1:] {
			if p.Home[a] != p.Home[b] {
				visit(a, b)
			}
		}
	}
}

// ordered visits these pairs in both directions.
func (p *Paths) ordered(visit func(a, b int32)) {
	p.pairs(func(a, b int32) {
		visit(a, b)
		visit(b, a)
	})
}
