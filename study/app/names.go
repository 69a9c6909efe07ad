package app

import (
	"weft/apps/places"
	"weft/fabric"
	"weft/fabric/jobs"
)

// namesOf tells placement where host ports are.
func namesOf(g *fabric.Graph) places.Names {
	return places.Names{
		Leaf: func(h int32) int32 { return g.EndSwitch[h] },
		Port: func(h int32) int { return int(g.EndNum[h]) },
		Node: func(h int32) []string { return jobs.Names(g, h) },
	}
}
