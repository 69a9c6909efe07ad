package theory

import "weft/mapping"

// Reached returns the part of a network that is connected to a host.
func Reached(n *mapping.Network, host int32) *mapping.Network {
	keep := make([]bool, n.NumNodes())
	for v, wires := range n.Distances(host) {
		keep[v] = wires >= 0
	}
	return n.Keep(keep)
}
