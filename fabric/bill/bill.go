// Package bill counts the parts to buy for a fabric, and their cost by a list of prices. Cable
// lengths follow from a rule for the machine room (floor.go).
package bill

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/fabric"
	"weft/internal/fold"
)

// Bill counts the parts of a fabric, up or down. Aggregation nodes are inside switches and are not
// counted.
type Bill struct {
	Hosts     int         `json:"hosts"`                   // CAs and routers
	Servers   int         `json:"servers"`                 // machines with one or several CAs; and routers
	HostPorts int         `json:"host_ports"`              // ports of hosts with a cable to a switch
	Switches  int         `json:"switches"`                // all of them
	ByPorts   map[int]int `json:"switches_by_ports"`       // by number of ports
	Between   int         `json:"cables_between_switches"` // with a switch at both ends
	Below     int         `json:"cables_to_hosts"`         // with a host at one end
	Left      int         `json:"ports_left"`              // ports of switches without a cable
	// Metres counts the cables by their length, rounded up; absent unless prices depend on it.
	Metres map[int]int `json:"cables_by_metres,omitempty"`
}

// Of counts the parts of a fabric. If radix is not 0, all switches are bought with that many ports;
// it fails if a switch needs more.
func Of(f *fabric.Fabric, radix int) (*Bill, error) {
	b := &Bill{ByPorts: map[int]int{}, Servers: len(f.Servers().List)}
	inside := make([]int, len(f.Nodes)) // ports of a switch that lead to an aggregation node
	for i := range f.Links {
		b.addLink(f, fabric.LinkID(i), inside)
	}
	for i := range f.Nodes {
		id := fabric.NodeID(i)
		if f.Nodes[i].Type != fabric.Switch {
			if !f.IsAggregationNode(id) {
				b.Hosts++
			}
			if f.Nodes[i].Type == fabric.Router {
				b.Servers++
			}
			continue
		}
		ports := f.Nodes[i].NumPorts() - inside[i]
		if radix > 0 && ports > radix {
			return nil, fmt.Errorf("%s has %d ports, more than the %d of the switches to be bought", f.NodeName(id), ports, radix)
		}
		if radix > 0 {
			ports = radix
		}
		b.Switches++
		b.ByPorts[ports]++
		b.Left += ports
	}
	return b, nil
}

// addLink counts a cable and the ports at its ends.
func (b *Bill) addLink(f *fabric.Fabric, id fabric.LinkID, inside []int) {
	x, y := f.Links[id].A.Node, f.Links[id].B.Node
	switch {
	case f.IsAggregationNode(x):
		inside[y]++
	case f.IsAggregationNode(y):
		inside[x]++
	case f.IsSwitchLink(id):
		b.Between++
		b.Left -= 2
	default:
		b.Below++
		for _, end := range []fabric.NodeID{x, y} {
			if f.Nodes[end].Type == fabric.Switch {
				b.Left--
			} else {
				b.HostPorts++
			}
		}
	}
}

// SwitchPorts returns the number of ports of all switches.
func (b *Bill) SwitchPorts() (n int) {
	for ports, count := range b.ByPorts {
		n += ports * count
	}
	return n
}

// String describes the parts in one line.
func (b *Bill) String() string {
	var switches []string
	for _, ports := range slices.Backward(slices.Sorted(maps.Keys(b.ByPorts))) {
		switches = append(switches, fmt.Sprintf("%d of %d ports", b.ByPorts[ports], ports))
	}
	lengths := ""
	if len(b.Metres) > 0 {
		all := 0
		for metres, count := range b.Metres {
			all += metres * count
		}
		lengths = fmt.Sprintf(", %d m in all, the longest %d m", all, slices.Max(slices.Collect(maps.Keys(b.Metres))))
	}
	return fmt.Sprintf("%s; switches: %s; cables: %d between switches, %d below%s; %d ports left",
		b.HostsText(), strings.Join(switches, ", "), b.Between, b.Below, lengths, b.Left)
}

// HostsText counts the hosts in words: servers and their ports, if these numbers differ.
func (b *Bill) HostsText() string {
	if !b.SeveralPorts() {
		return fold.Count(b.Hosts, "host", "hosts")
	}
	return fold.Count(b.Servers, "server", "servers") + " of " + fold.Count(b.HostPorts, "host port", "host ports")
}

// SeveralPorts reports whether a server has several adapters, or several ports in use.
func (b *Bill) SeveralPorts() bool { return b.Servers < b.Hosts || b.Servers < b.HostPorts }

// Share is the share of a server, or of one of its ports, in the parts of a bill.
type Share struct {
	PerServer   float64 `json:"per_server"`    // cost of the network for a server; without prices, switch ports to buy for it
	PerHostPort float64 `json:"per_host_port"` // the same for a host port
}

// Share divides a cost, or without one (nil) the ports of all switches.
func (b *Bill) Share(cost *float64) Share {
	all := float64(b.SwitchPorts())
	if cost != nil {
		all = *cost
	}
	return Share{all / float64(max(b.Servers, 1)), all / float64(max(b.HostPorts, 1))}
}
