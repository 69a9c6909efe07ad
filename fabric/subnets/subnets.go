// Package subnets describes several subnets joined by routers: the contents of each, and the router
// ports in it.
//
// A subnet is a fabric.Fabric with the ports of routers as end ports, as its subnet manager sees
// them. Its prefix and the GUID of a port form the GID of that port (IBA volume 1, section 4.1.1);
// LIDs are valid inside a subnet and repeat in others. A router has ports in several subnets, each
// port in one.
//
// Equal subnets share one Kind with fabric and Graph, and differ by name, prefix, and a number
// added to their GUIDs. So a hundred equal subnets take little more memory than one.
//
// A File lists subnets and routers as text. A formula, subnets(...), expands to a File.
package subnets

import (
	"fmt"
	"net/netip"
	"slices"

	"weft/fabric"
)

// Prefix is the subnet prefix: the upper half of the GIDs of a subnet.
type Prefix uint64

// String formats a prefix as OpenSM does: 0x and 16 hexadecimal digits.
func (p Prefix) String() string { return fmt.Sprintf("0x%016x", uint64(p)) }

// MarshalText formats a prefix as String does, for JSON.
func (p Prefix) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// GID is a global identifier: the prefix of a subnet and the GUID of a port.
type GID struct {
	Prefix Prefix
	GUID   fabric.GUID
}

// String formats a GID as eight groups of four hexadecimal digits.
func (g GID) String() string {
	p, u := uint64(g.Prefix), uint64(g.GUID)
	return fmt.Sprintf("%04x:%04x:%04x:%04x:%04x:%04x:%04x:%04x",
		p>>48, p>>32&0xffff, p>>16&0xffff, p&0xffff, u>>48, u>>32&0xffff, u>>16&0xffff, u&0xffff)
}

// ParseGID parses a GID as String formats it, or shortened with "::" like an IPv6 address.
func ParseGID(s string) (GID, error) {
	a, err := netip.ParseAddr(s)
	if err != nil || !a.Is6() || a.Zone() != "" {
		return GID{}, fmt.Errorf("subnets: %q is not a GID (want eight groups of hexadecimal digits, as IPv6 addresses have)", s)
	}
	var g GID
	b := a.As16()
	for i := range 8 {
		g.Prefix = g.Prefix<<8 | Prefix(b[i])
		g.GUID = g.GUID<<8 | fabric.GUID(b[8+i])
	}
	return g, nil
}

// Network is several subnets and the routers between them. It is immutable.
type Network struct {
	Name    string // a file name or a formula
	File    *File  // its description
	Kinds   []Kind
	Subnets []Subnet
	Routers []Router
	Ports   []Port // of routers, by router and number
}

// Kind holds the fabric that equal subnets share.
type Kind struct {
	Source string // FABRIC argument
	Fabric *fabric.Fabric
	Graph  *fabric.Graph
}

// Subnet is one subnet.
type Subnet struct {
	Name   string
	Prefix Prefix
	Kind   int32
	Shift  fabric.GUID // added to the GUIDs of the Kind
	Ports  []int32     // router ports in it, in order of end ports
	PortOf []int32     // by host end port: router port, -1 for other hosts
	Nodes  int         // end ports of hosts and switches, without router ports
}

// Router joins subnets. Its ports are Ports[First:End] of the Network.
type Router struct {
	Name       string
	GUID       fabric.GUID
	First, End int32
}

// Port is a port of a router.
type Port struct {
	Router int32
	Number uint8
	GUID   fabric.GUID
	Subnet int32
	End    int32 // end port of the subnet's Graph; -1 after With if its cable or switch is gone
}

// Graph returns the Graph of a subnet.
func (n *Network) Graph(subnet int32) *fabric.Graph { return n.Kinds[n.Subnets[subnet].Kind].Graph }

