package relief

import (
	"slices"

	"weft/fabric"
	"weft/route"
)

// column holds the paths from all switches to one LID.
type column struct {
	g      *fabric.Graph
	tables *route.Tables

	next    []int32 // by switch: channel towards the LID, fabric.Nothing at its own switch and without a way
	depth   []int32 // by switch: hops when the column was read, -1 without a way; next leads to less
	flow    []int64 // by switch: hosts whose packets pass it
	order   []int32 // switches with a next channel, the farthest first
	child   []int32 // by switch: a switch whose next channel leads to it; fabric.Nothing: none
	sibling []int32 // by switch: another switch whose next channel leads to the same one
	// Set by gather: the switches whose packets pass a switch, including itself; and those of them
	// with hosts.
	above, source []int32
}

func newColumn(g *fabric.Graph, plan *route.Plan) column {
	n := g.NumSwitches
	return column{
		g: g, tables: plan.Tables, next: make([]int32, n), depth: make([]int32, n), flow: make([]int64, n),
		child: make([]int32, n), sibling: make([]int32, n),
	}
}

// read reads the paths to a LID of an end port at switch home. count holds the number of hosts by
// switch.
func (l *column) read(home int32, lid fabric.LID, count []int32) {
	for x := range l.next {
		l.next[x], l.depth[x], l.child[x] = fabric.Nothing, -1, fabric.Nothing
	}
	for x := range int32(len(l.next)) {
		if x == home {
			continue
		}
		if port := l.tables.Port(x, lid); port != route.NoPort {
			if c, _ := l.g.At(x, port); c >= 0 {
				l.next[x] = c
				l.link(x)
			}
		}
	}
	l.order, l.depth[home] = append(l.order[:0], home), 0
	for i := 0; i < len(l.order); i++ {
		x := l.order[i]
		l.flow[x] = int64(count[x])
		for y := l.child[x]; y >= 0; y = l.sibling[y] {
			l.depth[y] = l.depth[x] + 1
			l.order = append(l.order, y)
		}
	}
	for x, depth := range l.depth {
		if depth < 0 {
			l.next[x] = fabric.Nothing
		}
	}
	l.order = l.order[1:]
	slices.Reverse(l.order)
	for _, x := range l.order {
		l.flow[l.g.To[l.next[x]]] += l.flow[x]
	}
}

// link adds a switch to the children of the switch at the end of its next channel.
func (l *column) link(x int32) {
	y := l.g.To[l.next[x]]
	l.sibling[x], l.child[y] = l.child[y], x
}

// move gives a switch another next channel.
func (l *column) move(x, c int32) {
	at := &l.child[l.g.To[l.next[x]]]
	for *at != x {
		at = &l.sibling[*at]
	}
	*at = l.sibling[x]
	l.next[x] = c
	l.link(x)
}

// changeFlow adds hosts to the switches on the path over a channel.
func (l *column) changeFlow(c int32, n int64) {
	for ; c >= 0; c = l.next[l.g.To[c]] {
		l.flow[l.g.To[c]] += n
	}
}

// leadsNearer reports whether a channel leads from a switch towards the LID.
func (l *column) leadsNearer(x, c int32) bool {
	y := l.g.To[c]
	return l.depth[y] >= 0 && l.depth[y] < l.depth[x] && (l.depth[y] == 0 || !l.g.Drained[y])
}

// hasChoice reports whether a switch has several channels towards the LID.
func (l *column) hasChoice(x int32) bool {
	n := 0
	for _, c := range l.g.OutOf(x) {
		if l.leadsNearer(x, c) {
			if n++; n == 2 {
				return true
			}
		}
	}
	return false
}

// gather sets above and source for the packets through a switch.
func (l *column) gather(x int32, count []int32) {
	l.above, l.source = append(l.above[:0], x), l.source[:0]
	for i := 0; i < len(l.above); i++ {
		x := l.above[i]
		if count[x] > 0 {
			l.source = append(l.source, x)
		}
		for y := l.child[x]; y >= 0; y = l.sibling[y] {
			l.above = append(l.above, y)
		}
	}
}
