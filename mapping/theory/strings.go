package theory

import "weft/mapping"

// LabelProbes returns the number of probes that the labels of section 3.1 send, if no message
// collides with itself: they explore every probe string of at most depth turns that ends at a
// switch, with a pair of probes for each turn. The number grows by the mean number of neighbours
// with each turn. Time O(depth x ports of all switches x ports of one).
func LabelProbes(n *mapping.Network, mapper int32, depth int) (probes float64) {
	entered := map[mapping.End]float64{} // strings by the port at which they enter their last switch
	if e, ok := n.Peer(mapping.End{Node: mapper}); ok && !n.IsHost(e.Node) {
		entered[e] = 1
	}
	turns := float64(2 * (n.Radix() - 1))
	for ; depth >= 0 && len(entered) > 0; depth-- {
		next := map[mapping.End]float64{}
		for e, strings := range entered {
			probes += 2 * turns * strings
			for port := range n.Ports(e.Node) {
				if far, ok := n.Peer(mapping.End{Node: e.Node, Port: port}); ok && port != e.Port && !n.IsHost(far.Node) {
					probes -= strings // the first of the pair is answered
					next[far] += strings
				}
			}
		}
		entered = next
	}
	return probes
}
