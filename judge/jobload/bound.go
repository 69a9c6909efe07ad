package jobload

import "weft/fabric"

// bound finds out how many channels pairs of the same job can use at most.
//
// Three limits hold for all tables whose paths are no longer than those read. A channel is of use
// only if it leads from a switch that a job's packets to a destination may pass to a switch nearer
// to that destination. A switch has one next hop to a destination, so it uses at most as many
// outgoing channels as destinations may pass it. The packets of n switches to one destination
// enter a switch over at most n channels. The most channels within these limits are a maximum flow
// from switches to switches.
type bound struct {
	g       *fabric.Graph
	paths   paths
	useful  []bool    // by channel
	out, in []int32   // by switch: limits
	hops    int64     // of the paths from all switches with hosts of a job to the job's destinations
	passed  []bool    // by switch: scratch
	entered []int32   // by switch: scratch
	near    [][]int32 // by hops: switches that packets may pass; scratch
}

func newBound(g *fabric.Graph) *bound {
	n := g.NumSwitches
	return &bound{
		g: g, useful: make([]bool, g.NumChannels), out: make([]int32, n), in: make([]int32, n),
		passed: make([]bool, n), entered: make([]int32, n),
		paths: paths{count: make([]int64, n), next: make([]int32, n), depth: make([]int32, n), sls: make([]uint16, n)},
	}
}

// add adds the packets on the paths last read.
func (b *bound) add() {
	g, t := b.g, &b.paths
	b.near = b.near[:0]
	clear(b.passed)
	clear(b.entered)
	put := func(x, depth int32) {
		for int(depth) >= len(b.near) {
			b.near = append(b.near, nil)
		}
		b.near[depth] = append(b.near[depth], x)
		b.passed[x] = true
	}
	for x, n := range t.count {
		if n > 0 && t.depth[x] > 0 {
			put(int32(x), t.depth[x])
			b.hops += int64(t.depth[x])
		}
	}
	for depth := len(b.near) - 1; depth > 0; depth-- {
		for _, x := range b.near[depth] {
			some := int32(0)
			for _, c := range g.OutOf(x) {
				y := g.To[c]
				if t.depth[y] < 0 || int(t.depth[y]) >= depth {
					continue
				}
				some = 1
				b.useful[c] = true
				b.entered[y]++
				if !b.passed[y] {
					put(y, t.depth[y])
				}
			}
			b.out[x] += some
		}
	}
	for y, n := range b.entered {
		b.in[y] += min(n, int32(t.sources))
	}
}

// most returns the largest number of channels within the limits.
func (b *bound) most() int {
	m := match{b: b, used: make([]bool, len(b.useful)), seen: make([]int, len(b.out)), into: make([][]int32, len(b.in))}
	for c, useful := range b.useful {
		if useful {
			m.into[b.g.To[c]] = append(m.into[b.g.To[c]], int32(c))
		}
	}
	n := 0
	for x := range b.out {
		for b.out[x] > 0 {
			if m.round++; !m.extend(int32(x)) {
				break
			}
			b.out[x]--
			n++
		}
	}
	return int(min(int64(n), b.hops))
}

// match is a search for a maximum flow.
type match struct {
	b     *bound
	used  []bool    // by channel
	seen  []int     // by switch as a start: the round in which it was searched
	into  [][]int32 // by switch: useful channels
	round int
}

// extend finds one more channel from a switch; others may change channels for it.
func (m *match) extend(x int32) bool {
	m.seen[x] = m.round
	for _, c := range m.b.g.OutOf(x) {
		if !m.b.useful[c] || m.used[c] {
			continue
		}
		y := m.b.g.To[c]
		if m.b.in[y] > 0 {
			m.b.in[y]--
			m.used[c] = true
			return true
		}
		for _, d := range m.into[y] {
			if z := m.b.g.From[d]; m.used[d] && m.seen[z] != m.round {
				if m.used[c], m.used[d] = true, false; m.extend(z) {
					return true
				}
				m.used[c], m.used[d] = false, true
			}
		}
	}
	return false
}
