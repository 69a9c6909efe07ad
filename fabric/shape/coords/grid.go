package coords

import (
	"fmt"
	"slices"

	"weft/fabric"
)

// Part is a connected part of a network. Its switches are numbered by their order in the Graph.
type Part struct {
	G        *fabric.Graph
	Switches []int32 // numbers in the Graph, ascending
	Local    []int32 // by switch of the Graph: its number in the part
}

// Parts lists the connected parts of a network, in order of their first switch.
func Parts(g *fabric.Graph) []Part {
	of, n := g.Components()
	parts, local := make([]Part, n), make([]int32, g.NumSwitches)
	for s, i := range of {
		local[s] = int32(len(parts[i].Switches))
		parts[i] = Part{g, append(parts[i].Switches, int32(s)), local}
	}
	return parts
}

// Grid is a part of a network with coordinates. Places without a switch, and neighbours without a
// link, are holes.
type Grid struct {
	Part
	Box
	stride []int32 // by dimension: difference in rank of neighbours
	rank   []int32 // by switch: its coordinates as a number, the first dimension fastest
	at     []int32 // by rank: switch, -1 for none
	start  []int32 // by link group: its channels are links[start[k]:start[k+1]]
	links  []int32
}

// NewGrid assigns coordinates to the switches of a part. It fails if a link joins switches that are
// not neighbours. Dimensions of length 1 are dropped. Index completes the Grid.
func NewGrid(part Part, places [][]int32) (*Grid, error) {
	m := &Grid{Part: part, Box: newBox(places)}
	for s, sw := range m.Switches {
		for _, c := range m.G.OutOf(sw) {
			t := m.Local[m.G.To[c]]
			if t == int32(s) {
				continue
			}
			if !m.addLink(int32(s), t) {
				return nil, fmt.Errorf("%s and %s are linked but no neighbours", m.Name(int32(s)), m.Name(t))
			}
		}
	}
	return m, nil
}

// Index builds the tables for Moved and Links. At most half of the places may be holes.
func (m *Grid) Index() error {
	n := 1
	for _, size := range m.Size {
		m.stride = append(m.stride, int32(n))
		if n *= int(size); n > 2*len(m.Switches)+2 {
			return fmt.Errorf("most places of the grid around %s have no switch", m.Name(0))
		}
	}
	m.at = slices.Repeat([]int32{-1}, n)
	for s := range m.Switches {
		r := int32(0)
		for i, x := range m.Coords(int32(s)) {
			r += x * m.stride[i]
		}
		m.rank = append(m.rank, r)
		m.at[r] = int32(s)
	}
	m.start = make([]int32, 1, 2*len(m.Switches)*m.Dims+1)
	by := make([][]int32, 2*m.Dims)
	for s, sw := range m.Switches {
		for k := range by {
			by[k] = by[k][:0]
		}
		for _, c := range m.G.OutOf(sw) {
			if dim, dir, ok := m.Direction(int32(s), m.Local[m.G.To[c]]); ok {
				by[2*dim+dir] = append(by[2*dim+dir], c)
			}
		}
		for _, channels := range by {
			m.links = append(m.links, channels...)
			m.start = append(m.start, int32(len(m.links)))
		}
	}
	return nil
}

// GridShare returns the share of the links of a mesh or torus that are there, of several parts
// together. It is 0 if a part is neither, or if most of its places have no switch.
func GridShare(g *fabric.Graph) float64 {
	linked, pairs := 0, 0
	parts := Parts(g)
	for _, part := range parts {
		m, err := Find(part, func(places [][]int32) (*Grid, error) { return NewGrid(part, places) })
		if err != nil || m.Index() != nil {
			return 0
		}
		for s := range int32(len(m.Switches)) {
			for dim := range m.Dims {
				for dir := range 2 {
					if y, ok := m.Next(dim, m.Coords(s)[dim], dir); ok {
						pairs++
						if m.Moved(s, dim, y) >= 0 && len(m.Links(m.LinkGroup(s, dim, dir))) > 0 {
							linked++
						}
					}
				}
			}
		}
	}
	return shareOf(linked, pairs, len(parts))
}

// shareOf returns the share of linked pairs: 1 if there are no pairs, 0 if there are no parts.
func shareOf(linked, pairs, parts int) float64 {
	switch {
	case parts == 0:
		return 0
	case pairs == 0:
		return 1
	}
	return float64(linked) / float64(pairs)
}

// LinkGroup returns the number of the link group from s in a dimension and direction: links between
// the same two switches.
func (m *Grid) LinkGroup(s int32, dim, dir int) int32 {
	return 2*(s*int32(m.Dims)+int32(dim)) + int32(dir)
}

// NumLinkGroups returns the number of link groups, including empty ones.
func (m *Grid) NumLinkGroups() int { return len(m.start) - 1 }

// Links lists the channels of a link group, by port.
func (m *Grid) Links(group int32) []int32 { return m.links[m.start[group]:m.start[group+1]] }

// FirstLink returns the number of the first channel of a link group, counted over all groups.
func (m *Grid) FirstLink(group int32) int32 { return m.start[group] }

// Beside returns the switch next to s, -1 if there is none.
func (m *Grid) Beside(s int32, dim, dir int) int32 {
	if y, ok := m.Next(dim, m.Coords(s)[dim], dir); ok {
		return m.Moved(s, dim, y)
	}
	return -1
}

// Moved returns the switch with another coordinate in one dimension, -1 if there is none.
func (m *Grid) Moved(s int32, dim int, to int32) int32 {
	return m.at[m.rank[s]+(to-m.Coords(s)[dim])*m.stride[dim]]
}

// Name names a switch with its coordinates.
func (m *Grid) Name(s int32) string {
	return fmt.Sprintf("%s at %s", fabric.SwitchName(m.G, m.Switches[s]), Format(m.Coords(s)))
}
