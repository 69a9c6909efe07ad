package app

import (
	"strings"

	"weft/apps/places"
	"weft/fabric"
)

// namesOf tells placement where host ports are. A node is known by its description, the name of the
// machine in it, that without its domain, and its GUID.
func namesOf(g *fabric.Graph) places.Names {
	return places.Names{
		Leaf: func(h int32) int32 { return g.EndSwitch[h] },
		Port: func(h int32) int { return int(g.EndNum[h]) },
		Node: func(h int32) []string {
			host, _ := fabric.HostAndDevice(g.EndDesc[h])
			short, _, _ := strings.Cut(host, ".")
			return []string{g.EndDesc[h], host, short, g.EndNodeGUID[h].String()}
		},
	}
}
