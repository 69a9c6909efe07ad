package cables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"weft/fabric"
)

// network holds the cables between switches that are plugged in, also those that routing does not
// use, by the switches that they join.
type network struct {
	f    *fabric.Fabric
	g    *fabric.Graph
	node []fabric.NodeID // by switch of the Graph

	neighbours [][]int32                // by switch, ascending
	plugged    map[pair][]fabric.LinkID // by pair of switches
	down       map[pair][]fabric.LinkID // those that are known, and down
}

// pair is two switches, the lesser first.
type pair struct{ a, b int32 }

func pairOf(a, b int32) pair { return pair{min(a, b), max(a, b)} }

func (p pair) compare(o pair) int { return cmp.Or(cmp.Compare(p.a, o.a), cmp.Compare(p.b, o.b)) }

func newNetwork(f *fabric.Fabric, g *fabric.Graph) *network {
	n := &network{
		f: f, g: g, node: make([]fabric.NodeID, g.NumSwitches), neighbours: make([][]int32, g.NumSwitches),
		plugged: map[pair][]fabric.LinkID{}, down: map[pair][]fabric.LinkID{},
	}
	switchOf := make(map[fabric.NodeID]int32, g.NumSwitches)
	for s, guid := range g.SwitchGUID {
		n.node[s], _ = f.NodeByGUID(guid)
		switchOf[n.node[s]] = int32(s)
	}
	for i := range f.Links {
		l, id := &f.Links[i], fabric.LinkID(i)
		a, known := switchOf[l.A.Node]
		b, both := switchOf[l.B.Node]
		switch p := pairOf(a, b); {
		case !known || !both || a == b:
		case !f.LinkUp(id):
			n.down[p] = append(n.down[p], id)
		default:
			n.plugged[p] = append(n.plugged[p], id)
		}
	}
	for p := range n.plugged {
		n.neighbours[p.a] = append(n.neighbours[p.a], p.b)
		n.neighbours[p.b] = append(n.neighbours[p.b], p.a)
	}
	for s := range n.neighbours {
		slices.Sort(n.neighbours[s])
	}
	return n
}

// count returns the number of cables between two switches.
func (n *network) count(a, b int32) int { return len(n.plugged[pairOf(a, b)]) }

// portAt returns the port of a switch in which a cable is.
func (n *network) portAt(s int32, id fabric.LinkID) uint8 {
	l := &n.f.Links[id]
	if l.A.Node == n.node[s] {
		return l.A.Port
	}
	return l.B.Port
}

// pattern is the regular shape that most cables of a network have.
type pattern struct {
	name  string // NoPattern where there is none
	odd   []Odd
	notes []string
}

// wanted holds, for pairs of switches, how many cables the pattern has between them. A pair that
// has cables, or should have some, and is not in it is beside the pattern.
type wanted struct {
	*network
	cables map[pair]int
	// alike lists pairs of switches whose first has its cables to the second in the ports in which s should have those to
	// another switch.
	alike func(s, to int32) [][2]int32
	named map[fabric.LinkID]bool // cables that are listed as odd already
}

// odd lists the cables that are missing from a pattern, crossed, or beside it.
func (w *wanted) odd() []Odd {
	missing, extra := map[pair]int{}, map[pair]int{}
	for p, want := range w.cables {
		switch have := len(w.plugged[p]); {
		case have < want:
			missing[p] = want - have
		case have > want:
			extra[p] = have - want
		}
	}
	for p, links := range w.plugged {
		if _, known := w.cables[p]; !known {
			extra[p] = len(links)
		}
	}
	w.named = map[fabric.LinkID]bool{}
	odd := w.crossed(missing, extra)
	room := w.room(extra)
	for _, p := range sorted(missing) {
		n := min(missing[p], room[p.a], room[p.b])
		room[p.a] -= n
		room[p.b] -= n
		odd = append(odd, w.missing(p, n)...)
	}
	for _, p := range sorted(extra) {
		for _, id := range w.leastUsual(p, extra[p]) {
			text := "beside the pattern"
			if w.cables[p] > 0 {
				text = fmt.Sprintf("%d cables between the two, %d elsewhere", len(w.plugged[p]), w.cables[p])
			}
			odd = append(odd, Odd{Kind: Extra, Ports: w.f.LinkPorts(id), Text: text})
		}
	}
	return odd
}

// room counts, by switch, the cables that it could have besides those that are where they should be: a cable for
// which there is no port is not missing.
func (w *wanted) room(extra map[pair]int) []int {
	room := make([]int, w.g.NumSwitches)
	for s := range room {
		room[s] = len(w.free(int32(s)))
	}
	for p, n := range extra {
		room[p.a] += n
		room[p.b] += n
	}
	return room
}

// sorted lists the pairs of switches that have a number, in order.
func sorted(of map[pair]int) []pair { return slices.SortedFunc(maps.Keys(of), pair.compare) }

