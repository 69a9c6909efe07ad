package subnets

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/fabric"
)

// With returns the network with changed fabrics for some subnets, by number. A new fabric is a
// changed copy of the old one. Router ports keep their numbers. A port whose cable or switch is
// gone has End -1, and is in no list of its subnet: it must not be used.
func (n *Network) With(fabrics map[int]*fabric.Fabric) *Network {
	after := *n
	after.Kinds, after.Subnets, after.Ports = slices.Clone(n.Kinds), slices.Clone(n.Subnets), slices.Clone(n.Ports)
	for _, s := range slices.Sorted(maps.Keys(fabrics)) {
		sub, old, g := &after.Subnets[s], n.Graph(int32(s)), fabrics[s].Compile()
		sub.Kind = int32(len(after.Kinds))
		after.Kinds = append(after.Kinds, Kind{n.Kinds[n.Subnets[s].Kind].Source, fabrics[s], g})
		_, now := fabric.Match(g, old)
		ports := sub.Ports
		sub.Ports, sub.PortOf, sub.Nodes = nil, slices.Repeat([]int32{-1}, g.NumHosts), g.NumEnds
		for _, p := range ports {
			at := &after.Ports[p]
			if at.End = now[at.End]; at.End >= 0 {
				sub.Ports, sub.PortOf[at.End] = append(sub.Ports, p), p
				sub.Nodes--
			}
		}
		slices.SortFunc(sub.Ports, func(a, b int32) int { return cmp.Compare(after.Ports[a].End, after.Ports[b].End) })
	}
	return &after
}

// CutName splits "SUBNET: PART" and finds the subnet; ok is false if the text has no such
// beginning.
func (n *Network) CutName(text string) (s int, part string, ok bool, err error) {
	name, part, ok := fabric.CutUnquoted(text, ": ")
	if !ok {
		return 0, "", false, nil
	}
	name = fabric.Unquote(strings.TrimSpace(name))
	if s = slices.IndexFunc(n.Subnets, func(s Subnet) bool { return s.Name == name }); s < 0 {
		return 0, "", true, fmt.Errorf("no subnet is called %q", name)
	}
	return s, strings.TrimSpace(part), true, nil
}

// FindRouterPorts finds the cabled ports of a router by its name or GUID, or one of them by
// ROUTER[PORT].
func (n *Network) FindRouterPorts(text string) (ports []int32, err error) {
	name, port, wantsPort := text, uint64(0), false
	if open := strings.LastIndexByte(text, '['); open > 0 && strings.HasSuffix(text, "]") {
		if _, err := fmt.Sscanf(text[open:], "[%d]", &port); err == nil {
			name, wantsPort = text[:open], true
		}
	}
	r, err := fabric.FindNamed("router", name, len(n.Routers), func(i int) (fabric.GUID, string) { return n.Routers[i].GUID, n.Routers[i].Name })
	if err != nil {
		return nil, fmt.Errorf("%w (a part of a subnet is SUBNET: PART)", err)
	}
	for p := n.Routers[r].First; p < n.Routers[r].End; p++ {
		if n.Ports[p].End >= 0 && (!wantsPort || uint64(n.Ports[p].Number) == port) {
			ports = append(ports, p)
		}
	}
	if len(ports) == 0 {
		return nil, fmt.Errorf("router %q has no cabled port %d", n.Routers[r].Name, port)
	}
	return ports, nil
}
