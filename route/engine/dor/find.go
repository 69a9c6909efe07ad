package dor

import (
	"weft/fabric"
	"weft/route"
	"weft/route/engine/internal/coords"
)

// findGrids gives coordinates to every connected part, in order of its first switch.
func findGrids(g *fabric.Graph) ([]*grid, error) {
	parts, local := coords.Parts(g)
	var grids []*grid
	for _, sw := range parts {
		m, err := findGrid(g, local, sw)
		if err != nil {
			return nil, err
		}
		grids = append(grids, m)
	}
	return grids, nil
}

// findGrid tries the descriptions' coordinates, then those that the graph has by
// itself. When neither fit, what is wrong is told by the descriptions if these
// have coordinates, as people know them.
func findGrid(g *fabric.Graph, local, sw []int32) (*grid, error) {
	var asDescribed error
	if places := coords.Described(g, sw); places != nil {
		m, err := newGrid(g, local, sw, places)
		if err == nil {
			return m, nil
		}
		asDescribed = err
	}
	places, err := coords.Recover(g, local, sw)
	if err != nil {
		err = notAGrid("%v", err)
	} else {
		var m *grid
		if m, err = newGrid(g, local, sw, places); err == nil {
			return m, nil
		}
	}
	if asDescribed != nil {
		return nil, asDescribed
	}
	return nil, err
}

// notAGrid is the refusal of a network of another shape.
func notAGrid(format string, args ...any) *route.Refusal {
	r := route.Refuse(Name, useUpdn, format, args...)
	r.Reason = "not a mesh or torus: " + r.Reason
	return r
}