// crossed takes pairs of cables out of missing and extra, each of which is plugged in where the other
// should be: a - d and b - c instead of a - c and b - d.
func (w *wanted) crossed(missing, extra map[pair]int) (odd []Odd) {
	take := func(from map[pair]int, p pair) {
		if from[p]--; from[p] == 0 {
			delete(from, p)
		}
	}
	lacks := map[int32][]int32{} // by switch: those to which a cable is missing
	for _, p := range sorted(missing) {
		lacks[p.a], lacks[p.b] = append(lacks[p.a], p.b), append(lacks[p.b], p.a)
	}
	cross := func(x pair) bool {
		for _, ends := range [2][2]int32{{x.a, x.b}, {x.b, x.a}} {
			a, d := ends[0], ends[1]
			for _, c := range lacks[a] {
				for _, b := range lacks[d] {
					first, second, other := pairOf(a, c), pairOf(d, b), pairOf(b, c)
					if first == second || missing[first] == 0 || missing[second] == 0 || extra[other] == 0 || other == x {
						continue
					}
					text := fmt.Sprintf("should be %s - %s and %s - %s", w.g.SwitchDesc[a], w.g.SwitchDesc[c], w.g.SwitchDesc[b], w.g.SwitchDesc[d])
					here, there := w.leastUsual(x, 1)[0], w.leastUsual(other, 1)[0]
					odd = append(odd, Odd{Kind: Crossed, Ports: slices.Concat(w.f.LinkPorts(here), w.f.LinkPorts(there)), Text: text})
					take(missing, first)
					take(missing, second)
					take(extra, x)
					take(extra, other)
					return true
				}
			}
		}
		return false
	}
	for _, x := range sorted(extra) {
		for extra[x] > 0 && cross(x) {
		}
	}
	return odd
}

// missing names so many cables that are missing between two switches, but for those that are down, with the ports
// in which they should be where that can be told.
func (w *wanted) missing(p pair, n int) (odd []Odd) {
	n -= len(w.down[p])
	if n <= 0 {
		return nil
	}
	a, b := w.guessPorts(p.a, p.b, n), w.guessPorts(p.b, p.a, n)
	for i := range n {
		text := "no cable"
		if have := len(w.plugged[p]); have > 0 {
			text = fmt.Sprintf("%d of %d cables between the two", have, w.cables[p])
		}
		odd = append(odd, Odd{Kind: Missing, Text: text, Ports: []fabric.PortName{w.g.SwitchPort(p.a, a[i]), w.g.SwitchPort(p.b, b[i])}})
	}
	return odd
}

// guessPorts guesses in which free ports of a switch n cables to another one should be: in those in
// which most pairs alike have theirs; where that is not told, in the only free ones. 0 stands for
// a port that is not known.
func (w *wanted) guessPorts(s, to int32, n int) []uint8 {
	ports := make([]uint8, n)
	alike := w.alike(s, to)
	used := w.portsOf(alike)
	found := 0
	free := w.free(s)
	byUse := slices.Clone(free)
	slices.SortStableFunc(byUse, func(a, b uint8) int { return cmp.Compare(used[b], used[a]) })
	for _, p := range byUse {
		if found < n && 2*used[p] > len(alike) {
			ports[found] = p
			found++
		}
	}
	if found == 0 && len(free) == n {
		copy(ports, free)
	}
	return ports
}

// portsOf counts the ports in which the first switches of pairs have their cables to the second ones.
func (w *wanted) portsOf(pairs [][2]int32) *[fabric.MaxPorts + 1]int {
	used := &[fabric.MaxPorts + 1]int{}
	for _, ends := range pairs {
		s, p := ends[0], pairOf(ends[0], ends[1])
		for _, list := range [2][]fabric.LinkID{w.plugged[p], w.down[p]} {
			for _, id := range list {
				used[w.portAt(s, id)]++
			}
		}
	}
	return used
}

// free lists the ports of a switch without a cable that is up.
func (w *wanted) free(s int32) (free []uint8) {
	for p, port := range w.f.Nodes[w.node[s]].Ports {
		if p > 0 && (port.Link == fabric.NoLink || !w.f.LinkUp(port.Link)) {
			free = append(free, uint8(p))
		}
	}
	return free
}

// leastUsual takes the n cables of a pair whose ports the fewest pairs alike use for theirs.
func (w *wanted) leastUsual(p pair, n int) []fabric.LinkID {
	links := slices.DeleteFunc(slices.Clone(w.plugged[p]), func(id fabric.LinkID) bool { return w.named[id] })
	usedA, usedB := w.portsOf(w.alike(p.a, p.b)), w.portsOf(w.alike(p.b, p.a))
	use := func(id fabric.LinkID) int { return usedA[w.portAt(p.a, id)] + usedB[w.portAt(p.b, id)] }
	slices.SortStableFunc(links, func(x, y fabric.LinkID) int { return cmp.Compare(use(x), use(y)) })
	for _, id := range links[:n] {
		w.named[id] = true
	}
	return links[:n]
}

// findPattern finds the pattern of a network: that of a mesh, torus or HyperX, of those the one that it breaks the
// least, of a Dragonfly, or of a tree.
func findPattern(f *fabric.Fabric, g *fabric.Graph) pattern {
	n := newNetwork(f, g)
	grid, isGrid := n.grid()
	hyperX, isHyperX := n.hyperX()
	switch {
	case isGrid && (!isHyperX || len(grid.odd) <= len(hyperX.odd)):
		return grid
	case isHyperX:
		return hyperX
	}
	if p, ok := n.dragonfly(); ok {
		return p
	}
	if p, ok := n.tree(); ok {
		return p
	}
	return pattern{name: NoPattern}
}

// nearlyAll reports whether so many of the cables of a pattern are there, and so few others, that the network has it.
func (w *wanted) nearlyAll() bool {
	all, have, beside := 0, 0, 0
	for p, want := range w.cables {
		all += want
		have += min(want, len(w.plugged[p]))
	}
	for p, links := range w.plugged {
		beside += max(0, len(links)-w.cables[p])
	}
	return all > 0 && float64(have) >= nearlyWhole*float64(all) && float64(beside) <= (1-nearlyWhole)*float64(all)
}
