package whatif

import (
	"cmp"

	"weft/fabric"
)

// Planes holds the parts of a network that no switch cable joins, by the GUIDs of its switches.
// Parts are planes of one network if some server has ports on both. No pair of ports in two planes
// has a path, and none is lost. Several goroutines may read it.
type Planes struct {
	part, net map[fabric.GUID]fabric.GUID // a switch that stands for the part, or for the network
}

// FindPlanes finds the planes of a fabric, or of one before and after changes. Cables count whether
// they are up or down: what a failure tears apart is no plane.
func FindPlanes(fabrics ...*fabric.Fabric) *Planes {
	p := &Planes{map[fabric.GUID]fabric.GUID{}, map[fabric.GUID]fabric.GUID{}}
	for _, f := range fabrics {
		for i := range f.Links {
			if l := &f.Links[i]; f.IsSwitchLink(fabric.LinkID(i)) {
				join(p.part, f.Nodes[l.A.Node].GUID, f.Nodes[l.B.Node].GUID)
				join(p.net, f.Nodes[l.A.Node].GUID, f.Nodes[l.B.Node].GUID)
			}
		}
		for _, s := range f.Servers().List {
			first := fabric.GUID(0)
			for _, adapter := range s.Adapters {
				for peer := range f.SwitchPeers(fabric.NodeID(adapter), nil) {
					if first == 0 {
						first = f.Nodes[peer].GUID
					}
					join(p.net, first, f.Nodes[peer].GUID)
				}
			}
		}
	}
	for _, of := range []map[fabric.GUID]fabric.GUID{p.part, p.net} {
		for s := range of {
			of[s] = find(of, s)
		}
	}
	return p
}

// join makes two switches stand for one part, find returns the switch that stands for it. Both
// change the map.
func join(of map[fabric.GUID]fabric.GUID, a, b fabric.GUID) { of[find(of, a)] = find(of, b) }

func find(of map[fabric.GUID]fabric.GUID, a fabric.GUID) fabric.GUID {
	for {
		next, known := of[a]
		if !known || next == a {
			return a
		}
		of[a] = find(of, next)
		a = of[a]
	}
}

// apart returns, by switch of a Graph, a number for its part, and one for its network.
func (p *Planes) apart(g *fabric.Graph) *apart {
	a := &apart{make([]int32, g.NumSwitches), make([]int32, g.NumSwitches)}
	for _, of := range []struct {
		to   []int32
		from map[fabric.GUID]fabric.GUID
	}{{a.part, p.part}, {a.net, p.net}} {
		number := map[fabric.GUID]int32{}
		for s := range of.to {
			root := cmp.Or(of.from[g.SwitchGUID[s]], g.SwitchGUID[s])
			if _, known := number[root]; !known {
				number[root] = int32(len(number))
			}
			of.to[s] = number[root]
		}
	}
	return a
}

// apart tells which switches are in different planes of one network.
type apart struct{ part, net []int32 }

func (a *apart) are(s, t int32) bool {
	return a != nil && a.part[s] != a.part[t] && a.net[s] == a.net[t]
}
