package choose

import (
	"strconv"
	"strings"
)

// hyperXDims and torusDims limit the dimensions: more cannot be cabled by hand.
const hyperXDims, torusDims = 4, 3

// grid is a search for the sizes of dimensions, from the smallest on.
type grid struct {
	hosts, radix int
	ratio        float64
	best         smallest
	name         string
	least        int                                         // smallest size
	maxSpread    int                                         // largest difference of two sizes
	cables       func(sizes []int, width int) int            // of a switch
	load         func(sizes []int, width, hosts int) float64 // of the busiest channel, for so many hosts on a switch
}

// search tries all sizes that begin with the given ones.
func (g *grid) search(sizes []int, product, dims int) {
	if len(sizes) == dims {
		for width := 1; g.cables(sizes, width) < g.radix; width++ {
			g.try(sizes, product, width)
		}
		return
	}
	first := g.least
	if len(sizes) > 0 {
		first = sizes[len(sizes)-1]
	}
	for size := first; g.cables(append(sizes, size), 1) < g.radix; size++ {
		switches := product * size
		for range dims - len(sizes) - 1 {
			switches *= size // at least
		}
		if len(sizes) > 0 && size > sizes[0]+g.maxSpread || switches > g.hosts || g.best.formula != "" && switches > g.best.switches {
			return
		}
		g.search(append(sizes, size), product*size, dims)
	}
}

// try keeps the network of these sizes if it holds the hosts and is smaller.
func (g *grid) try(sizes []int, switches, width int) {
	perSwitch := ceilDiv(g.hosts, switches)
	cables := switches * g.cables(sizes, width)
	load := g.load(sizes, width, perSwitch)
	if perSwitch > g.radix-g.cables(sizes, width) || load > g.ratio+1e-9 || !g.best.beats(switches, cables) {
		return
	}
	words := make([]string, len(sizes))
	for i, size := range sizes {
		words[i] = strconv.Itoa(size)
	}
	formula := g.name + "(" + strings.Join(words, "x") + ",hosts=" + strconv.Itoa(perSwitch)
	if width > 1 {
		formula += ",width=" + strconv.Itoa(width)
	}
	g.best.try(switches, cables, load, "%s)", formula)
}

// hyperX returns the smallest HyperX of two dimensions or more.
func hyperX(n need) smallest {
	return allToAll("hyperx", 2, hyperXDims, 3, n)
}

// fullMesh returns the smallest network with a cable between any two switches.
func fullMesh(n need) smallest {
	best := allToAll("fullmesh", 1, 1, 2, n)
	best.between, best.groups = best.load, best.switches
	return best
}

// allToAll returns the smallest network of from to to dimensions. In each dimension at least least
// switches are all joined.
func allToAll(name string, from, to, least int, n need) smallest {
	g := &grid{hosts: n.hosts, radix: n.radix, ratio: n.ratio, name: name, least: least, maxSpread: n.radix}
	g.cables = func(sizes []int, width int) (cables int) {
		for _, size := range sizes {
			cables += (size - 1) * width
		}
		return cables
	}
	g.load = func(sizes []int, width, hosts int) float64 { return quotient(hosts, sizes[0]*width) }
	for dims := from; dims <= to; dims++ {
		g.search(nil, 1, dims)
	}
	return g.best
}

// torus returns the smallest torus of two or three dimensions, with rings of nearly one size.
func torus(n need) smallest {
	g := &grid{hosts: n.hosts, radix: n.radix, ratio: n.ratio, name: "torus", least: 3, maxSpread: 2} // a ring of two has one cable where a switch has ports for two
	g.cables = func(sizes []int, width int) int { return 2 * len(sizes) * width }
	g.load = func(sizes []int, width, hosts int) float64 { return quotient(hosts*sizes[len(sizes)-1], 8*width) }
	for dims := 2; dims <= torusDims; dims++ {
		g.search(nil, 1, dims)
	}
	return g.best
}
