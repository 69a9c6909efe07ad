package service

import (
	"fmt"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/subnets"
	"weft/intersubnet"
	"weft/intersubnet/exchange"
	"weft/wire/mad"
)

// NewNetwork starts all subnets of a network, with its routers. They forward by a Plan; if it is
// nil, by the instructions of the subnets' managers (intersubnet/exchange).
func NewNetwork(n *subnets.Network, p *intersubnet.Plan, o Options) (*Service, error) {
	list := make([]Named, len(n.Subnets))
	for s := range list {
		f, err := n.Fabric(int32(s))
		if err != nil {
			return nil, err
		}
		list[s] = Named{n.Subnets[s].Name, f}
	}
	return NewJoined(list, func(all *emulator.Joined) error {
		addresses := addressesOf(n)
		for r := range int32(len(n.Routers)) {
			ports, err := routerPorts(n, r)
			if err != nil {
				return err
			}
			way, agent := asTold(n, r)
			if p != nil {
				way, agent = byPlan(p, r, addresses), nil
			}
			if err := all.AddRouter(ports, way, agent); err != nil {
				return err
			}
		}
		return nil
	}, o)
}

// routerPorts lists the ports of a router in the emulated subnets. A node has its number in the
// fabric of its Kind.
func routerPorts(n *subnets.Network, r int32) (list []emulator.RouterPort, err error) {
	for p := n.Routers[r].First; p < n.Routers[r].End; p++ {
		at := &n.Ports[p]
		g := n.Graph(at.Subnet)
		id, ok := n.Kinds[n.Subnets[at.Subnet].Kind].Fabric.NodeByGUID(g.EndNodeGUID[at.End])
		if !ok {
			return nil, fmt.Errorf("%s has no node in subnet %q", n.PortName(p), n.Subnets[at.Subnet].Name)
		}
		list = append(list, emulator.RouterPort{Subnet: int(at.Subnet), At: fabric.End{Node: id, Port: g.EndNum[at.End]}})
	}
	return list, nil
}

// addressesOf indexes the end ports of a network by GID.
func addressesOf(n *subnets.Network) map[mad.GID]intersubnet.Address {
	addresses := map[mad.GID]intersubnet.Address{}
	for s := range int32(len(n.Subnets)) {
		for e := range int32(n.Graph(s).NumEnds) {
			gid := n.GID(s, e)
			addresses[mad.MakeGID(uint64(gid.Prefix), uint64(gid.GUID))] = intersubnet.Address{Subnet: s, End: e}
		}
	}
	return addresses
}

// byPlan returns a router's forwarding by the Plan.
func byPlan(p *intersubnet.Plan, r int32, addresses map[mad.GID]intersubnet.Address) emulator.Way {
	first := p.Net.Routers[r].First
	return func(in int, source uint16, sl uint8, to mad.GID) (emulator.Onward, bool) {
		target, ok := addresses[to]
		if !ok {
			return emulator.Onward{}, false
		}
		send := p.Forward(first+int32(in), fabric.LID(source), sl, target)
		return emulator.Onward{Port: int(send.Port - first), LID: uint16(send.Destination), SL: send.SL}, send.Port >= 0
	}
}

// asTold returns a router's forwarding by the instructions of managers over the wire.
func asTold(n *subnets.Network, r int32) (emulator.Way, emulator.Agent) {
	ports := n.Ports[n.Routers[r].First:n.Routers[r].End]
	numbers := make([]uint8, len(ports))
	for i := range ports {
		numbers[i] = ports[i].Number
	}
	subnetOf := func(port int) int { return int(ports[port].Subnet) }
	router := exchange.NewRouter(n.Routers[r].GUID, numbers)
	way := func(_ int, source uint16, _ uint8, to mad.GID) (emulator.Onward, bool) {
		port, e, ok := router.Forward(fabric.LID(source), intersubnet.GIDOf(to), subnetOf)
		return emulator.Onward{Port: port, LID: uint16(e.LID), SL: e.SL}, ok
	}
	agent := func(in int, from, master uint16, m mad.Datagram) mad.Status {
		return router.Answer(in, fabric.LID(from), fabric.LID(master), m)
	}
	return way, agent
}
