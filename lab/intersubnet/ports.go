package intersubnet

import (
	"fmt"
	"strings"

	"weft/fabric/subnets"
	"weft/intersubnet"
	"weft/lab"
)

// routers is the number of routers of a fabric, each with ports into all subnets.
const routers = 18

// mappingsAsRead returns OpenSM's mapping files by subnet, under the readings on the number of its
// router ports; nil under the literal text.
func mappingsAsRead(s *lab.Setup, n *subnets.Network) map[int]*intersubnet.Mapping {
	ports := 0
	switch {
	case s.Reads(twoPorts):
		ports = 2
	case s.Reads(threePorts):
		ports = 3
	case !s.Reads(onePort):
		return nil
	}
	maps := map[int]*intersubnet.Mapping{}
	for from := range n.Subnets {
		text := fmt.Sprintf("* %s\n", firstPort(n, from, from))
		if ports > 0 {
			text = dealtOut(n, from, ports)
		}
		maps[from] = lab.Must(intersubnet.ReadMapping(n.Subnets[from].Name, []byte(text)))
	}
	return maps
}

// dealtOut returns the mapping file of a subnet that distributes the nodes of each other subnet
// over this many ports, all on routers as far apart as possible.
func dealtOut(n *subnets.Network, from, ports int) string {
	var b strings.Builder
	others := len(n.Subnets) - 1
	for turn := range others {
		target := int32((from + 1 + turn) % len(n.Subnets))
		for end := range int32(n.Graph(target).NumEnds) {
			if !n.IsRouter(target, end) {
				router := (turn*ports + int(end)%ports) * routers / (others * ports)
				fmt.Fprintf(&b, "%s %s\n", n.GID(target, end), firstPort(n, from, router))
			}
		}
	}
	return b.String()
}

// firstPort returns the GUID of a router's first port into a subnet.
func firstPort(n *subnets.Network, subnet, router int) string {
	return n.Ports[n.PortsIn(int32(router), int32(subnet))[0]].GUID.String()
}
