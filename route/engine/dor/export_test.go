package dor

import (
	"fmt"

	"weft/fabric"
)

// Recognise checks that the coordinates of a graph in one part are those of its
// switches' descriptions.
func Recognise(g *fabric.Graph) error {
	local := make([]int32, g.NumSwitches)
	for s := range local {
		local[s] = -1
	}
	sw := part(g, local, 0)
	coords := describedCoords(g, sw)
	if coords == nil {
		return fmt.Errorf("no coordinates in descriptions such as %q", g.SwitchDesc[0])
	}
	_, err := newGrid(g, local, sw, coords)
	return err
}
