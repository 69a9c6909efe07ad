package flow

import (
	"context"
	"math"

	"weft/fabric"
)

// lengths holds a length for every channel, and so bounds on all routings. If a flow of one unit
// goes from a to b, the channels that carry it together are at least as long as the shortest path
// from a to b. So under any routing, even one that splits flows, the busiest channel carries at
// least
//
//	sum over flows of (shortest path) / sum over channels of (capacity x length)
//
// and flows that ask for at most one unit each together get at most
//
//	sum over channels of (capacity x length) + sum over flows of max(0, 1 - shortest path).
//
// Both are the dual of the linear programme of the fractional optimum, and equal to it for the best
// lengths.
type lengths struct {
	channel []float64   // by channel
	way     [][]float64 // by switch, nil without hosts: length of the shortest path to every switch
	bound   float64     // lower bound on the load of the busiest channel by all pairs of hosts
}

// Limits of the search for lengths.
const (
	optimumWork   = 60_000_000 // channels and switches searched in all rounds: about a second on a core
	optimumRounds = 300        // rounds at most
	optimumLeast  = 20         // fewest useful rounds; with fewer there is no bound
)

// findLengths searches for the lengths that give the best bound on the busiest channel for all
// pairs of hosts. Each round puts all pairs on shortest paths and lengthens channels by the load of
// all rounds so far. It returns nil for networks that are too large. The lengths are valid bounds
// whenever the search ends; after some hundred rounds they are near the optimum.
func (n *Network) findLengths(ctx context.Context) (*lengths, error) {
	g := n.g
	hosts, sources := make([]float64, g.NumSwitches), 0
	for _, h := range n.Hosts {
		if hosts[g.EndSwitch[h]]++; hosts[g.EndSwitch[h]] == 1 {
			sources++
		}
	}
	rounds := min(optimumRounds, optimumWork/max(1, sources*(g.NumChannels+g.NumSwitches)))
	if rounds < optimumLeast || sources < 2 {
		return nil, nil
	}
	best := &lengths{way: make([][]float64, g.NumSwitches)}
	load := make([]float64, g.NumChannels) // mean of all rounds
	length := make([]float64, g.NumChannels)
	for c := range length {
		length[c] = 1
	}
	w := newWays(g)
	put := make([]float64, g.NumChannels)
	for round := range rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(put)
		asked, total := 0.0, 0.0
		for s := range int32(g.NumSwitches) {
			if hosts[s] > 0 {
				w.from(s, length)
				asked += w.addPairs(hosts, s, put)
			}
		}
		for _, l := range length {
			total += l
		}
		if bound := asked / total; bound > best.bound {
			best.bound = bound
			best.channel = append(best.channel[:0], length...)
		}
		most := 0.0
		for c := range load {
			load[c] += (put[c] - load[c]) / float64(round+1)
			most = max(most, load[c])
		}
		if most == 0 {
			return nil, nil // no pair of hosts on two switches
		}
		// Sharper from round to round: in the end only the busiest channels count.
		sharp := 4 * math.Sqrt(float64(round+1))
		for c := range length {
			length[c] = math.Exp(sharp * (load[c]/most - 1))
		}
	}
	for s := range int32(g.NumSwitches) {
		if hosts[s] > 0 {
			w.from(s, best.channel)
			best.way[s] = append([]float64(nil), w.length...)
		}
	}
	return best, nil
}

// throughput bounds the units that all flows of a pattern, from switch to switch, get together, if
// no host sends or receives more than one flow. carries is the capacity of each channel. The
// lengths are scaled for the lowest bound.
func (l *lengths) throughput(from, to []int32, carries []float64) float64 {
	sum := 0.0
	for c, length := range l.channel {
		sum += carries[c] * length
	}
	mean := 0.0
	for i := range from {
		if way := l.way[from[i]][to[i]]; !math.IsInf(way, 1) {
			mean += way / float64(len(from))
		}
	}
	least := math.Inf(1)
	if mean == 0 {
		return least
	}
	for scale := 1 / (8 * mean); scale < 8/mean; scale *= 1.1 {
		bound := scale * sum
		for i := range from {
			bound += max(0, 1-scale*l.way[from[i]][to[i]])
		}
		least = min(least, bound)
	}
	return least
}

// ways searches for the shortest paths from a switch by lengths of channels. Time O(switches^2 +
// channels), which suits small networks.
type ways struct {
	g      *fabric.Graph
	length []float64 // by switch; infinite if unreachable
	via    []int32   // by switch: last channel of the path
	order  []int32   // switches reached, the nearest first
	done   []bool
	flow   []float64
}

func newWays(g *fabric.Graph) *ways {
	n := g.NumSwitches
	return &ways{g: g, length: make([]float64, n), via: make([]int32, n), done: make([]bool, n), flow: make([]float64, n)}
}

// from computes the shortest paths from switch s.
func (w *ways) from(s int32, length []float64) {
	for v := range w.length {
		w.length[v], w.done[v], w.via[v] = math.Inf(1), false, fabric.Nothing
	}
	w.order = w.order[:0]
	w.length[s] = 0
	for {
		next, least := fabric.Nothing, math.Inf(1)
		for v, l := range w.length {
			if l < least && !w.done[v] {
				next, least = int32(v), l
			}
		}
		if next == fabric.Nothing {
			return
		}
		w.done[next] = true
		w.order = append(w.order, next)
		for _, c := range w.g.OutOf(next) {
			if to := w.g.To[c]; least+length[c] < w.length[to] {
				w.length[to], w.via[to] = least+length[c], c
			}
		}
	}
}

// addPairs adds the pairs of each host of s with all others to the load of the channels on the
// paths found, and returns the total length of these paths.
func (w *ways) addPairs(hosts []float64, s int32, load []float64) (sum float64) {
	for _, v := range w.order {
		w.flow[v] = hosts[s] * hosts[v]
		sum += w.flow[v] * w.length[v]
	}
	for i := len(w.order) - 1; i > 0; i-- {
		v := w.order[i]
		c := w.via[v]
		load[c] += w.flow[v]
		w.flow[w.g.From[c]] += w.flow[v]
	}
	return sum
}
