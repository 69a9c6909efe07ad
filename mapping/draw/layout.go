package draw

import (
	"cmp"
	"slices"

	"weft/mapping"
)

// Layout holds the places of the nodes of a map.
type Layout struct {
	Levels [][]int32 // switches by level, from the one with hosts, each from left to right
	Level  []int     // by node: of a switch; hosts are at -1, the one below at that of its switch
	Below  int32     // a host that is drawn below its switch, -1 for none
	X      []float64 // by node: its middle
	Width  float64
}

const (
	hostWidth   = 17.0
	switchWidth = 64.0
	switchGap   = 14.0
	sweeps      = 24
)

// Place finds levels and places. The utility host is drawn below its switch if no other
// host is there; -1 stands for none.
func Place(n *mapping.Network, utility int32) *Layout {
	l := &Layout{Level: make([]int, n.NumNodes()), X: make([]float64, n.NumNodes()), Below: -1}
	if utility >= 0 && alone(n, utility) && n.NumHosts() > 1 {
		l.Below = utility
	}
	l.levels(n)
	p := newPlacer(n, l)
	p.order()
	p.place()
	return l
}

// alone reports whether a host is the only one on its switch.
func alone(n *mapping.Network, host int32) bool {
	at, ok := n.Peer(mapping.End{Node: host})
	if !ok || n.IsHost(at.Node) {
		return false
	}
	for p := range n.Ports(at.Node) {
		if e, ok := n.Peer(mapping.End{Node: at.Node, Port: p}); ok && n.IsHost(e.Node) && e.Node != host {
			return false
		}
	}
	return true
}

