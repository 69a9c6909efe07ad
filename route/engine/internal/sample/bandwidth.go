package sample

import (
	"math/rand/v2"
	"slices"

	"weft/fabric"
	"weft/route"
)

// Numbers of halves.
const (
	leastHalves = 50
	mostHalves  = 500
)

// AsGood is the share of a bandwidth by this estimate that counts as equally good.
const AsGood = .99

// Bandwidth estimates the share of a link that a host gets while half of the hosts send to the
// others. It is the mean of 1 / congestion over random halves; congestion is the largest number of
// packets that share a channel of the way. The halves are the same for all tables, and more for
// fewer hosts. Hosts send to base LIDs, or to all LIDs equally.
func Bandwidth(in *route.Input, tables *route.Tables, allLIDs bool) float64 {
	g := in.Graph
	hosts := slices.DeleteFunc(fabric.Numbers(g.NumHosts), func(end int32) bool { return !g.IsHost(end) })
	halves := min(max(leastHalves, 1<<14/max(1, len(hosts))), mostHalves)
	rng := rand.New(rand.NewPCG(uint64(halves), uint64(len(hosts))))
	n := len(hosts) / 2
	load := make([]float64, g.NumChannels)
	var ways []way
	var list []int32 // channels of all ways
	sum := 0.0
	for range halves {
		rng.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
		ways, list = ways[:0], list[:0]
		for i := range n {
			from, to := hosts[i], hosts[n+i]
			lids := 1
			if allLIDs {
				lids = in.Ends.Count(to)
			}
			for k := range lids {
				w := way{first: len(list), share: 1 / float64(lids)}
				lid := in.Ends.Base[to] + fabric.LID(k)
				for s := g.EndSwitch[from]; ; {
					c, _ := g.At(s, tables.Port(s, lid))
					if c < 0 {
						break
					}
					list = append(list, c)
					load[c] += w.share
					s = g.To[c]
				}
				w.end = len(list)
				ways = append(ways, w)
			}
		}
		for _, w := range ways {
			worst := 1.0
			for _, c := range list[w.first:w.end] {
				worst = max(worst, load[c])
			}
			sum += w.share / worst
		}
		for _, c := range list {
			load[c] = 0
		}
	}
	return sum / float64(max(1, n*halves))
}

// way is a part of a list of channels, with its share of a packet.
type way struct {
	first, end int
	share      float64
}
