package dfsssp

import (
	"fmt"
	"strings"

	"weft/fabric"
	"weft/fabric/gen"
)

// packed is a Deimos whose trunks fill the 12 outside ports of a leaf before the
// next, in place of each going to the next leaf. Directors, hosts and the number of
// trunks of each pair stay; hosts go round the directors, each to the leaf that has
// the fewest.
func packed(formula string) (*fabric.Graph, error) {
	whole, err := gen.Parse(formula)
	if err != nil {
		return nil, err
	}
	isTrunk := func(id fabric.LinkID) bool {
		l := &whole.Links[id]
		return whole.IsSwitchLink(id) && isLeaf(whole, l.A.Node) && isLeaf(whole, l.B.Node)
	}
	var pairs [][2]int // directors of each trunk
	for id := range whole.Links {
		if l := &whole.Links[id]; isTrunk(fabric.LinkID(id)) {
			pairs = append(pairs, [2]int{director(whole, l.A.Node), director(whole, l.B.Node)})
		}
	}
	f := whole.Without(func(id fabric.NodeID) bool { return whole.Nodes[id].Type != fabric.Switch }, isTrunk)
	f.Name = formula + ", trunks packed"
	var used [3]int // outside ports with a trunk, by director: the first ones, leaf by leaf
	for _, p := range pairs {
		var ends [2]fabric.End
		for i, d := range p {
			if ends[i], err = outside(f, d, used[d]/12, used[d]%12); err != nil {
				return nil, err
			}
			used[d]++
		}
		if _, err := f.Connect(ends[0], ends[1], 4, fabric.EDR); err != nil {
			return nil, err
		}
	}
	if err := addHosts(f, len(whole.Nodes)-len(f.Nodes), used); err != nil {
		return nil, err
	}
	return f.Compile(), nil
}

// addHosts adds hosts to the outside ports that are left.
func addHosts(f *fabric.Fabric, hosts int, used [3]int) error {
	var on [3]int         // hosts
	var onLeaf [3][24]int // hosts and trunks
	for d := range used {
		for l := range onLeaf[d] {
			onLeaf[d][l] = min(12, max(0, used[d]-12*l))
		}
	}
	for h := range hosts {
		d := 0
		for e := range on {
			if on[d]+used[d] == 288 || on[e] < on[d] && on[e]+used[e] < 288 {
				d = e
			}
		}
		leaf := 0
		for l := range onLeaf[d] {
			if onLeaf[d][l] < onLeaf[d][leaf] {
				leaf = l
			}
		}
		end, err := outside(f, d, leaf, onLeaf[d][leaf])
		if err != nil {
			return err
		}
		on[d]++
		onLeaf[d][leaf]++
		id, err := f.AddNode(fabric.CA, fabric.GUID(0x0200004800000000+(h+1)<<8), 1, fmt.Sprintf("host %d", h))
		if err != nil {
			return err
		}
		if _, err := f.Connect(fabric.End{Node: id, Port: 1}, end, 4, fabric.EDR); err != nil {
			return err
		}
	}
	return nil
}

func isLeaf(f *fabric.Fabric, id fabric.NodeID) bool {
	return strings.Contains(f.Nodes[id].Desc, "leaf")
}

// director is the number of a switch's director.
func director(f *fabric.Fabric, id fabric.NodeID) int {
	return int(f.Nodes[id].Desc[len("director ")] - '0')
}

// outside is an outside port of a leaf, from 0.
func outside(f *fabric.Fabric, director, leaf, port int) (fabric.End, error) {
	id, err := f.NodeByName(fmt.Sprintf("director %d leaf %d", director, leaf))
	return fabric.End{Node: id, Port: uint8(port + 1)}, err
}
