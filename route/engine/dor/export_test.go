package dor

import (
	"fmt"

	"weft/fabric"
	"weft/route/engine/internal/coords"
)

// Recognise checks that the coordinates of a graph in one part are those of its
// switches' descriptions.
func Recognise(g *fabric.Graph) error {
	parts, local := coords.Parts(g)
	places := coords.Described(g, parts[0])
	if places == nil {
		return fmt.Errorf("no coordinates in descriptions such as %q", g.SwitchDesc[0])
	}
	_, err := newGrid(g, local, parts[0], places)
	return err
}
