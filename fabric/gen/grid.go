package gen

import (
	"strconv"
	"strings"

	"weft/fabric"
)

// grid is a direct network with switches named by coordinates.
type grid struct {
	sizes []int
	width int // parallel cables
	hosts int // hosts of each switch
	most  Limits
}

func gridOf(a *args) grid { return grid{a.ints("sizes"), a.int("width"), a.int("hosts"), a.most} }

// coordinates writes the coordinates of switch s to c; the last dimension varies fastest.
func (g grid) coordinates(s int, c []int) {
	for d := len(g.sizes) - 1; d >= 0; d-- {
		c[d] = s % g.sizes[d]
		s /= g.sizes[d]
	}
}

// stride returns the distance in numbers between neighbours of dimension d.
func (g grid) stride(d int) int { return mul(g.sizes[d+1:]...) }

// switches creates all switches; links is the number of their ports for links.
func (g grid) switches(b *builder, links int) []fabric.NodeID {
	ids := make([]fabric.NodeID, mul(g.sizes...))
	c := make([]int, len(g.sizes))
	for s := range ids {
		g.coordinates(s, c)
		ids[s] = b.add(max(links+g.hosts, 1), "switch "+tuple(c))
	}
	return ids
}

func tuple(c []int) string {
	s := make([]string, len(c))
	for i, v := range c {
		s[i] = strconv.Itoa(v)
	}
	return "(" + strings.Join(s, ",") + ")"
}

// finish adds the hosts, on the ports after the links.
func (g grid) finish(b *builder, ids []fabric.NodeID, links int) (*fabric.Fabric, error) {
	b.spread(ids, mul(len(ids), g.hosts), links+1)
	return b.done()
}

func (g grid) fits(links, perSwitch int) error {
	n := mul(g.sizes...)
	return size{n, perSwitch + g.hosts, mul(n, g.hosts), links + mul(n, g.hosts)}.fits(g.most)
}

// torusOrMesh builds a torus (wrap) or mesh. A ring of two is one cable, a ring of one none.
func torusOrMesh(g grid, wrap bool) (*fabric.Fabric, error) {
	links := mul(2, len(g.sizes), g.width)
	if err := g.fits(mul(mul(g.sizes...), len(g.sizes), g.width), links); err != nil {
		return nil, err
	}
	b := newBuilder()
	ids := g.switches(b, links)
	c := make([]int, len(g.sizes))
	for s, id := range ids {
		g.coordinates(s, c)
		for d, n := range g.sizes {
			next := s + g.stride(d)
			if c[d] == n-1 {
				if !wrap || n < 3 {
					continue
				}
				next = s - (n-1)*g.stride(d)
			}
			plus := 2*d*g.width + 1
			for k := range g.width {
				b.link(id, plus+k, ids[next], plus+g.width+k)
			}
		}
	}
	return g.finish(b, ids, links)
}

func torus(a *args) (*fabric.Fabric, error) { return torusOrMesh(gridOf(a), true) }

func mesh(a *args) (*fabric.Fabric, error) { return torusOrMesh(gridOf(a), false) }

func hypercube(a *args) (*fabric.Fabric, error) {
	g := grid{width: a.int("width"), hosts: a.int("hosts"), most: a.most}
	for range a.int("n") {
		g.sizes = append(g.sizes, 2)
	}
	return allToAll(g)
}

func hyperx(a *args) (*fabric.Fabric, error) { return allToAll(gridOf(a)) }

func fullmesh(a *args) (*fabric.Fabric, error) {
	return allToAll(grid{[]int{a.int("n")}, a.int("width"), a.int("hosts"), a.most})
}

// allToAll joins all switches that differ in one coordinate. Ports are ordered by dimension, and
// then by the other switch's coordinate.
func allToAll(g grid) (*fabric.Fabric, error) {
	links, cables := 0, 0
	for _, n := range g.sizes {
		links += mul(n-1, g.width)
		cables += mul(mul(g.sizes...), n-1, g.width)
	}
	if err := g.fits(cables/2, links); err != nil {
		return nil, err
	}
	b := newBuilder()
	ids := g.switches(b, links)
	c := make([]int, len(g.sizes))
	for s, id := range ids {
		g.coordinates(s, c)
		first := 1
		for d, n := range g.sizes {
			for to := c[d] + 1; to < n; to++ {
				for k := range g.width {
					b.link(id, first+(to-1)*g.width+k, ids[s+(to-c[d])*g.stride(d)], first+c[d]*g.width+k)
				}
			}
			first += (n - 1) * g.width
		}
	}
	return g.finish(b, ids, links)
}
