package torus

import (
	"fmt"

	"weft/fabric"
	"weft/route"
	"weft/route/engine/internal/coords"
)

const (
	up   = coords.Up
	down = coords.Down
)

// datelineFrom is the least length of a ring that needs a dateline.
const datelineFrom = 4

// torus is one connected part with its coordinates, and with holes where links or
// switches are missing. Switches are numbered within the part, by their order in
// the Graph.
//
// A place of a link is 2*(s*Dims+dim)+dir: from s in a dimension and direction.
type torus struct {
	g     *fabric.Graph
	sw    []int32 // the switches as the Graph numbers them
	local []int32 // number in the part of every switch of the Graph
	coords.Box
	step []int32 // difference in rank of neighbours in a dimension
	rank []int32 // of a switch: its coordinates as a number, the first dimension fastest
	at   []int32 // by rank: switch, -1 where none is

	ports [][]uint8 // by place of a link: ports that lead there
	open  []int32   // by place: steps that can be taken over switches that let through
	reach []int32   // by place: and one more if a switch that lets nothing through follows
	hops  []uint8   // hops[d*len(sw)+s]: 2*dim+dir of the link that s takes towards d
	turns bool      // whether a path takes dimensions against their order
}

// find gives coordinates to a part; those of the graph it has only when nothing is missing.
func find(g *fabric.Graph, local, sw []int32) (*torus, error) {
	m, err := coords.Find(g, local, sw, func(places [][]int32) (*torus, error) { return newTorus(g, local, sw, places) })
	if err != nil {
		return nil, route.Refuse(Name, useOther, "not a torus: %v", err)
	}
	return m, nil
}

func newTorus(g *fabric.Graph, local, sw []int32, places [][]int32) (*torus, error) {
	m := &torus{g: g, sw: sw, local: local, Box: coords.NewBox(places)}
	if err := m.setRanks(); err != nil {
		return nil, err
	}
	if err := m.setLinks(); err != nil {
		return nil, err
	}
	m.setSteps()
	return m, nil
}

// setRanks fills the box of all places. At most every second may be empty.
func (m *torus) setRanks() error {
	n := 1
	for _, k := range m.Size {
		m.step = append(m.step, int32(n))
		if n *= int(k); n > 2*len(m.sw)+2 {
			return fmt.Errorf("most places of the box of %s and the others have no switch", m.name(0))
		}
	}
	m.at = make([]int32, n)
	for r := range m.at {
		m.at[r] = -1
	}
	for s := range m.sw {
		r := int32(0)
		for i, x := range m.Coords(int32(s)) {
			r += x * m.step[i]
		}
		m.rank = append(m.rank, r)
		m.at[r] = int32(s)
	}
	return nil
}

// setLinks sorts the links by place. It refuses those between switches that are no
// neighbours, and notes which dimensions wrap.
func (m *torus) setLinks() error {
	m.ports = make([][]uint8, 2*len(m.sw)*m.Dims)
	for s, sw := range m.sw {
		for _, c := range m.g.OutOf(sw) {
			t := m.local[m.g.To[c]]
			if t == int32(s) {
				continue
			}
			dim, dir, ok := m.Link(int32(s), t)
			if !ok {
				return fmt.Errorf("%s and %s are linked but no neighbours", m.name(int32(s)), m.name(t))
			}
			k := m.place(int32(s), dim, dir)
			m.ports[k] = append(m.ports[k], m.g.FromPort[c])
		}
	}
	return nil
}

// setSteps counts how far one comes from each switch in each direction.
func (m *torus) setSteps() {
	m.open = make([]int32, len(m.ports))
	m.reach = make([]int32, len(m.ports))
	for k := range m.ports {
		dim, dir := k/2%m.Dims, k%2
		for s := int32(k / 2 / m.Dims); m.open[k] < m.Size[dim] && len(m.ports[m.place(s, dim, dir)]) > 0; {
			s = m.beside(s, dim, dir)
			m.reach[k] = m.open[k] + 1
			if !m.through(s) {
				break
			}
			m.open[k]++
		}
	}
}

// place is the place of the link from s in a dimension and direction.
func (m *torus) place(s int32, dim, dir int) int32 {
	return 2*(s*int32(m.Dims)+int32(dim)) + int32(dir)
}

// beside is the switch next to s, -1 when there is none.
func (m *torus) beside(s int32, dim, dir int) int32 {
	x := m.Coords(s)[dim]
	switch y := x + 1 - 2*int32(dir); {
	case y >= 0 && y < m.Size[dim]:
		return m.moved(s, dim, y)
	case m.Wrap[dim]:
		return m.moved(s, dim, m.Size[dim]-1-x)
	}
	return -1
}

// moved is the switch with another coordinate in one dimension, -1 when there is none.
func (m *torus) moved(s int32, dim int, to int32) int32 {
	return m.at[m.rank[s]+(to-m.Coords(s)[dim])*m.step[dim]]
}

// through tells whether a switch is there and lets traffic through.
func (m *torus) through(s int32) bool { return s >= 0 && !m.g.Drained[m.sw[s]] }

// name names a switch with its coordinates.
func (m *torus) name(s int32) string {
	return fmt.Sprintf("%s at %s", route.SwitchName(m.g, m.sw[s]), coords.Place(m.Coords(s)))
}
