package lash

import (
	"context"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
	"weft/route/engine/internal/columns"
	"weft/route/engine/internal/sample"
)

// links groups channels that join the same two switches.
type links struct {
	parallel [][]uint8 // by channel: ports of all channels with the same two ends, if it is the first of them
	first    []int32   // by channel: the first one with the same two ends
	widest   int       // largest number of channels with the same two ends
}

func newLinks(g *fabric.Graph) *links {
	l := &links{parallel: make([][]uint8, g.NumChannels), first: make([]int32, g.NumChannels), widest: 1}
	to := slices.Repeat([]int32{fabric.Nothing}, g.NumSwitches) // by neighbour: the first channel to it, if it leaves s
	for s := range int32(g.NumSwitches) {
		for _, c := range g.OutOf(s) {
			v := g.To[c]
			if to[v] < 0 || g.From[to[v]] != s {
				to[v] = c
			}
			f := to[v]
			l.first[c] = f
			l.parallel[f] = append(l.parallel[f], g.FromPort[c])
			l.widest = max(l.widest, len(l.parallel[f]))
		}
	}
	return l
}

// rule says which of equally near neighbours a switch takes.
type rule uint8

const (
	balanced  rule = iota // the one with the least load on the channels to it
	firstPort             // the one behind the lowest port
)

// builder makes one tree of switches after another.
type builder struct {
	*links
	g    *fabric.Graph
	rule rule
	load []int64 // by first channel: paths of hosts over it, one for each host at the destination
	out  []int32 // by switch: first of the channels towards the destination
	flow []int64 // by switch: hosts whose packets pass it
}

func newBuilder(g *fabric.Graph, l *links, rule rule) *builder {
	return &builder{
		links: l, g: g, rule: rule, load: make([]int64, g.NumChannels),
		out: make([]int32, g.NumSwitches), flow: make([]int64, g.NumSwitches),
	}
}

// addTree finds the channels towards destination t. If no path of a host depends on them they use
// the first port: balance gains nothing there, and costs lanes.
func (b *builder) addTree(near *fabric.Search, t int32) {
	rule := b.rule
	if sample.Weight(b.g, t) == 0 {
		rule = firstPort
	}
	for _, s := range near.Order[1:] {
		b.out[s] = b.choose(rule, near.Hops, s, t)
	}
	b.count(near.Order, t)
	if rule == firstPort {
		return
	}
	for _, s := range near.Order[1:] {
		if b.flow[s] == 0 {
			b.out[s] = b.choose(firstPort, near.Hops, s, t)
		}
	}
}

// choose finds the first channel to the next neighbour of switch s. Among equally loaded ones a
// switch begins with a port of its own. If all began with the first port, the switches of one level
// of a fat-tree would all send to t over the same root.
func (b *builder) choose(rule rule, hops []int32, s, t int32) int32 {
	best := fabric.Nothing
	out := b.g.OutOf(s)
	first := 0
	if rule == balanced {
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
		if rule == firstPort {
			return c
		}
		if best < 0 || b.load[c]*int64(len(b.parallel[best])) < b.load[best]*int64(len(b.parallel[c])) {
			best = c
		}
	}
	return best
}

// count adds the paths from all hosts to the hosts of switch t to the load. In a network without
// hosts a switch counts as one.
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

// squares returns the sum of the squares of the loads of all channels, with equal shares for
// parallel ones; less means more even.
func (b *builder) squares() float64 {
	sum := 0.0
	for c, n := range b.load {
		if n > 0 {
			sum += float64(n) * float64(n) / float64(len(b.parallel[c]))
		}
	}
	return sum
}

// enter writes the tree of a destination into the columns of all its LIDs.
func (b *builder) enter(c *columns.Columns, order []int32) {
	for _, s := range order[1:] {
		port := b.g.FromPort[b.out[s]]
		for column := range c.N {
			c.Set(s, column, port)
		}
	}
}

// deal distributes the LIDs of each switch over parallel links, base LIDs as if there were no
// others: it changes the tables, which have the first link everywhere. That closes no cycle,
// because the first links would have closed one too.
func (f *form) deal(ctx context.Context, in *route.Input) error {
	if f.links.widest == 1 {
		return nil
	}
	g, ranks := in.Graph, rankEnds(in)
	return par.For(ctx, in.Workers, g.NumSwitches, func(_, s int) error {
		for end := range int32(g.NumEnds) {
			t := g.EndSwitch[end]
			if t == int32(s) {
				continue
			}
			for k := range in.Ends.Count(end) {
				lid := in.Ends.Base[end] + fabric.LID(k)
				port := f.tables.Port(int32(s), lid)
				if port == route.NoPort {
					break
				}
				c, _ := g.At(int32(s), port)
				if ports := f.links.parallel[c]; len(ports) > 1 {
					number := int(t) + (int(ranks[end])+k)%f.links.widest
					f.tables.Set(int32(s), lid, ports[number%len(ports)])
				}
			}
		}
		return nil
	})
}

// rankEnds ranks the end ports of each switch by base LID. With LMC above 0 the LIDs of ports 0
// fill gaps between the LIDs of hosts, and rank last here, as with LMC 0. Each kind of hosts is
// ranked separately, and aggregation nodes have the rank of port 0.
func rankEnds(in *route.Input) []int32 {
	g, ends := in.Graph, &in.Ends
	rank := make([]int32, g.NumEnds)
	next := make([]int32, g.NumSwitches)                     // rank of the next end port of a switch
	ofKind := make([]int32, g.NumSwitches*(in.NumKinds()+1)) // the same of one kind of hosts
	portZeroLast := ends.MaxLMC() > 0
	for lid, end := range ends.ByLID() {
		if end < 0 || ends.Base[end] != fabric.LID(lid) || portZeroLast && g.IsPortZero(end) || g.Aggregation[end] {
			continue
		}
		rank[end] = next[g.EndSwitch[end]]
		next[g.EndSwitch[end]]++
		if k := in.KindOf(end); k > 0 {
			at := &ofKind[int(k)*g.NumSwitches+int(g.EndSwitch[end])]
			rank[end] = *at
			*at++
		}
	}
	if portZeroLast {
		copy(rank[g.NumHosts:], next)
	}
	for end, is := range g.Aggregation {
		if is {
			rank[end] = rank[g.PortZero(g.EndSwitch[end])]
		}
	}
	return rank
}
