package fattree

import (
	"slices"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/lab"
)

// plugging maps cable k up from leaf r to its end: the switch above the leaves, and the port. All
// but the port are numbered from 0.
type plugging func(r, k int) (above int, port uint8)

// oneByOne plugs the twelve cables of a rack switch of racks648 into twelve switches, instead of
// three each into four.
func oneByOne(r, k int) (above int, port uint8) {
	const cables, thirds = 12, 3
	module, side := r/2, r%2
	return module%thirds*cables + k, uint8(module/thirds*2 + side + 1)
}

// replugged returns a fabric with its leaves' cables up plugged differently.
func replugged(base string, plug plugging) *fabric.Graph {
	whole := lab.Must(gen.Parse(base))
	var leaves, above []fabric.NodeID
	level := gen.Levels(whole)
	for id, l := range level {
		switch l {
		case 0:
			leaves = append(leaves, fabric.NodeID(id))
		case 1:
			above = append(above, fabric.NodeID(id))
		}
	}
	f := whole.Without(nil, func(id fabric.LinkID) bool {
		a, b := level[whole.Links[id].A.Node], level[whole.Links[id].B.Node]
		return min(a, b) == 0 && max(a, b) == 1
	})
	for r, leaf := range leaves {
		for k, port := range upPorts(whole, leaf, level) {
			to, at := plug(r, k)
			lab.Must(f.Connect(fabric.End{Node: leaf, Port: port}, fabric.End{Node: above[to], Port: at}, 4, fabric.EDR))
		}
	}
	return f.Compile()
}

// upPorts returns the ports of a leaf that lead up.
func upPorts(f *fabric.Fabric, leaf fabric.NodeID, level []int32) []uint8 {
	var ports []uint8
	for i := range f.Links {
		a, b := f.Links[i].A, f.Links[i].B
		if b.Node == leaf {
			a, b = b, a
		}
		if a.Node == leaf && level[b.Node] == 1 {
			ports = append(ports, a.Port)
		}
	}
	slices.Sort(ports)
	return ports
}
