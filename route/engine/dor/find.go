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

// findGrid gives coordinates to a part, or refuses a network of another shape.
func findGrid(g *fabric.Graph, local, sw []int32) (*grid, error) {
	m, err := coords.Find(g, local, sw, func(places [][]int32) (*grid, error) { return newGrid(g, local, sw, places) })
	if err != nil {
		return nil, route.Refuse(Name, useUpdn, "not a mesh or torus: %v", err)
	}
	return m, nil
}
