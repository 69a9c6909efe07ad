package torus

import (
	"weft/fabric/shape/coords"
	"weft/route"
)

// torus is one connected part with its coordinates, and with gaps for missing links or switches.
type torus struct {
	*coords.Grid
	open  []int32 // by link group: number of steps over switches that forward packets
	reach []int32 // by link group: open, plus one if a drained switch follows
	hops  []uint8 // hops[d*len(Switches)+s]: 2*dim+dir of the link from s towards d
	turns bool    // some path takes dimensions against their order
}

// find gives coordinates to a part; from the graph it can only if nothing is missing.
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

// setSteps counts the possible steps from each switch in each direction.
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

// isOpen reports whether a switch exists and is not drained.
func (m *torus) isOpen(s int32) bool { return s >= 0 && !m.G.Drained[m.Switches[s]] }
