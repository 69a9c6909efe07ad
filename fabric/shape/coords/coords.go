package coords

import (
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
)

// Find calls from with the coordinates in the descriptions of a part, or if that fails with the
// coordinates found in its graph. If both fail and descriptions have coordinates, the error is
// about these, since people know them.
func Find[T any](part Part, from func(places [][]int32) (T, error)) (T, error) {
	var asDescribed error
	if places := Described(part.G, part.Switches); places != nil {
		made, err := from(places)
		if err == nil {
			return made, nil
		}
		asDescribed = err
	}
	var made T
	places, err := fromGraph(part)
	if err == nil {
		made, err = from(places)
	}
	if err != nil && asDescribed != nil {
		err = asDescribed
	}
	return made, err
}

// Described returns the coordinates in the descriptions of all switches, shifted to begin at 0. It
// returns nil if a description has none, if their numbers differ, or if two switches have the same.
func Described(g *fabric.Graph, sw []int32) [][]int32 {
	if len(sw) == 0 {
		return nil
	}
	all := make([][]int32, len(sw))
	for i, s := range sw {
		all[i] = parseCoords(g.SwitchDesc[s])
		if all[i] == nil || len(all[i]) != len(all[0]) {
			return nil
		}
	}
	for dim := range all[0] {
		least := all[0][dim]
		for _, x := range all {
			least = min(least, x[dim])
		}
		for _, x := range all {
			x[dim] -= least
		}
	}
	if _, _, same := sameCoords(all); same {
		return nil
	}
	return all
}

// sameCoords finds two switches with the same coordinates.
func sameCoords(coords [][]int32) (a, b int, found bool) {
	order := make([]int, len(coords))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(coords[a], coords[b]) })
	for i := 1; i < len(order); i++ {
		if slices.Equal(coords[order[i-1]], coords[order[i]]) {
			return order[i-1], order[i], true
		}
	}
	return 0, 0, false
}

// maxDescribed bounds the coordinates and dimensions taken from a description.
const maxDescribed = 1 << 15

// parseCoords parses the last "(1,2,3)" of a description; nil if there is none.
func parseCoords(desc string) []int32 {
	open := strings.LastIndexByte(desc, '(')
	if open < 0 {
		return nil
	}
	inside, _, ok := strings.Cut(desc[open+1:], ")")
	if !ok {
		return nil
	}
	var x []int32
	for word := range strings.SplitSeq(inside, ",") {
		v, err := strconv.ParseUint(strings.TrimSpace(word), 10, 32)
		if err != nil || v > maxDescribed {
			return nil
		}
		x = append(x, int32(v))
	}
	return x
}
