package gen

import (
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
)

// groupServers makes servers of several ports from the hosts of a copy.
func groupServers(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	hosts := nodes.ByGUID(f, func(id fabric.NodeID) bool { return nodes.IsHost(f, id) })
	into, pos := map[fabric.GUID][]fabric.NodeID{}, a.value("groups").pos
	for _, text := range a.texts("groups") {
		n, ports, err := parseGroup(text)
		if err != nil {
			return nil, problemf(pos, "%s: want NUMBER or NUMBERxPORTS, up to %d ports", text, fabric.MaxPorts)
		}
		if n > len(hosts) || n*ports > len(hosts) {
			return nil, problemf(pos, "%s: %d hosts are left to make servers of", text, len(hosts))
		}
		for i, h := range hosts[n : n*ports] {
			first := hosts[i%n]
			if len(cabled(f, first)) != 1 || len(cabled(f, h)) != 1 {
				return nil, problemf(pos, "%s: servers of several ports are made of hosts with one cable", text)
			}
			into[f.Nodes[first].GUID] = append(into[f.Nodes[first].GUID], h)
		}
		hosts = hosts[n*ports:]
	}
	return joinHosts(f, into)
}

// parseGroup parses "64" and "64x2".
func parseGroup(s string) (n, ports int, err error) {
	servers, each, many := strings.Cut(s, "x")
	if !many {
		each = "1"
	}
	if n, err = strconv.Atoi(servers); err == nil {
		ports, err = strconv.Atoi(each)
	}
	if err == nil && (n < 1 || n > fabric.MaxNodes || ports < 1 || ports > fabric.MaxPorts) {
		err = strconv.ErrRange
	}
	return n, ports, err
}

// joinHosts returns a copy of a fabric that moves the cables of some hosts to another host, given
// by GUID. Each cable goes to the lowest free port, or to a new port with the port GUID of its old
// one.
func joinHosts(f *fabric.Fabric, into map[fabric.GUID][]fabric.NodeID) (*fabric.Fabric, error) {
	drop := make([]bool, len(f.Nodes))
	for _, others := range into {
		for _, h := range others {
			drop[h] = true
		}
	}
	g := f.Without(func(id fabric.NodeID) bool { return drop[id] }, nil)
	for id := range g.Nodes {
		for _, h := range into[g.Nodes[id].GUID] {
			for p, l := range f.Cabled(h, nil) {
				link, peer := f.Links[l], f.Peer(fabric.End{Node: h, Port: p})
				peer.Node, _ = g.NodeByGUID(f.Nodes[peer.Node].GUID)
				mine := fabric.End{Node: fabric.NodeID(id), Port: freePort(&g.Nodes[id])}
				if mine.Port == 0 {
					mine.Port = uint8(len(g.Nodes[id].Ports))
					port := f.Nodes[h].Ports[p]
					port.Link = fabric.NoLink
					g.Nodes[id].Ports = append(g.Nodes[id].Ports, port)
				}
				made, err := g.Connect(mine, peer, link.Width, link.Speed)
				if err != nil {
					return nil, err
				}
				g.Links[made].Down, g.Links[made].Drained = link.Down, link.Drained
			}
		}
	}
	return g, nil
}
