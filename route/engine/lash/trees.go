package lash

import (
	"weft/fabric"
	"weft/route"
	"weft/route/engine/internal/sample"
)

// builder makes one tree of switches after the other.
type builder struct {
	g      *fabric.Graph
	lean   bool // ties go to the lowest port
	tables *route.Tables
	lids   [][]fabric.LID // by switch: those of its port 0 and hosts, ascending
	owner  []int32        // by LID: end port

	beside [][]uint8 // by channel: ports of the channels with the same two ends
	first  []int32   // by channel: the first of those
	widest int       // most channels with the same two ends

	load  []int64 // by first channel: hosts that send over it, by host that they send to
	out   []int32 // by switch: first channel of those towards the destination
	hops  []int32 // by switch, -1 where there is no way
	order []int32 // switches that reach the destination, nearest first
	flow  []int64 // by switch: hosts whose packets come through
}

func newBuilder(in *route.Input) *builder {
	g := in.Graph
	b := &builder{
		g: g, tables: route.NewTables(g.NumSwitches, in.Ends.Top()),
		lids: make([][]fabric.LID, g.NumSwitches), owner: in.Ends.ByLID(),
		beside: make([][]uint8, g.NumChannels), first: make([]int32, g.NumChannels), widest: 1,
		load: make([]int64, g.NumChannels), out: make([]int32, g.NumSwitches),
		hops: make([]int32, g.NumSwitches), flow: make([]int64, g.NumSwitches),
	}
	for lid, end := range b.owner {
		if end >= 0 {
			s := g.EndSwitch[end]
			b.lids[s] = append(b.lids[s], fabric.LID(lid))
		}
	}
	to := make([]int32, g.NumSwitches) // by neighbour: the first channel to it, if it leaves s
	for i := range to {
		to[i] = -1
	}
	for s := range int32(g.NumSwitches) {
		for _, c := range g.OutOf(s) {
			v := g.To[c]
			if to[v] < 0 || g.From[to[v]] != s {
				to[v] = c
			}
			f := to[v]
			b.first[c] = f
			b.beside[f] = append(b.beside[f], g.FromPort[c])
			b.widest = max(b.widest, len(b.beside[f]))
		}
	}
	return b
}

// tree finds the channels towards switch t: of the nearest neighbours, the one with
// the least load for each of the channels to it.
func (b *builder) tree(t int32) {
	for s := range b.hops {
		b.hops[s] = -1
	}
	b.hops[t] = 0
	b.order = append(b.order[:0], t)
	for k := 0; k < len(b.order); k++ {
		s := b.order[k]
		if s != t && b.g.Drained[s] {
			continue
		}
		for _, c := range b.g.OutOf(s) {
			if v := b.g.To[c]; b.hops[v] < 0 {
				b.hops[v] = b.hops[s] + 1
				b.order = append(b.order, v)
			}
		}
	}
	for _, s := range b.order[1:] {
		b.out[s] = b.choose(s, t)
	}
	b.count(t)
}

// choose finds the first channel to the neighbour through which switch s sends. Among
// equals a switch begins with a port of its own: were it the first port for all, the
// switches of one level of a fat-tree would all send to t over the same root.
func (b *builder) choose(s, t int32) int32 {
	best := int32(-1)
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
		if b.first[c] != c || b.hops[v] != b.hops[s]-1 || (v != t && b.g.Drained[v]) {
			continue
		}
		if best < 0 || b.load[c]*int64(len(b.beside[best])) < b.load[best]*int64(len(b.beside[c])) {
			best = c
		}
	}
	return best
}

// count adds what the hosts send to those of switch t to the load. A switch counts
// as a host of its own in a network without hosts.
func (b *builder) count(t int32) {
	for _, s := range b.order {
		b.flow[s] = sample.Weight(b.g, s)
	}
	for k := len(b.order) - 1; k > 0; k-- {
		s := b.order[k]
		c := b.out[s]
		b.load[c] += b.flow[s] * sample.Weight(b.g, t)
		b.flow[b.g.To[c]] += b.flow[s]
	}
}

// write enters the tree of switch t for all LIDs there. The k-th LID takes the
// channels of the tree number k modulo widest, each with its own of those side by side.
func (b *builder) write(t int32) {
	for k, lid := range b.lids[t] {
		b.tables.Set(t, lid, b.g.EndPort[b.owner[lid]])
		number := int(t) + k%b.widest
		for _, s := range b.order[1:] {
			ports := b.beside[b.out[s]]
			b.tables.Set(s, lid, ports[number%len(ports)])
		}
	}
}