// levels finds the levels, by a search from all hosts but the one below.
func (l *Layout) levels(n *mapping.Network) {
	for v := range l.Level {
		l.Level[v] = -1
	}
	var queue []int32
	for h := range int32(n.NumHosts()) {
		if h != l.Below {
			queue = append(queue, h)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for p := range n.Ports(v) {
			e, ok := n.Peer(mapping.End{Node: v, Port: p})
			if !ok || n.IsHost(e.Node) || l.Level[e.Node] >= 0 {
				continue
			}
			level := l.Level[v] + 1
			l.Level[e.Node] = level
			if level == len(l.Levels) {
				l.Levels = append(l.Levels, nil)
			}
			l.Levels[level] = append(l.Levels[level], e.Node)
			queue = append(queue, e.Node)
		}
	}
	if l.Below >= 0 {
		at, _ := n.Peer(mapping.End{Node: l.Below})
		l.Level[l.Below] = l.Level[at.Node]
	}
}

// placer orders and places the nodes of a layout.
type placer struct {
	*Layout
	n     *mapping.Network
	hosts []int32   // from left to right, without the one below
	near  [][]int32 // by node: at the other ends of its wires, wires to itself left out
	rank  []int     // by node: its place in its level, or among the hosts
}

func newPlacer(n *mapping.Network, l *Layout) *placer {
	p := &placer{Layout: l, n: n, near: make([][]int32, n.NumNodes()), rank: make([]int, n.NumNodes())}
	for _, w := range n.Wires() {
		if a, b := w[0].Node, w[1].Node; a != b {
			p.near[a] = append(p.near[a], b)
			p.near[b] = append(p.near[b], a)
		}
	}
	for h := range int32(n.NumHosts()) {
		if h != l.Below {
			p.hosts = append(p.hosts, h)
		}
	}
	slices.SortStableFunc(p.hosts, func(a, b int32) int {
		return cmp.Compare(n.Hosts[a].ID, n.Hosts[b].ID)
	})
	return p
}

// order begins with switches in the order of their hosts, and sweeps down and up.
func (p *placer) order() {
	for i, h := range p.hosts {
		p.rank[h] = i
	}
	for k := range p.Levels {
		p.sort(k, -1)
	}
	best, least := p.copied(), p.crossings()
	for sweep := range sweeps {
		if sweep%2 == 0 {
			for k := len(p.Levels) - 2; k >= 0; k-- {
				p.sort(k, +1)
			}
		} else {
			for k := 1; k < len(p.Levels); k++ {
				p.sort(k, -1)
			}
		}
		if c := p.crossings(); c < least {
			best, least = p.copied(), c
		}
	}
	p.Levels = best
	for k := range p.Levels {
		p.number(k)
	}
}

func (p *placer) copied() [][]int32 {
	levels := make([][]int32, len(p.Levels))
	for k := range levels {
		levels[k] = slices.Clone(p.Levels[k])
	}
	return levels
}

// number writes down the places of a level.
func (p *placer) number(k int) {
	for i, v := range p.Levels[k] {
		p.rank[v] = i
	}
}

// sort orders a level by the mean place of its neighbours in the level above (-1) or
// below (+1); the level of the hosts is above the first. One without such neighbours
// keeps its place.
func (p *placer) sort(k, side int) {
	mean := make(map[int32]float64, len(p.Levels[k]))
	for i, v := range p.Levels[k] {
		sum, count := 0.0, 0
		for _, u := range p.near[v] {
			if u != p.Below && p.Level[u] == k+side {
				sum += float64(p.rank[u])
				count++
			}
		}
		mean[v] = float64(i)
		if count > 0 {
			mean[v] = sum / float64(count)
		}
	}
	slices.SortStableFunc(p.Levels[k], func(a, b int32) int { return cmp.Compare(mean[a], mean[b]) })
	p.number(k)
}

// crossings counts the pairs of wires between neighbouring levels that cross, by
// counting inversions with a Fenwick tree.
func (p *placer) crossings() int {
	total := 0
	for k := 1; k < len(p.Levels); k++ {
		tree := make([]int, len(p.Levels[k])+1)
		seen := 0
		for _, v := range p.Levels[k-1] {
			var ends []int
			for _, u := range p.near[v] {
				if !p.n.IsHost(u) && p.Level[u] == k {
					ends = append(ends, p.rank[u])
				}
			}
			for _, r := range ends {
				before := 0
				for i := r + 1; i > 0; i -= i & -i {
					before += tree[i]
				}
				total += seen - before
			}
			for _, r := range ends {
				for i := r + 1; i < len(tree); i += i & -i {
					tree[i]++
				}
			}
			seen += len(ends)
		}
	}
	return total
}

// place puts hosts side by side, grouped by their switches, and every switch as near
// as it can be to the middle of its neighbours above.
func (p *placer) place() {
	if len(p.Levels) == 0 {
		return
	}
	slices.SortStableFunc(p.hosts, func(a, b int32) int { return p.rank[p.near[a][0]] - p.rank[p.near[b][0]] })
	first := p.Levels[0]
	p.Width = switchGap
	at := 0
	for _, s := range first {
		from := at
		for at < len(p.hosts) && p.near[p.hosts[at]][0] == s {
			at++
		}
		wide := max(switchWidth, float64(at-from)*hostWidth)
		p.X[s] = p.Width + wide/2
		for i := from; i < at; i++ {
			p.X[p.hosts[i]] = p.X[s] + (float64(i-from)-float64(at-from-1)/2)*hostWidth
		}
		p.Width += wide + switchGap
	}
	for k := 1; k < len(p.Levels); k++ {
		p.Width = max(p.Width, float64(len(p.Levels[k]))*(switchWidth+switchGap)+switchGap)
	}
	p.spread(first, p.X)
	for k := 1; k < len(p.Levels); k++ {
		want := make([]float64, p.n.NumNodes())
		for _, v := range p.Levels[k] {
			count := 0.0
			for _, u := range p.near[v] {
				if u != p.Below && p.Level[u] == k-1 {
					want[v] += p.X[u]
					count++
				}
			}
			want[v] /= max(1, count)
		}
		p.spread(p.Levels[k], want)
	}
	if p.Below >= 0 {
		p.X[p.Below] = p.X[p.near[p.Below][0]]
	}
}

// spread places switches in order as near as possible (least squares) to where they
// want to be, without overlap: pools of those that would overlap move together.
func (p *placer) spread(row []int32, want []float64) {
	const pitch = switchWidth + switchGap
	type pool struct{ sum, count float64 }
	var pools []pool
	for i, v := range row {
		pools = append(pools, pool{want[v] - float64(i)*pitch, 1})
		for last := len(pools) - 1; last > 0 && pools[last-1].sum/pools[last-1].count > pools[last].sum/pools[last].count; last-- {
			pools[last-1].sum += pools[last].sum
			pools[last-1].count += pools[last].count
			pools = pools[:last]
		}
	}
	low, high := switchGap+switchWidth/2, p.Width-switchGap-switchWidth/2-float64(len(row)-1)*pitch
	i := 0
	for _, q := range pools {
		for range int(q.count) {
			p.X[row[i]] = min(max(q.sum/q.count, low), max(low, high)) + float64(i)*pitch
			i++
		}
	}
}
