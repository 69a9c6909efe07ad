package cables

import (
	"slices"

	"weft/fabric"
	"weft/fabric/shape/coords"
)

// box compares a network with a HyperX, where all switches that differ in one coordinate are
// joined.
type box struct {
	wanted
	at    map[string]int32 // switch by place
	place [][]int32        // by switch
	size  []int32          // by dimension
}

// hyperX finds the pattern of a HyperX, including full meshes and hypercubes. Coordinates come from
// the switches' descriptions or, if there are none, from a complete HyperX of some size. ok is
// false if the network is none.
func (n *network) hyperX() (p pattern, ok bool) {
	m := &box{wanted: wanted{network: n, cables: map[pair]int{}}, at: map[string]int32{}}
	m.alike = m.onLines
	m.place = coords.Described(n.g, fabric.Numbers(n.g.NumSwitches))
	if parts := coords.Parts(n.g); m.place == nil && len(parts) == 1 && n.g.NumSwitches >= leastMesh {
		if h, err := coords.FindHyperX(parts[0]); err == nil {
			m.place = h.Places
		}
	}
	if m.place == nil || len(m.place[0]) == 0 {
		return p, false
	}
	m.size = make([]int32, len(m.place[0]))
	for s, x := range m.place {
		m.at[coords.Format(x)] = int32(s)
		for d := range x {
			m.size[d] = max(m.size[d], x[d]+1)
		}
	}
	for d := range m.size {
		m.expect(d)
	}
	if !m.nearlyAll() {
		return p, false
	}
	return pattern{name: "hyperx", odd: m.odd()}, true
}

// eachAlong calls do for every switch that differs from s in one dimension only.
func (m *box) eachAlong(s int32, d int, do func(t int32)) {
	x := slices.Clone(m.place[s])
	for x[d] = range m.size[d] {
		if t, there := m.at[coords.Format(x)]; there && t != s {
			do(t)
		}
	}
}

// expect records the cables along a dimension: each pair has as many as most pairs.
func (m *box) expect(d int) {
	times, pairs := map[int]int{}, []pair{}
	for s := range int32(m.g.NumSwitches) {
		m.eachAlong(s, d, func(t int32) {
			if t < s {
				return
			}
			pairs = append(pairs, pairOf(s, t))
			if n := m.count(s, t); n > 0 {
				times[n]++
			}
		})
	}
	usual, _ := mode(times)
	for _, p := range pairs {
		m.cables[p] = usual
	}
}

// onLines lists the pairs of switches on other lines that have the coordinates of s and to in the
// dimension where s and to differ.
func (m *box) onLines(s, to int32) (pairs [][2]int32) {
	x, y := m.place[s], m.place[to]
	d := 0
	for d < len(x)-1 && x[d] == y[d] {
		d++
	}
	for v := range int32(m.g.NumSwitches) {
		if v == s || m.place[v][d] != x[d] {
			continue
		}
		z := slices.Clone(m.place[v])
		z[d] = y[d]
		if t, there := m.at[coords.Format(z)]; there {
			pairs = append(pairs, [2]int32{v, t})
		}
	}
	return pairs
}
