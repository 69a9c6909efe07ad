package lash

import (
	"slices"

	"weft/fabric"
	"weft/route"
	"weft/route/engine/internal/columns"
	"weft/route/engine/internal/sample"
)

// builder makes one tree of switches after the other.
type builder struct {
	g    *fabric.Graph
	lean bool // ties go to the lowest port

	parallel [][]uint8 // by channel: ports of the channels with the same two ends
	first    []int32   // by channel: the first of those
	widest   int       // most channels with the same two ends
	rank     []int32   // by end port: place of its base LID among those at its switch

	load []int64 // by first channel: hosts that send over it, by host that they send to
	out  []int32 // by switch: first channel of those towards the destination
	flow []int64 // by switch: hosts whose packets come through
}

func newBuilder(in *route.Input, lean bool) *builder {
	g := in.Graph
	b := &builder{
		g: g, lean: lean,
		parallel: make([][]uint8, g.NumChannels), first: make([]int32, g.NumChannels), widest: 1,
		rank: make([]int32, g.NumEnds), load: make([]int64, g.NumChannels),
		out: make([]int32, g.NumSwitches), flow: make([]int64, g.NumSwitches),
	}
	to := slices.Repeat([]int32{fabric.Nothing}, g.NumSwitches) // by neighbour: the first channel to it, if it leaves s
	for s := range int32(g.NumSwitches) {
		for _, c := range g.OutOf(s) {
			v := g.To[c]
			if to[v] < 0 || g.From[to[v]] != s {
				to[v] = c
			}
			f := to[v]
			b.first[c] = f
			b.parallel[f] = append(b.parallel[f], g.FromPort[c])
			b.widest = max(b.widest, len(b.parallel[f]))
		}
	}
	b.rankEnds(&in.Ends)
	return b
}

// rankEnds ranks the end ports of each switch by base LID. With LMC above 0 the LIDs of ports
// 0 fill gaps between those of hosts, and come last here as they do without.
func (b *builder) rankEnds(ends *route.Ends) {
	next := make([]int32, b.g.NumSwitches) // rank of the next end port of a switch
	portZeroLast := ends.MaxLMC() > 0
	for lid, end := range ends.ByLID() {
		if end < 0 || ends.Base[end] != fabric.LID(lid) || portZeroLast && b.g.IsPortZero(end) {
			continue
		}
		b.rank[end] = next[b.g.EndSwitch[end]]
		next[b.g.EndSwitch[end]]++
	}
	if portZeroLast {
		copy(b.rank[b.g.NumHosts:], next)
	}
}

// number tells which of parallel links a LID takes everywhere: its number modulo that of
// the links. It is less than widest, and another one for each LID of an end port.
func (b *builder) number(end int32, offset int) int { return (int(b.rank[end]) + offset) % b.widest }

// followed marks one LID for each number at each switch. The paths to all others are among
// theirs.
func (b *builder) followed(ends *route.Ends) []bool {
	followed := make([]bool, int(ends.Top())+1)
	seen := make([]bool, b.g.NumSwitches*b.widest)
	for offset := range 1 << ends.MaxLMC() {
		for _, end := range ends.ByLID() {
			if end < 0 || offset >= ends.Count(end) {
				continue
			}
			lid := ends.Base[end] + fabric.LID(offset)
			if at := int(b.g.EndSwitch[end])*b.widest + b.number(end, offset); !seen[at] {
				seen[at], followed[lid] = true, true
			}
		}
	}
	return followed
}

// addTree finds the channels towards a destination: of the nearest neighbours, the one with
// the least load for each of the channels to it.
func (b *builder) addTree(near *fabric.Search, t int32) {
	for _, s := range near.Order[1:] {
		b.out[s] = b.choose(near.Hops, s, t)
	}
	b.count(near.Order, t)
}

// choose finds the first channel to the neighbour through which switch s sends. Among
// equals a switch begins with a port of its own: were it the first port for all, the
// switches of one level of a fat-tree would all send to t over the same root.
func (b *builder) choose(hops []int32, s, t int32) int32 {
	best := fabric.Nothing
	out := b.g.OutOf(s)
	first := 0
	if !b.lean {
		first = int(s) % len(out)
	}
	for i := range out {
		if first+i == len(out) {
			first -= len(out)
		}
		c := out[first+i]
		v := b.g.To[c]
		if b.first[c] != c || hops[v] != hops[s]-1 || (v != t && b.g.Drained[v]) {
			continue
		}
		if best < 0 || b.load[c]*int64(len(b.parallel[best])) < b.load[best]*int64(len(b.parallel[c])) {
			best = c
		}
	}
	return best
}

// count adds what the hosts send to those of switch t to the load. A switch counts
// as a host of its own in a network without hosts.
func (b *builder) count(order []int32, t int32) {
	for _, s := range order {
		b.flow[s] = sample.Weight(b.g, s)
	}
	for k := len(order) - 1; k > 0; k-- {
		s := order[k]
		c := b.out[s]
		b.load[c] += b.flow[s] * sample.Weight(b.g, t)
		b.flow[b.g.To[c]] += b.flow[s]
	}
}

// enter enters the tree of a destination into the columns of all its LIDs.
func (b *builder) enter(c *columns.Columns, order []int32) {
	for _, p := range c.Ports {
		for k := range p.Count {
			number := int(c.To) + b.number(p.End, k)
			for _, s := range order[1:] {
				ports := b.parallel[b.out[s]]
				c.Set(s, p.Column+k, ports[number%len(ports)])
			}
		}
	}
}
