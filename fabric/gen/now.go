package gen

import (
	"fmt"

	"weft/fabric"
)

// cluster is one subcluster of the Berkeley NOW: level 1 with hosts, level 2, level 3, and joining
// switches. All have 8 ports and use the lowest free one first.
type cluster struct {
	name    string
	hosts   []int   // by switch of level 1
	uplinks [][]int // by switch of level 1: switches of level 2, from 1
	joining int     // joining switches
}

var (
	nowC = cluster{"C", []int{5, 5, 5, 5, 5, 5, 5}, sevenUplinks, 0}
	nowA = cluster{"A", []int{5, 5, 5, 5, 5, 5, 4}, sevenUplinks, 0}
	nowB = cluster{"B", []int{5, 5, 5, 5, 5, 5}, [][]int{{1, 2, 3}, {2, 3, 4}, {3, 4, 1}, {4, 1, 2}, {1, 2, 3}, {2, 3, 4}}, 2}

	// The middle switch has two cables up instead of three.
	sevenUplinks = [][]int{{1, 2, 3}, {2, 3, 4}, {3, 4, 1}, {4, 1}, {1, 2, 3}, {2, 3, 4}, {4, 1, 2}}
)

// namedBuilder adds switches of 8 ports by name, and tracks their free ports.
type namedBuilder struct {
	*builder
	byName map[string]fabric.NodeID
	used   map[fabric.NodeID]int
}

func (b *namedBuilder) node(name string) fabric.NodeID {
	id, ok := b.byName[name]
	if !ok {
		id = b.add(8, name)
		b.byName[name] = id
	}
	return id
}

// port takes the lowest free port of a switch.
func (b *namedBuilder) port(id fabric.NodeID) int {
	b.used[id]++
	return b.used[id]
}

func (b *namedBuilder) join(x, y string) {
	s, t := b.node(x), b.node(y)
	b.link(s, b.port(s), t, b.port(t))
}

func (b *namedBuilder) hang(name string) {
	s := b.node(name)
	b.host(s, b.port(s))
}

// subcluster builds one subcluster: its switches, hosts and cables.
func (b *namedBuilder) subcluster(c cluster) {
	name := func(level, i int) string { return fmt.Sprintf("%s%d.%d", c.name, level, i) }
	for level, n := range []int{len(c.hosts), 4, 2} {
		for i := range n {
			b.node(name(level+1, i+1))
		}
	}
	for j := range c.joining {
		b.node(fmt.Sprintf("X%d", j+1))
	}
	for i, n := range c.hosts {
		for range n {
			b.hang(name(1, i+1))
		}
	}
	if c.name == "C" {
		b.hang("C3.1") // the utility host
	}
	for i, up := range c.uplinks {
		for _, j := range up {
			b.join(name(1, i+1), name(2, j))
		}
	}
	for j := range 4 {
		for r := range 2 {
			b.join(name(2, j+1), name(3, r+1))
		}
	}
}

func newNamed(b *builder) namedBuilder {
	return namedBuilder{b, map[string]fabric.NodeID{}, map[fabric.NodeID]int{}}
}

// now builds subcluster C, and A and B if asked for.
func now(withA, withB bool) func(b *builder, _ int) {
	return func(b *builder, _ int) {
		n := newNamed(b)
		n.subcluster(nowC)
		if withA {
			n.subcluster(nowA)
			n.join("A3.1", "C3.1")
			n.join("A3.2", "C3.2")
		}
		if withB {
			n.subcluster(nowB)
			for _, root := range []string{"A3.1", "B3.1", "C3.1", "B3.2", "A3.2"} {
				n.join("X1", root)
			}
			for _, root := range []string{"B3.2", "C3.2", "A3.2", "B3.1"} {
				n.join("X2", root)
			}
		}
	}
}

// renamingFig1 builds the network of Fig. 1 of the destination renaming paper: nine switches n0 to
// n8 with a host each, channels c1 to c12 in order on the lowest free ports, root n0.
func renamingFig1(b *builder, _ int) {
	n := newNamed(b)
	name := func(i int) string { return fmt.Sprintf("n%d", i) }
	for i := range 9 {
		n.node(name(i))
	}
	for _, c := range [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 5}, {2, 8}, {3, 6}, {3, 7}, {4, 5}, {7, 8}, {6, 7}, {5, 6}} {
		n.join(name(c[0]), name(c[1]))
	}
	for i := range 9 {
		n.hang(name(i))
	}
}
