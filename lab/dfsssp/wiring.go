package dfsssp

import (
	"fmt"
	"strings"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/lab"
)

// unevenDeimos names Deimos with its links split nine and one, in place of a formula.
const unevenDeimos = "deimos, links nine and one"

// uneven returns Deimos with its links on other leaves: of the ten between two directors, nine end
// on one leaf of each, and the tenth on another. Directors and their hosts stay; hosts are added to
// the directors in turn, each to the leaf that has the fewest.
func uneven() *fabric.Graph {
	whole := lab.Must(gen.Parse("deimos"))
	isTrunk := func(id fabric.LinkID) bool {
		l := &whole.Links[id]
		return whole.IsSwitchLink(id) && isLeaf(whole, l.A.Node) && isLeaf(whole, l.B.Node)
	}
	f := whole.Without(func(id fabric.NodeID) bool { return whole.Nodes[id].Type != fabric.Switch }, isTrunk)
	f.Name = unevenDeimos
	d := &deimos{Fabric: f}
	var between [3][2]int // of a director, to the next and to the previous
	for id := range whole.Links {
		l := &whole.Links[id]
		if !isTrunk(fabric.LinkID(id)) {
			continue
		}
		from, to := director(whole, l.A.Node), director(whole, l.B.Node)
		var ends [2]fabric.End
		for i, pair := range [][2]int{{from, to}, {to, from}} {
			at, partner := pair[0], (pair[1]-pair[0]+2)%3
			ends[i] = d.port(at, 2*partner+between[at][partner]/9)
			between[at][partner]++
		}
		lab.Must(f.Connect(ends[0], ends[1], 4, fabric.EDR))
	}
	for h := range len(whole.Nodes) - len(f.Nodes) {
		d.addHost(h)
	}
	return f.Compile()
}

// deimos is Deimos while it is built.
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

// addHost adds a host to the director with the fewest hosts that still has room, and there to the
// leaf with the most room.
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

// director returns the number of a switch's director.
func director(f *fabric.Fabric, id fabric.NodeID) int {
	return int(f.Nodes[id].Desc[len("director ")] - '0')
}
