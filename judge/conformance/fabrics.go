package conformance

import (
	"fmt"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/racing"
)

// Case is a named fabric of the table.
type Case struct {
	Name  string
	Build func() (*fabric.Fabric, error)
}

// formulas are the fabrics of the table given by a formula.
var formulas = []string{
	"rlft(8,2)",
	"rlft(6,3)",
	"rlft(8,3)|fail(links=20,seed=1)",
	"xgft(2;4,4;2,2)",
	"xgft(3;3,3,3;1,2,3)",
	"pgft(2;4,4;1,2;1,2)",
	"karytree(3,3)",
	"mport(4,3)",
	"torus(5x4,hosts=2)",
	"torus(3x3x4,hosts=1)",
	"torus(2x2x2,hosts=1)",
	"mesh(4x3,hosts=2)",
	"hypercube(4,hosts=1)",
	"kautz(2,3,hosts=24)",
	"dragonfly(4,2,2)",
	"dragonfly(4,1,2,groups=5)|fail(links=2,seed=1)",
	"dragonflyplus(3,2,2,1)",
	"rail(3,4,2)",
	"rlft(4,2)|merge(rlft(4,3))",
	"rlft(6,2)|merge(rlft(4,3),at=leaves)",
	"hyperx(4x3,hosts=2)",
	"hyperx(3x3x3,hosts=1)|fail(links=6,seed=1)",
	"slimfly(5)",
	"fullmesh(6,hosts=3)",
	"random(switches=16,hosts=4,links=30,seed=1)",
	"irregular(switches=16,degree=8,hosts=64,seed=1)",
	"regular(switches=32,degree=4,hosts=4,seed=1)",
	"odin",
	"now-cab",
}

// Fabrics returns the table: formulas, and hand-made fabrics with one oddity each. With
// racing.Small it has a quarter of the formulas.
func Fabrics() []Case {
	var table []Case
	for i, expr := range formulas {
		if racing.Small() && i%4 > 0 {
			continue
		}
		table = append(table, Case{expr, func() (*fabric.Fabric, error) { return gen.Parse(expr) }})
	}
	for _, o := range odd {
		table = append(table, Case{o.name, func() (*fabric.Fabric, error) {
			b := &Builder{F: fabric.New(o.name)}
			o.build(b)
			return b.F, b.err
		}})
	}
	return table
}

// odd are the hand-made fabrics.
var odd = []struct {
	name  string
	build func(*Builder)
}{
	{"single switch", func(b *Builder) {
		b.Hosts(b.Switch(), 3)
	}},
	{"single switch without hosts", func(b *Builder) {
		b.Switch()
	}},
	{"two switches, parallel links", func(b *Builder) {
		s, t := b.Switch(), b.Switch()
		b.Links(s, t, 4)
		b.Hosts(s, 5)
		b.Hosts(t, 6)
	}},
	{"switch cabled to itself", func(b *Builder) {
		s, t := b.Switch(), b.Switch()
		b.Links(s, s, 2)
		b.Links(s, t, 2)
		b.Hosts(s, 2)
		b.Hosts(t, 2)
	}},
	{"disconnected parts", func(b *Builder) {
		b.ring(4, 2)
		b.ring(5, 1)
		b.Hosts(b.Switch(), 2)
		b.Switch()
	}},
	{"CAs with several ports", func(b *Builder) {
		ring := b.ring(5, 1)
		for _, s := range ring {
			ca := b.Node(fabric.CA, 2)
			b.Link(ca, s)
			b.Link(ca, s)
		}
	}},
	{"CAs on several switches", func(b *Builder) {
		ring := b.ring(6, 0)
		for i, s := range ring {
			ca := b.Node(fabric.CA, 2)
			b.Link(ca, s)
			b.Link(ca, ring[(i+2)%len(ring)])
		}
	}},
	{"CA between disconnected switches", func(b *Builder) {
		s, t := b.Switch(), b.Switch()
		ca := b.Node(fabric.CA, 2)
		b.Link(ca, s)
		b.Link(ca, t)
		b.Hosts(s, 1)
		b.Hosts(t, 1)
	}},
	{"routers as end ports", func(b *Builder) {
		for _, s := range b.ring(4, 1) {
			r := b.Node(fabric.Router, 2)
			b.Link(r, s)
		}
	}},
	{"drained switch", func(b *Builder) {
		ring := b.ring(6, 2)
		b.Links(ring[0], ring[3], 1)
		b.F.Nodes[ring[1]].Drained = true
	}},
	{"drained switch that cuts", func(b *Builder) {
		line := b.line(5, 1)
		b.F.Nodes[line[2]].Drained = true
	}},
	{"two drained neighbours", func(b *Builder) {
		ring := b.ring(6, 1)
		b.F.Nodes[ring[2]].Drained = true
		b.F.Nodes[ring[3]].Drained = true
	}},
	{"switches without hosts", func(b *Builder) {
		ring := b.ring(8, 0)
		b.Hosts(ring[2], 2)
		b.Hosts(ring[5], 1)
		b.Links(ring[0], ring[4], 2)
	}},
	{"line of 60 switches", func(b *Builder) {
		b.line(60, 1)
	}},
	{"down links", func(b *Builder) {
		ring := b.ring(7, 1)
		b.Links(ring[0], ring[3], 2)
		for id := range b.F.Links {
			if id%4 == 0 {
				b.F.SetLinkDown(fabric.LinkID(id), true)
			}
		}
	}},
	{"LIDs and LMCs as seen", func(b *Builder) {
		for i, s := range b.ring(4, 2) {
			b.F.Nodes[s].Ports[0].LID = fabric.LID(700 - 64*i)
		}
	}},
	{"hosts cabled to each other", func(b *Builder) {
		b.ring(3, 1)
		b.Link(b.Node(fabric.CA, 1), b.Node(fabric.CA, 1))
	}},
}