// GID returns the GID of an end port of a subnet.
func (n *Network) GID(subnet, end int32) GID {
	s := &n.Subnets[subnet]
	if int(end) < len(s.PortOf) && s.PortOf[end] >= 0 {
		return GID{s.Prefix, n.Ports[s.PortOf[end]].GUID}
	}
	return GID{s.Prefix, n.Graph(subnet).EndGUID[end] + s.Shift}
}

// IsRouter reports whether an end port of a subnet is a port of a router.
func (n *Network) IsRouter(subnet, end int32) bool {
	s := &n.Subnets[subnet]
	return int(end) < len(s.PortOf) && s.PortOf[end] >= 0
}

// PlaceOf returns the index of a router port in the list of its subnet.
func (n *Network) PlaceOf(port int32) int32 {
	at := &n.Ports[port]
	place, _ := slices.BinarySearchFunc(n.Subnets[at.Subnet].Ports, at.End, func(p, end int32) int { return int(n.Ports[p].End) - int(end) })
	return int32(place)
}

// PortsIn lists the ports of a router in a subnet.
func (n *Network) PortsIn(router, subnet int32) []int32 {
	var list []int32
	for p := n.Routers[router].First; p < n.Routers[router].End; p++ {
		if n.Ports[p].Subnet == subnet {
			list = append(list, p)
		}
	}
	return list
}

// PortName names a router port for people.
func (n *Network) PortName(port int32) string {
	p := &n.Ports[port]
	return fmt.Sprintf("router %q[%d]", n.Routers[p.Router].Name, p.Number)
}

// EndName names an end port of a subnet for people.
func (n *Network) EndName(subnet, end int32) string {
	s, g := &n.Subnets[subnet], n.Graph(subnet)
	if n.IsRouter(subnet, end) {
		return fmt.Sprintf("%s in subnet %q", n.PortName(s.PortOf[end]), s.Name)
	}
	return fmt.Sprintf("%s %q[%d] in subnet %q", g.EndType[end], g.EndDesc[end], g.EndNum[end], s.Name)
}

// SwitchName names a port of a switch of a subnet for people.
func (n *Network) SwitchName(subnet, s int32, port uint8) string {
	return fmt.Sprintf("switch %q[%d] in subnet %q", n.Graph(subnet).SwitchDesc[s], port, n.Subnets[subnet].Name)
}

// Neighbours lists, by subnet, the subnets that a router joins it with, ascending.
func (n *Network) Neighbours() [][]int32 {
	list := make([][]int32, len(n.Subnets))
	for r := range n.Routers {
		ports := n.Ports[n.Routers[r].First:n.Routers[r].End]
		var in []int32
		for i := range ports {
			if ports[i].End >= 0 {
				in = append(in, ports[i].Subnet)
			}
		}
		slices.Sort(in)
		in = slices.Compact(in)
		for _, a := range in {
			for _, b := range in {
				if a != b {
					list[a] = append(list[a], b)
				}
			}
		}
	}
	for s := range list {
		slices.Sort(list[s])
		list[s] = slices.Compact(list[s])
	}
	return list
}

// Distances returns, by target and subnet, the least number of routers between the two; -1 if
// unreachable.
func (n *Network) Distances() [][]int32 {
	neighbours := n.Neighbours()
	all := make([][]int32, len(n.Subnets))
	for target := range all {
		d := slices.Repeat([]int32{-1}, len(n.Subnets))
		d[target] = 0
		for queue := []int32{int32(target)}; len(queue) > 0; queue = queue[1:] {
			for _, next := range neighbours[queue[0]] {
				if d[next] < 0 {
					d[next] = d[queue[0]] + 1
					queue = append(queue, next)
				}
			}
		}
		all[target] = d
	}
	return all
}

// FindPort finds the router port with a GUID.
func (n *Network) FindPort(text string) (int32, error) {
	guid, err := fabric.ParseGUID(text)
	if err != nil {
		return -1, err
	}
	for p := range n.Ports {
		if n.Ports[p].GUID == guid {
			return int32(p), nil
		}
	}
	return -1, fmt.Errorf("subnets: no router port has the GUID %s", guid)
}
