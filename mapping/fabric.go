package mapping

import (
	"fmt"

	"weft/fabric"
)

// HostWires is the error for a host with more than one wire.
type HostWires struct {
	Node  fabric.NodeID
	Name  string
	Wires int
}

func (e *HostWires) Error() string {
	return fmt.Sprintf("mapping: host %s has %d wires (a host has one)", e.Name, e.Wires)
}

// FromFabric makes a network of anonymous switches from the nodes and links of a fabric that are
// up. Hosts are its CAs and routers, which may have one cable each.
func FromFabric(f *fabric.Fabric) (*Network, error) {
	var (
		hosts  []Host
		degree []int32
		names  []string
		wires  []Wire
	)
	renamed := make([]int32, len(f.Nodes))
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.Down || n.Type == fabric.Switch {
			continue
		}
		cables := 0
		for p := range n.Ports {
			if l := n.Ports[p].Link; l != fabric.NoLink && f.LinkUp(l) {
				cables++
			}
		}
		switch {
		case cables > 1:
			return nil, &HostWires{Node: fabric.NodeID(i), Name: f.NodeName(fabric.NodeID(i)), Wires: cables}
		case cables == 1:
			renamed[i] = int32(len(hosts))
			hosts = append(hosts, Host{ID: uint64(n.GUID), Name: n.Desc})
		}
	}
	for i := range f.Nodes {
		if n := &f.Nodes[i]; !n.Down && n.Type == fabric.Switch {
			if n.NumPorts() > maxDegree {
				return nil, fmt.Errorf("mapping: switch %s has %d ports (turns allow at most %d)", f.NodeName(fabric.NodeID(i)), n.NumPorts(), maxDegree)
			}
			renamed[i] = int32(len(hosts) + len(degree))
			degree = append(degree, int32(n.NumPorts()))
			names = append(names, n.Desc)
		}
	}
	for i := range f.Links {
		if !f.LinkUp(fabric.LinkID(i)) {
			continue
		}
		var w Wire
		for k, e := range [2]fabric.End{f.Links[i].A, f.Links[i].B} {
			w[k].Node = renamed[e.Node]
			if f.Nodes[e.Node].Type == fabric.Switch {
				w[k].Port = int32(e.Port) - 1
			}
		}
		wires = append(wires, w)
	}
	n, err := New(hosts, degree, wires)
	if err != nil {
		return nil, err
	}
	n.Names = names
	return n, nil
}

// maxDegree keeps turns within a byte.
const maxDegree = 128

// firstSwitchGUID is the first GUID of the switches in a map, which have none of their own.
const firstSwitchGUID fabric.GUID = 0xa0000000_00000001

// ToFabric converts a map to a fabric, with links of the given width and speed. Switches get GUIDs
// and names in order.
func (n *Network) ToFabric(name string, w fabric.Width, s fabric.Speed) (*fabric.Fabric, error) {
	f := fabric.New(name)
	for _, h := range n.Hosts {
		if _, err := f.AddNode(fabric.CA, fabric.GUID(h.ID), 1, h.Name); err != nil {
			return nil, err
		}
	}
	guid := firstSwitchGUID
	for i, d := range n.Degree {
		for taken := true; taken; guid++ {
			_, taken = f.NodeByGUID(guid)
		}
		if _, err := f.AddNode(fabric.Switch, guid-1, int(d), n.NodeName(int32(len(n.Hosts)+i))); err != nil {
			return nil, err
		}
	}
	for _, wire := range n.Wires() {
		a, b := wire[0], wire[1]
		if _, err := f.Connect(fabric.End{Node: fabric.NodeID(a.Node), Port: uint8(a.Port) + 1},
			fabric.End{Node: fabric.NodeID(b.Node), Port: uint8(b.Port) + 1}, w, s); err != nil {
			return nil, err
		}
	}
	return f, nil
}
