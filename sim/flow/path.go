package flow

import (
	"slices"

	"weft/fabric"
)

// Links returns the number of links. Path numbers them from 0.
func (n *Network) Links() int { return n.links() }

// LongestPath returns the largest number of links of a Path.
func (n *Network) LongestPath() int { return n.hops }

// Rate returns the rate of a link in Mbit/s; 0 if it is unknown or the link does not exist.
func (n *Network) Rate(link int32) int32 {
	mbps, _ := n.rate(int(link))
	return mbps
}

// Path appends the links from a host to another one, both host links included. It is false if the
// tables do not lead there.
func (n *Network) Path(src, dst int32, to []int32) ([]int32, bool) {
	column := n.column(n.lids.column(src, dst, 0))
	s := n.g.EndSwitch[src]
	if column[s] == 0 {
		return to, false
	}
	to = append(to, int32(len(n.to))+src)
	for s >= 0 {
		slot := n.base[s] + int32(column[s])
		to = append(to, slot)
		s = n.to[slot]
	}
	return to, true
}

// HostPort returns the name of a host port.
func (n *Network) HostPort(host int32) fabric.PortName { return n.g.EndName(host) }

// LinkPort returns the port that sends on a link.
func (n *Network) LinkPort(link int32) fabric.PortName {
	if h := link - int32(len(n.to)); h >= 0 {
		return n.g.EndName(h)
	}
	s, found := slices.BinarySearch(n.base[:n.switches], link)
	if !found {
		s--
	}
	return n.g.SwitchPort(int32(s), uint8(link-n.base[s]))
}