// Builder makes small fabrics by hand. It keeps the first error.
type Builder struct {
	F   *fabric.Fabric
	err error
}

// Node adds a node with a GUID of its own.
func (b *Builder) Node(t fabric.NodeType, ports int) fabric.NodeID {
	n := len(b.F.Nodes) + 1
	guid := fabric.GUID(0x10000*n + int(t))
	id, err := b.F.AddNode(t, guid, ports, fmt.Sprintf("%s %d", t, n))
	if err != nil {
		b.err = err
		return 0
	}
	for p := range b.F.Nodes[id].Ports {
		if t != fabric.Switch {
			b.F.Nodes[id].Ports[p].GUID = guid + fabric.GUID(p)
		}
	}
	return id
}

// Switch adds a switch with 36 ports.
func (b *Builder) Switch() fabric.NodeID { return b.Node(fabric.Switch, 36) }

// Link cables the lowest free ports of two nodes.
func (b *Builder) Link(x, y fabric.NodeID) {
	ends := [2]fabric.End{{Node: x}, {Node: y}}
	for i := range ends {
		for p := 1; p < len(b.F.Nodes[ends[i].Node].Ports); p++ {
			taken := i == 1 && ends[0] == fabric.End{Node: y, Port: uint8(p)}
			if b.F.Nodes[ends[i].Node].Ports[p].Link == fabric.NoLink && !taken {
				ends[i].Port = uint8(p)
				break
			}
		}
	}
	if _, err := b.F.Connect(ends[0], ends[1], 4, fabric.EDR); err != nil && b.err == nil {
		b.err = err
	}
}

// Links adds n parallel cables.
func (b *Builder) Links(x, y fabric.NodeID, n int) {
	for range n {
		b.Link(x, y)
	}
}

// Hosts puts n CAs on a switch.
func (b *Builder) Hosts(s fabric.NodeID, n int) {
	for range n {
		b.Link(b.Node(fabric.CA, 1), s)
	}
}

// line adds n switches in a row with some hosts each.
func (b *Builder) line(n, hosts int) []fabric.NodeID {
	var line []fabric.NodeID
	for i := range n {
		s := b.Switch()
		b.Hosts(s, hosts)
		if i > 0 {
			b.Link(line[i-1], s)
		}
		line = append(line, s)
	}
	return line
}

// ring adds n switches in a ring with some hosts each.
func (b *Builder) ring(n, hosts int) []fabric.NodeID {
	ring := b.line(n, hosts)
	b.Link(ring[n-1], ring[0])
	return ring
}
