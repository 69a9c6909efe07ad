package theory

import "weft/mapping"

// Reached is the part of a network that is connected to a host.
func Reached(n *mapping.Network, host int32) *mapping.Network {
	keep := make([]bool, n.NumNodes())
	keep[host] = true
	for queue := []int32{host}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for p := range n.Ports(v) {
			if e, ok := n.Peer(mapping.End{Node: v, Port: p}); ok && !keep[e.Node] {
				keep[e.Node] = true
				queue = append(queue, e.Node)
			}
		}
	}
	return n.Keep(keep)
}
