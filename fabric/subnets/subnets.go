// Package subnets describes several subnets that routers join: what is in each, and
// which port of a router is in which.
//
// A subnet is a fabric.Fabric in which the ports of routers are end ports, as its subnet manager
// sees them. Its prefix and the GUID of a port make the GID of that port (IBA volume 1,
// section 4.1.1); LIDs hold inside a subnet and are used again in others. A router has
// ports in several subnets, each port in one.
//
// Subnets that are made alike share one Kind: fabric and Graph are there once, and the
// subnets differ by name, prefix, and a number that is added to their GUIDs. So a hundred
// equal subnets take little more memory than one.
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

// String prints a prefix as OpenSM does: 0x and 16 hexadecimal digits.
func (p Prefix) String() string { return fmt.Sprintf("0x%016x", uint64(p)) }

// MarshalText writes a prefix as String does, for JSON.
func (p Prefix) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// GID is a global identifier: the prefix of a subnet and the GUID of a port.
type GID struct {
	Prefix Prefix
	GUID   fabric.GUID
}

// String prints a GID as eight groups of four hexadecimal digits.
func (g GID) String() string {
	p, u := uint64(g.Prefix), uint64(g.GUID)
	return fmt.Sprintf("%04x:%04x:%04x:%04x:%04x:%04x:%04x:%04x",
		p>>48, p>>32&0xffff, p>>16&0xffff, p&0xffff, u>>48, u>>32&0xffff, u>>16&0xffff, u&0xffff)
}

// ParseGID reads a GID as String writes it, or shorter with "::" as IPv6 addresses are.
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
	File    *File  // as it was described
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
	Nodes  int         // end ports that are no router ports: those of hosts, and port 0 of switches
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
	End    int32 // end port of the subnet's Graph; -1 after With, where it has lost its cable or switch
}

// Graph is the Graph of a subnet.
func (n *Network) Graph(subnet int32) *fabric.Graph { return n.Kinds[n.Subnets[subnet].Kind].Graph }

// GID is the GID of an end port of a subnet.
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

// PlaceOf is the place of a router port among those of its subnet.
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

// Neighbours lists by subnet the others that a router joins it with, ascending.
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

// Distances is by target and by subnet the least number of routers between the two, -1 where there is no way.
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
