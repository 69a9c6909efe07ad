package dor

import (
	"fmt"

	"weft/fabric"
	"weft/fabric/shape/coords"
)

// Recognise checks that the coordinates of a graph in one part are those of its
// switches' descriptions.
func Recognise(g *fabric.Graph) error {
	part := coords.Parts(g)[0]
	places := coords.Described(g, part.Switches)
	if places == nil {
		return fmt.Errorf("no coordinates in descriptions such as %q", g.SwitchDesc[0])
	}
	_, err := newGrid(part, places)
	return err
}
