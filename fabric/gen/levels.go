package gen

import (
	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
)

// NoLevel is the level of a node that is not a switch, and of a switch that no leaf reaches.
const NoLevel = nodes.NoLevel

// Levels returns the level of every node. A leaf, a switch with at least one host cable, has level
// 0. Other switches have the fewest cables to a leaf, up to the roots, which are half way between
// the leaves farthest apart. Beyond the roots levels decrease again: a leaf that has lost its hosts
// is still a leaf. Cables count whether they are up or down. If all switches have hosts every level
// is 0.
func Levels(f *fabric.Fabric) []int32 { return nodes.Levels(f) }
