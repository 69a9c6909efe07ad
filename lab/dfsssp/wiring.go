package dfsssp

import (
	"fmt"
	"strings"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/lab"
)

// dealing says on which leaf of a director a trunk ends: the nth of all its trunks, and
// the kth of those to a partner, both from 0. between is 0 for the next director, 1 for
// the one before.
type dealing func(nth, kth, between int) (leaf int)

// dealings by the suffix of a formula of Deimos.
var dealings = map[string]dealing{
	" packed":    func(nth, _, _ int) int { return nth / 12 },
	" nine+one":  uneven(9),
	" eight+two": uneven(8),
}

// uneven puts the first trunks to a partner on one leaf, and the rest on another.
func uneven(first int) dealing {
	return func(_, kth, between int) int {
		if kth < first {
			return 2 * between
		}
		return 2*between + 1
	}
}

// rewired is a Deimos with its trunks on other leaves. Directors, hosts and the number
// of trunks of each pair stay; hosts go round the directors, each to the leaf that
// has the fewest.
func rewired(formula string, deal dealing) *fabric.Graph {
	whole := lab.Must(gen.Parse(formula))
	isTrunk := func(id fabric.LinkID) bool {
		l := &whole.Links[id]
		return whole.IsSwitchLink(id) && isLeaf(whole, l.A.Node) && isLeaf(whole, l.B.Node)
	}
	f := whole.Without(func(id fabric.NodeID) bool { return whole.Nodes[id].Type != fabric.Switch }, isTrunk)
	f.Name = formula + ", trunks rewired"
	d := &deimos{Fabric: f}
	var trunks [3]int     // of a director
	var between [3][2]int // of a director, to the next and to the one before
	for id := range whole.Links {
		l := &whole.Links[id]
		if !isTrunk(fabric.LinkID(id)) {
			continue
		}
		from, to := director(whole, l.A.Node), director(whole, l.B.Node)
		var ends [2]fabric.End
		for i, pair := range [][2]int{{from, to}, {to, from}} {
			at, partner := pair[0], (pair[1]-pair[0]+2)%3
			ends[i] = d.port(at, deal(trunks[at], between[at][partner], partner))
			trunks[at]++
			between[at][partner]++
		}
		lab.Must(f.Connect(ends[0], ends[1], 4, fabric.EDR))
	}
	for h := range len(whole.Nodes) - len(f.Nodes) {
		d.addHost(h)
	}
	return f.Compile()
}

// deimos is one in the making.
type deimos struct {
	*fabric.Fabric
	hosts  [3]int     // of a director
	used   [3]int     // outside ports of a director
	onLeaf [3][24]int // outside ports of a leaf: the first ones
}

// port takes the next outside port of a leaf.
func (d *deimos) port(at, leaf int) fabric.End {
	id := lab.Must(d.FindNode(fmt.Sprintf("director %d leaf %d", at, leaf)))
	d.used[at]++
	d.onLeaf[at][leaf]++
	return fabric.End{Node: id, Port: uint8(d.onLeaf[at][leaf])}
}

// addHost adds a host to the director with the fewest, of those with room, and there to
// the leaf with the most room.
func (d *deimos) addHost(h int) {
	at := 0
	for e := range d.hosts {
		if d.used[at] == 288 || d.hosts[e] < d.hosts[at] && d.used[e] < 288 {
			at = e
		}
	}
	leaf := 0
	for l := range d.onLeaf[at] {
		if d.onLeaf[at][l] < d.onLeaf[at][leaf] {
			leaf = l
		}
	}
	end := d.port(at, leaf)
	d.hosts[at]++
	id := lab.Must(d.AddNode(fabric.CA, fabric.GUID(0x0200004800000000+(h+1)<<8), 1, fmt.Sprintf("host %d", h)))
	lab.Must(d.Connect(fabric.End{Node: id, Port: 1}, end, 4, fabric.EDR))
}

func isLeaf(f *fabric.Fabric, id fabric.NodeID) bool {
	return strings.Contains(f.Nodes[id].Desc, "leaf")
}

// director is the number of a switch's director.
func director(f *fabric.Fabric, id fabric.NodeID) int {
	return int(f.Nodes[id].Desc[len("director ")] - '0')
}
