package mappingtest

import (
	"fmt"

	"weft/mapping"
)

// Embeds walks a map and a network in parallel from a host, and returns an error if the map has a
// wire or a host that the network lacks. The map may lack wires, and have a switch several times.
func Embeds(m, n *mapping.Network, host mapping.Host) error {
	type pair struct{ inMap, inNetwork mapping.End }
	seen := map[pair]bool{}
	var queue []pair
	cross := func(a pair) error {
		x, ok := m.Peer(a.inMap)
		if !ok {
			return nil
		}
		y, ok := n.Peer(a.inNetwork)
		if !ok || m.IsHost(x.Node) != n.IsHost(y.Node) || m.IsHost(x.Node) && m.Hosts[x.Node] != n.Hosts[y.Node] {
			return fmt.Errorf("the wire in port %d of %s is not that of port %d of %s", a.inMap.Port, m.NodeName(a.inMap.Node), a.inNetwork.Port, n.NodeName(a.inNetwork.Node))
		}
		if next := (pair{x, y}); !seen[next] {
			seen[next] = true
			queue = append(queue, next)
		}
		return nil
	}
	start := pair{mapping.End{Node: m.HostByID(host.ID)}, mapping.End{Node: n.HostByID(host.ID)}}
	if start.inMap.Node < 0 || start.inNetwork.Node < 0 {
		return fmt.Errorf("host %s is in one only", host.Name)
	}
	if err := cross(start); err != nil {
		return err
	}
	for ; len(queue) > 0; queue = queue[1:] {
		a := queue[0]
		if m.IsHost(a.inMap.Node) {
			continue
		}
		for i := range m.Ports(a.inMap.Node) {
			here := pair{mapping.End{Node: a.inMap.Node, Port: i}, mapping.End{Node: a.inNetwork.Node, Port: i - a.inMap.Port + a.inNetwork.Port}}
			if _, wired := m.Peer(here.inMap); !wired {
				continue
			}
			if here.inNetwork.Port < 0 || here.inNetwork.Port >= n.Ports(a.inNetwork.Node) {
				return fmt.Errorf("port %d of %s is none of %s", i, m.NodeName(a.inMap.Node), n.NodeName(a.inNetwork.Node))
			}
			if err := cross(here); err != nil {
				return err
			}
		}
	}
	return nil
}

// Traffics lists traffic of every kind, and of all kinds together.
func Traffics() map[string]mapping.Traffic {
	return map[string]mapping.Traffic{
		"none": {}, "loss": {Loss: 0.2}, "late": {Late: 0.3}, "corrupt": {Corrupt: 0.1}, "busy": {Busy: 0.3},
		"all": {Loss: 0.1, Late: 0.2, Corrupt: 0.05, Busy: 0.1}, "heavy": {Loss: 0.3, Late: 0.3, Corrupt: 0.3},
	}
}
