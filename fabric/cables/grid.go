package cables

import (
	"slices"

	"weft/fabric/shape/coords"
)

// grid compares a network with a mesh or a torus.
type grid struct {
	wanted
	at    map[string]int32 // switch by place
	place [][]int32        // by switch
	size  []int32          // by dimension
	wraps []bool           // by dimension
	usual []int            // by dimension: cables between neighbours
}

// grid finds the pattern of a mesh or torus if the switches' descriptions contain coordinates; ok
// is false if the network is none.
func (n *network) grid() (p pattern, ok bool) {
	all := make([]int32, n.g.NumSwitches)
	for s := range all {
		all[s] = int32(s)
	}
	m := &grid{wanted: wanted{network: n, cables: map[pair]int{}}, place: coords.Described(n.g, all), at: map[string]int32{}}
	if m.place == nil || len(m.place[0]) == 0 {
		return p, false
	}
	m.alike = m.sameWay
	m.size = make([]int32, len(m.place[0]))
	for s, x := range m.place {
		m.at[coords.Format(x)] = int32(s)
		for d := range x {
			m.size[d] = max(m.size[d], x[d]+1)
		}
	}
	m.measure()
	if m.expect(); !m.nearlyAll() {
		return p, false
	}
	name := "mesh"
	if slices.Contains(m.wraps, true) {
		name = "torus"
	}
	return pattern{name: name, odd: m.odd()}, true
}

// next returns the next switch up in a dimension, -1 if there is none, and whether the step wraps
// around.
func (m *grid) next(s int32, d int) (t int32, around bool) {
	x := slices.Clone(m.place[s])
	if x[d]++; x[d] == m.size[d] {
		x[d], around = 0, true
	}
	t, ok := m.at[coords.Format(x)]
	if !ok || t == s {
		return -1, false
	}
	return t, around
}

// measure finds the dimensions that are rings, and the usual number of cables between neighbours.
func (m *grid) measure() {
	m.wraps, m.usual = make([]bool, len(m.size)), make([]int, len(m.size))
	for d := range m.size {
		times, ends, joined := map[int]int{}, 0, 0
		for s := range int32(m.g.NumSwitches) {
			t, around := m.next(s, d)
			if t < 0 {
				continue
			}
			n := m.count(s, t)
			switch {
			case !around && n > 0:
				times[n]++
			case around && m.size[d] > 2:
				if ends++; n > 0 {
					joined++
				}
			}
		}
		m.usual[d], _ = mode(times)
		m.wraps[d] = 2*joined > ends
	}
}

// expect records the cables of the complete network.
func (m *grid) expect() {
	for s := range int32(m.g.NumSwitches) {
		for d := range m.size {
			t, around := m.next(s, d)
			if t < 0 || around && !m.wraps[d] {
				continue
			}
			m.cables[pairOf(s, t)] = m.usual[d]
		}
	}
}

// sameWay lists the other switches with their neighbours in the same direction.
func (m *grid) sameWay(s, to int32) (pairs [][2]int32) {
	for d := range m.size {
		up, _ := m.next(s, d)
		down, _ := m.next(to, d)
		if up != to && down != s {
			continue
		}
		for v := range int32(m.g.NumSwitches) {
			switch t, _ := m.next(v, d); {
			case t < 0 || v == s && t == to || v == to && t == s:
			case up == to:
				pairs = append(pairs, [2]int32{v, t})
			default:
				pairs = append(pairs, [2]int32{t, v})
			}
		}
		return pairs
	}
	return nil
}
