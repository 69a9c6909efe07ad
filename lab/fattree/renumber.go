package fattree

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/lab"
)

// guidOrder is an order of the GUIDs of switches.
type guidOrder string

const (
	leavesFirst guidOrder = "leaves first" // as in formulas
	rootsFirst  guidOrder = "roots first"
	shuffled    guidOrder = "shuffled"
)

// renumbered returns a copy of a fabric whose switches have GUIDs in another order.
func renumbered(f *fabric.Fabric, o guidOrder, seed uint64) *fabric.Fabric {
	if o == leavesFirst {
		return f
	}
	var switches []fabric.NodeID // in order of GUID
	for id := range f.Nodes {
		if f.Nodes[id].Type == fabric.Switch {
			switches = append(switches, fabric.NodeID(id))
		}
	}
	slices.SortFunc(switches, func(a, b fabric.NodeID) int { return cmp.Compare(f.Nodes[a].GUID, f.Nodes[b].GUID) })
	guids := make([]fabric.GUID, len(switches))
	for i, id := range switches {
		guids[i] = f.Nodes[id].GUID
	}
	if o == rootsFirst {
		level := gen.Levels(f)
		slices.SortStableFunc(switches, func(a, b fabric.NodeID) int { return int(level[b] - level[a]) })
	} else {
		rng := rand.New(rand.NewPCG(seed, 0))
		rng.Shuffle(len(switches), func(i, j int) { switches[i], switches[j] = switches[j], switches[i] })
	}
	guid := map[fabric.NodeID]fabric.GUID{}
	for i, id := range switches {
		guid[id] = guids[i]
	}
	out := fabric.New(f.Name)
	for id := range f.Nodes {
		n := &f.Nodes[id]
		g, ok := guid[fabric.NodeID(id)]
		if !ok {
			g = n.GUID
		}
		lab.Must(out.AddNode(n.Type, g, n.NumPorts(), n.Desc))
	}
	for i := range f.Links {
		l := &f.Links[i]
		lab.Must(out.Connect(l.A, l.B, l.Width, l.Speed))
	}
	return out
}
