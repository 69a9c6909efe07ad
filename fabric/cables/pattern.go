package cables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"weft/fabric"
)

// network holds the plugged-in cables between switches, including the ones that routing does not
// use, by pair of switches.
type network struct {
	f    *fabric.Fabric
	g    *fabric.Graph
	node []fabric.NodeID // by switch of the Graph

	neighbours [][]int32                // by switch, ascending
	plugged    map[pair][]fabric.LinkID // by pair of switches
	down       map[pair][]fabric.LinkID // known cables that are down
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

// portAt returns the port of a cable at a switch.
func (n *network) portAt(s int32, id fabric.LinkID) uint8 {
	l := &n.f.Links[id]
	if l.A.Node == n.node[s] {
		return l.A.Port
	}
	return l.B.Port
}

// pattern is the regular shape of most cables of a network.
type pattern struct {
	name  string // NoPattern if there is none
	odd   []Odd
	notes []string
}

// wanted holds the number of cables that the pattern has between pairs of switches. Cables of a
// pair that is not in it are extra.
type wanted struct {
	*network
	cables map[pair]int
	// alike lists pairs of switches that use the same ports for their cables as s should use for
	// cables to another switch.
	alike func(s, to int32) [][2]int32
	named map[fabric.LinkID]bool // cables already listed as odd
}

// odd lists the missing, crossed and extra cables of a pattern.
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

// room counts, by switch, the ports that are free or hold extra cables: without a port, a cable is
// not missing.
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

// sorted lists the pairs of a map in order.
func sorted(of map[pair]int) []pair { return slices.SortedFunc(maps.Keys(of), pair.compare) }

// crossed removes pairs of cables from missing and extra that have swapped ends: a - d and b - c
// instead of a - c and b - d.
func (w *wanted) crossed(missing, extra map[pair]int) (odd []Odd) {
	take := func(from map[pair]int, p pair) {
		if from[p]--; from[p] == 0 {
			delete(from, p)
		}
	}
	lacks := map[int32][]int32{} // by switch: switches to which a cable is missing
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

// missing lists n missing cables between two switches, without cables that are known to be down,
// with their ports if these can be guessed.
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

// guessPorts guesses the free ports of a switch for n cables to another one: ports that most pairs
// alike use, or else the only free ports. 0 stands for an unknown port.
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

// portsOf counts, over pairs of switches, the ports that the first ones use for cables to the
// second ones.
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

// leastUsual returns the n cables of a pair in ports that the fewest pairs alike use.
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

// findPattern finds the pattern of a network: a mesh or torus, or a HyperX, whichever has fewer odd
// cables; else a Dragonfly; else a tree.
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

// nearlyAll reports whether the network has the pattern: nearly all of its cables are there, and
// few others.
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
