package coords

import (
	"fmt"
	"slices"

	"weft/fabric"
)

// HyperX is a connected part that is a HyperX, complete or damaged, with the coordinates of its
// switches.
type HyperX struct {
	Part
	Places [][]int32 // by switch of the part
	Whole  bool      // all pairs on common lines are linked, all places filled, no switch drained
	Linked int       // ordered pairs of switches on common lines that are linked
	Pairs  int       // all such pairs
}

// FindHyperX finds the coordinates of a part in the descriptions or, if the network is complete, in
// the graph. The error says why there are none.
func FindHyperX(part Part) (*HyperX, error) {
	why := fmt.Errorf("the descriptions of its switches name no coordinates, and its graph has none")
	if places := Described(part.G, part.Switches); places != nil {
		b := &HyperX{Part: part, Places: places}
		if why = b.check(); why == nil {
			return b, nil
		}
	}
	if places := byGraph(part); places != nil {
		if b := (&HyperX{Part: part, Places: places}); b.check() == nil && b.Whole {
			return b, nil
		}
	}
	return nil, why
}

// check returns an error if a link joins switches that differ in several coordinates, or if less
// than three quarters of the pairs on common lines are linked. It also sets Whole.
func (b *HyperX) check() error {
	linked, drained := 0, false
	for s, sw := range b.Switches {
		drained = drained || b.G.Drained[sw]
		near := map[int32]bool{}
		for _, c := range b.G.OutOf(sw) {
			t := b.Local[b.G.To[c]]
			if t == int32(s) || near[t] {
				continue
			}
			near[t] = true
			if b.Dimension(int32(s), t) < 0 {
				return fmt.Errorf("%s and %s are linked, and differ in more than one coordinate", b.name(int32(s)), b.name(t))
			}
			linked++
		}
	}
	pairs, filled := b.onLines()
	if 4*linked < 3*pairs {
		return fmt.Errorf("%d of %d pairs of switches that differ in one coordinate are linked", linked/2, pairs/2)
	}
	b.Linked, b.Pairs = linked, pairs
	b.Whole = filled && linked == pairs && !drained
	return nil
}

// onLines counts the ordered pairs of switches that differ in one coordinate, and reports whether
// every place has a switch.
func (b *HyperX) onLines() (pairs int, filled bool) {
	places := 1
	for dim := range b.Places[0] {
		line := map[string]int{} // by all coordinates but one: switches
		most := int32(0)
		for _, x := range b.Places {
			most = max(most, x[dim])
			rest := slices.Clone(x)
			rest[dim] = -1
			line[Format(rest)]++
		}
		for _, n := range line {
			pairs += n * (n - 1)
		}
		if places <= len(b.Places) {
			places *= int(most) + 1
		}
	}
	return pairs, places == len(b.Places)
}

// Dimension returns the only dimension where two switches differ, or -1.
func (b *HyperX) Dimension(s, t int32) int {
	x, y, dim := b.Places[s], b.Places[t], -1
	for i := range x {
		if x[i] != y[i] {
			if dim >= 0 {
				return -1
			}
			dim = i
		}
	}
	return dim
}

func (b *HyperX) name(s int32) string {
	return fmt.Sprintf("%s at %s", fabric.SwitchName(b.G, b.Switches[s]), Format(b.Places[s]))
}

// byGraph finds coordinates from the graph alone. The neighbours of the first switch that are
// linked to each other form a line with it, one for each dimension. The coordinate of a switch is
// the place on that line of the switch nearest to it. The result is right if the part is a complete
// HyperX, and must be checked.
func byGraph(part Part) [][]int32 {
	g, root := part.G, part.Switches[0]
	var near []int32
	linked := map[[2]int32]bool{}
	for _, c := range g.OutOf(root) {
		if t := g.To[c]; t != root && !slices.Contains(near, t) {
			near = append(near, t)
			for _, e := range g.OutOf(t) {
				linked[[2]int32{t, g.To[e]}] = true
			}
		}
	}
	places := make([][]int32, len(part.Switches))
	search := g.NewSearch(nil)
	for len(near) > 0 {
		line, rest := []int32{root, near[0]}, []int32(nil)
		for _, t := range near[1:] {
			if linked[[2]int32{near[0], t}] {
				line = append(line, t)
			} else {
				rest = append(rest, t)
			}
		}
		near = rest
		least := slices.Repeat([]int32{int32(g.NumSwitches)}, len(part.Switches))
		at := make([]int32, len(part.Switches))
		for i, from := range line {
			search.From(from)
			for s, sw := range part.Switches {
				if h := search.Hops[sw]; h < least[s] {
					least[s], at[s] = h, int32(i)
				}
			}
		}
		for s := range places {
			places[s] = append(places[s], at[s])
		}
	}
	seen := make(map[string]bool, len(places))
	for _, x := range places {
		if seen[Format(x)] {
			return nil
		}
		seen[Format(x)] = true
	}
	return places
}

// IsHyperX reports whether all parts of a network are HyperX, complete or damaged.
func IsHyperX(g *fabric.Graph) bool { return HyperXShare(g) > 0 }

// HyperXShare returns the share of the links of a HyperX that are there, of several parts together.
// It is 0 if a part is no HyperX.
func HyperXShare(g *fabric.Graph) float64 {
	linked, pairs := 0, 0
	parts := Parts(g)
	for _, part := range parts {
		b, err := FindHyperX(part)
		if err != nil {
			return 0
		}
		linked, pairs = linked+b.Linked, pairs+b.Pairs
	}
	return shareOf(linked, pairs, len(parts))
}
