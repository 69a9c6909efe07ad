// Package intree reads the paths from all switches to one LID, a tree with its root at the end
// port, for stages that move paths of a finished Plan.
package intree

import (
	"slices"

	"weft/fabric"
	"weft/route"
)

// Tree holds the paths to the LID of the last Read.
type Tree struct {
	g *fabric.Graph

	Home    int32   // switch of the LID's end port
	Next    []int32 // by switch: channel towards the LID, fabric.Nothing at its own switch and without a way
	Depth   []int32 // by switch: hops when the paths were read, -1 without a way; Next leads to less
	Flow    []int64 // by switch with a way: hosts whose packets pass it
	Order   []int32 // switches with a next channel, the farthest first
	reached []int32 // Order and Home
	Child   []int32 // by switch: a switch whose next channel leads to it; fabric.Nothing: none
	Sibling []int32 // by switch: another switch whose next channel leads to the same one
	// Set by Gather, for one switch: Above lists the switches whose packets pass it, itself
	// included; Source lists the switches among them with hosts.
	Above, Source []int32
}

// New makes a Tree for the tables of a Graph.
func New(g *fabric.Graph) *Tree {
	n := g.NumSwitches
	return &Tree{
		g: g, Next: make([]int32, n), Depth: make([]int32, n), Flow: make([]int64, n),
		Child: make([]int32, n), Sibling: make([]int32, n), reached: make([]int32, 0, n),
	}
}

// Read reads the paths to a LID of an end port at switch home. count holds the number of hosts by
// switch.
func (t *Tree) Read(tables *route.Tables, home int32, lid fabric.LID, count []int32) {
	for x := range int32(len(t.Next)) {
		t.Next[x], _ = t.g.At(x, tables.Port(x, lid))
	}
	t.build(home, count)
}

// ReadPorts is Read for table entries by switch.
func (t *Tree) ReadPorts(ports []uint8, home int32, count []int32) {
	for x, port := range ports {
		t.Next[x], _ = t.g.At(int32(x), port)
	}
	t.build(home, count)
}

// Columns holds the channels of all switches to the LIDs of one block of the tables. Trees of many
// LIDs are read faster from it.
type Columns struct {
	g    *fabric.Graph
	next [route.BlockSize][]int32 // by LID, switch
}

// NewColumns makes Columns for the tables of a Graph.
func NewColumns(g *fabric.Graph) *Columns {
	c := &Columns{g: g}
	for k := range c.next {
		c.next[k] = make([]int32, g.NumSwitches)
	}
	return c
}

// Read reads a block.
func (c *Columns) Read(tables *route.Tables, block int) {
	for x := range int32(c.g.NumSwitches) {
		for k, port := range tables.Block(x, block) {
			c.next[k][x], _ = c.g.At(x, port)
		}
	}
}

// Take is Read for a LID of the block that Columns holds.
func (t *Tree) Take(c *Columns, home int32, lid fabric.LID, count []int32) {
	copy(t.Next, c.next[lid%route.BlockSize])
	t.build(home, count)
}

// build sets all but Next, which may also lead nowhere and in circles.
func (t *Tree) build(home int32, count []int32) {
	to := t.g.To
	for x := range t.Depth {
		t.Depth[x], t.Child[x] = -1, fabric.Nothing
	}
	t.Home, t.Depth[home], t.Next[home] = home, 0, fabric.Nothing
	for x, c := range t.Next {
		if c >= 0 {
			y := to[c]
			t.Sibling[x], t.Child[y] = t.Child[y], int32(x)
		}
	}
	reached := append(t.reached[:0], home)
	for i := 0; i < len(reached); i++ {
		x := reached[i]
		t.Flow[x] = int64(count[x])
		for y := t.Child[x]; y >= 0; y = t.Sibling[y] {
			t.Depth[y] = t.Depth[x] + 1
			reached = append(reached, y)
		}
	}
	if len(reached) < len(t.Next) {
		for x, depth := range t.Depth {
			if depth < 0 {
				t.Next[x] = fabric.Nothing
			}
		}
	}
	t.reached, t.Order = reached, reached[1:]
	slices.Reverse(t.Order)
	for _, x := range t.Order {
		t.Flow[to[t.Next[x]]] += t.Flow[x]
	}
}

// Move gives a switch another next channel. Flow stays as it was.
func (t *Tree) Move(x, c int32) {
	at := &t.Child[t.g.To[t.Next[x]]]
	for *at != x {
		at = &t.Sibling[*at]
	}
	*at = t.Sibling[x]
	y := t.g.To[c]
	t.Next[x], t.Sibling[x], t.Child[y] = c, t.Child[y], x
}

// ChangeFlow adds hosts to the switches on the path over a channel.
func (t *Tree) ChangeFlow(c int32, n int64) {
	for ; c >= 0; c = t.Next[t.g.To[c]] {
		t.Flow[t.g.To[c]] += n
	}
}

// LeadsNearer reports whether a channel leads from a switch towards the LID.
func (t *Tree) LeadsNearer(x, c int32) bool {
	y := t.g.To[c]
	return t.Depth[y] >= 0 && t.Depth[y] < t.Depth[x] && (t.Depth[y] == 0 || !t.g.Drained[y])
}

// HasChoice reports whether a switch has several channels towards the LID.
func (t *Tree) HasChoice(x int32) bool {
	n := 0
	for _, c := range t.g.OutOf(x) {
		if t.LeadsNearer(x, c) {
			if n++; n == 2 {
				return true
			}
		}
	}
	return false
}

// Passes reports whether the path from switch x passes switch z after its start.
func (t *Tree) Passes(x, z int32) bool {
	for c := t.Next[x]; c >= 0; c = t.Next[t.g.To[c]] {
		if t.g.To[c] == z {
			return true
		}
	}
	return false
}

// Gather sets Above and Source for the packets through a switch. count holds the number of hosts by
// switch.
func (t *Tree) Gather(x int32, count []int32) {
	t.Above, t.Source = append(t.Above[:0], x), t.Source[:0]
	for i := 0; i < len(t.Above); i++ {
		x := t.Above[i]
		if count[x] > 0 {
			t.Source = append(t.Source, x)
		}
		for y := t.Child[x]; y >= 0; y = t.Sibling[y] {
			t.Above = append(t.Above, y)
		}
	}
}
