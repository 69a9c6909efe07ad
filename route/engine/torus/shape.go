package torus

import (
	"weft/fabric/shape/coords"
	"weft/route"
)

// torus is one connected part with its coordinates, and with holes where links or
// switches are missing.
type torus struct {
	*coords.Grid
	open  []int32 // by link group: steps that can be taken over switches that let through
	reach []int32 // by link group: and one more if a switch that lets nothing through follows
	hops  []uint8 // hops[d*len(Switches)+s]: 2*dim+dir of the link that s takes towards d
	turns bool    // whether a path takes dimensions against their order
}

// find gives coordinates to a part; those of the graph it has only when nothing is missing.
func find(part coords.Part) (*torus, error) {
	m, err := coords.Find(part, func(places [][]int32) (*torus, error) { return newTorus(part, places) })
	if err != nil {
		return nil, route.Refuse(Name, "", "not a torus: %v", err)
	}
	return m, nil
}

func newTorus(part coords.Part, places [][]int32) (*torus, error) {
	grid, err := coords.NewGrid(part, places)
	if err != nil {
		return nil, err
	}
	m := &torus{Grid: grid}
	if err := m.Index(); err != nil {
		return nil, err
	}
	m.setSteps()
	return m, nil
}

// setSteps counts how far one comes from each switch in each direction.
func (m *torus) setSteps() {
	m.open, m.reach = make([]int32, m.NumLinkGroups()), make([]int32, m.NumLinkGroups())
	for k := range m.open {
		dim, dir := k/2%m.Dims, k%2
		for s := int32(k / 2 / m.Dims); m.open[k] < m.Size[dim] && len(m.Links(m.LinkGroup(s, dim, dir))) > 0; {
			s = m.Beside(s, dim, dir)
			m.reach[k] = m.open[k] + 1
			if !m.isOpen(s) {
				break
			}
			m.open[k]++
		}
	}
}

// isOpen reports whether a switch exists and lets traffic through.
func (m *torus) isOpen(s int32) bool { return s >= 0 && !m.G.Drained[m.Switches[s]] }
