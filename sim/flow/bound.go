package flow

import (
	"slices"

	"weft/fabric"
	"weft/sim/traffic"
)

// cutBound bounds the bandwidth that any routing can deliver to a pattern. Flows at 1/c of their
// demand overload no link, so together they stay below the capacity of every cut of the network. If
// hosts have links of several rates, every flow is assumed to ask for the rate of the slowest:
// still a bound, but a weak one. It takes 4 bytes for each pair of switches, a search from every
// switch with hosts, and O(hosts) for each pattern.
type cutBound struct {
	n       *Network
	out, in []float64 // by switch: full flows that its links to other switches carry
	total   float64   // full flows over one channel that all channels together carry
	carries []float64 // by channel: full flows that it carries
	lengths *lengths  // bound on all flows together; nil for large networks
	hops    [][]int32 // by switch with hosts: distance in channels to every switch
	search  *fabric.Search

	// Scratch: flows by switch and by number of channels.
	leaving, arriving, byHops []float64
	from, to                  []int32 // switches, by flow between two of them
}

func newCutBound(n *Network, lengths *lengths) *cutBound {
	g := n.g
	_, capacity := n.rates(false)
	least := 1.0
	for _, h := range n.Hosts {
		least = min(least, capacity[len(n.to)+int(h)])
	}
	b := &cutBound{
		n: n, lengths: lengths, carries: make([]float64, g.NumChannels), out: make([]float64, g.NumSwitches), in: make([]float64, g.NumSwitches), hops: make([][]int32, g.NumSwitches), search: g.NewSearch(nil),
		leaving: make([]float64, g.NumSwitches), arriving: make([]float64, g.NumSwitches),
	}
	for c := range int32(g.NumChannels) {
		carries := capacity[n.slotOf(c)] / least
		b.carries[c] = carries
		b.out[g.From[c]] += carries
		b.in[g.To[c]] += carries
		b.total += carries
	}
	return b
}

// hopsFrom returns the distance in channels from a switch to every other one, or fabric.Unreached.
func (b *cutBound) hopsFrom(s int32) []int32 {
	if b.hops[s] == nil {
		b.search.From(s)
		b.hops[s] = slices.Clone(b.search.Hops)
	}
	return b.hops[s]
}

// bisection bounds the mean bandwidth of the flows of one bisection.
func (b *cutBound) bisection(pairs *traffic.Flows) float64 {
	clear(b.leaving)
	clear(b.arriving)
	clear(b.byHops)
	b.from, b.to = b.from[:0], b.to[:0]
	g := b.n.g
	local := 0.0
	for i := range pairs.Src {
		from, to := g.EndSwitch[pairs.Src[i]], g.EndSwitch[pairs.Dst[i]]
		if from == to {
			local++
			continue
		}
		hops := b.hopsFrom(from)[to]
		if hops == fabric.Unreached {
			continue
		}
		b.from, b.to = append(b.from, from), append(b.to, to)
		b.leaving[from]++
		b.arriving[to]++
		for int(hops) >= len(b.byHops) {
			b.byHops = append(b.byHops, 0)
		}
		b.byHops[hops]++
	}
	out, in := 0.0, 0.0
	for s := range b.leaving {
		out += min(b.leaving[s], b.out[s])
		in += min(b.arriving[s], b.in[s])
	}
	least := min(out, in, b.volume())
	if b.lengths != nil {
		least = min(least, b.lengths.throughput(b.from, b.to, b.carries))
	}
	return (local + least) / float64(max(pairs.Len(), 1))
}

// volume returns the number of flows that all channels together can carry if every flow takes a
// shortest path; the nearest flows come first.
func (b *cutBound) volume() float64 {
	sum, left := 0.0, b.total
	for hops, asked := range b.byHops {
		if hops == 0 || asked == 0 {
			continue
		}
		given := min(asked, left/float64(hops))
		sum += given
		left -= given * float64(hops)
	}
	return sum
}
