// Package jobload counts the pairs of hosts of the same job on each channel of a Plan: by job, and
// for the machine.
//
// A channel is one direction of a link between switches. It is unused if no pair of the same job
// passes it. Some channels stay unused with any tables; bound.go computes how many at least.
//
// A job lists its host ports. Pairs of ports of one node, or of parts of the network that no cable
// joins, do not count, and neither do ports without a LID. Packets go to the base LIDs.
package jobload

import (
	"context"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route"
)

// Report holds the figures of all jobs and of the machine.
type Report struct {
	Channels    int     `json:"channels"`     // between switches
	Unused      int     `json:"unused"`       // passed by no pair of the same job
	UnusedShare float64 `json:"unused_share"` // of all channels
	// LeastUnused is a lower bound of Unused for all tables whose paths are no longer than the
	// Plan's.
	LeastUnused      int     `json:"least_unused"`
	LeastUnusedShare float64 `json:"least_unused_share"`
	Largest          int64   `json:"largest_pairs"` // the most pairs of the same job on a channel, summed over jobs
	Jobs             []Job   `json:"-"`
}

// Job holds the figures of one job.
type Job struct {
	Hosts    int     `json:"hosts"`                // host ports with a LID
	Channels int     `json:"channels"`             // passed by its pairs
	Shared   int     `json:"channels_shared"`      // of these, passed by other jobs too
	Largest  int64   `json:"largest_pairs"`        // on a channel
	Mean     float64 `json:"mean_pairs"`           // on the channels that it uses
	Beside   []int   `json:"-"`                    // the jobs that it shares channels with, from 0
	Lost     int     `json:"lost_pairs,omitempty"` // pairs without a path
	Fullest  int32   `json:"-"`                    // the first channel with Largest pairs; fabric.Nothing
	Pair     []int32 `json:"-"`                    // two hosts, of which the first sends to the second over it
	// SLs and VLs list what its pairs use between switches. SharedOnVL counts the channels that
	// other jobs pass on the same VL. All are absent if the lanes are unknown.
	SLs        []int `json:"sls,omitempty"`
	VLs        []int `json:"vls,omitempty"`
	SharedOnVL *int  `json:"channels_shared_on_vl,omitempty"`
}

// Count counts the pairs of some jobs, each a list of host ports.
func Count(ctx context.Context, g *fabric.Graph, p *route.Plan, jobs [][]int32) (*Report, error) {
	r := &Report{Channels: g.NumChannels, Jobs: make([]Job, len(jobs))}
	total, users := make([]int64, g.NumChannels), make([][]user, g.NumChannels)
	known := p.SL != nil && p.SL2VL != nil
	b := newBound(g)
	part, _ := g.Components()
	for i, hosts := range jobs {
		hosts = withLID(p, hosts)
		load, vls := make([]int64, g.NumChannels), make([]uint16, g.NumChannels)
		j, all, sls := &r.Jobs[i], uint16(0), uint16(0)
		j.Hosts = len(hosts)
		for _, dst := range hosts {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			b.paths.read(g, p, dst)
			j.Lost += b.paths.addSources(g, hosts, dst, part)
			b.paths.load(g, load)
			if known {
				sls |= b.paths.addVLs(g, p, hosts, dst, vls)
			}
			b.add()
		}
		j.Fullest = fabric.Nothing
		for c, n := range load {
			if n > 0 {
				j.Channels++
				if n > j.Largest {
					j.Largest, j.Fullest = n, int32(c)
				}
				j.Mean += float64(n)
				total[c] += n
				users[c] = append(users[c], user{int32(i), vls[c]})
				all |= vls[c]
			}
		}
		if known {
			j.SharedOnVL = new(int)
			j.SLs, j.VLs = numbers(sls), numbers(all)
		}
		j.Mean /= float64(max(1, j.Channels))
		j.Pair = b.paths.pairOver(g, p, hosts, j.Fullest)
	}
	for c, list := range users {
		r.Largest = max(r.Largest, total[c])
		if len(list) == 0 {
			r.Unused++
		}
		for _, u := range list {
			j, meets := &r.Jobs[u.job], false
			if len(list) > 1 {
				j.Shared++
			}
			for _, other := range list {
				if other.job == u.job {
					continue
				}
				meets = meets || other.vls&u.vls != 0
				if !slices.Contains(j.Beside, int(other.job)) {
					j.Beside = append(j.Beside, int(other.job))
				}
			}
			if meets {
				*j.SharedOnVL++
			}
		}
	}
	for i := range r.Jobs {
		slices.Sort(r.Jobs[i].Beside)
	}
	r.LeastUnused = g.NumChannels - b.most()
	if n := float64(g.NumChannels); n > 0 {
		r.UnusedShare, r.LeastUnusedShare = float64(r.Unused)/n, float64(r.LeastUnused)/n
	}
	return r, nil
}

// user is a job that passes a channel, with the set of its VLs there.
type user struct {
	job int32
	vls uint16
}

// withLID drops ports without a LID, and repeated ones.
func withLID(p *route.Plan, hosts []int32) (list []int32) {
	seen := map[int32]bool{}
	for _, h := range hosts {
		if p.Ends.Base[h] != 0 && !seen[h] {
			seen[h] = true
			list = append(list, h)
		}
	}
	return list
}

// paths holds the paths from all switches to one destination, and the hosts that send to it.
type paths struct {
	count   []int64  // by switch: hosts
	next    []int32  // by switch: channel; fabric.Nothing at the end
	depth   []int32  // by switch: hops, -1 without a path
	sls     []uint16 // by switch: SLs whose VLs are known
	sources int      // switches with such hosts
}

// addSources counts the hosts that send to a destination. It returns the number of those without a
// path.
func (t *paths) addSources(g *fabric.Graph, hosts []int32, dst int32, part []int32) (lost int) {
	clear(t.count)
	t.sources = 0
	home := g.EndSwitch[dst]
	for _, h := range hosts {
		switch x := g.EndSwitch[h]; {
		case x == home || g.EndNode[h] == g.EndNode[dst] || part[x] != part[home]:
		case t.depth[x] < 0:
			lost++
		default:
			if t.count[x] == 0 {
				t.sources++
			}
			t.count[x]++
		}
	}
	return lost
}

// load adds the pairs to channels.
func (t *paths) load(g *fabric.Graph, load []int64) {
	for x, n := range t.count {
		for y := int32(x); n > 0 && t.next[y] >= 0; y = g.To[t.next[y]] {
			load[t.next[y]] += n
		}
	}
}

// pairOver returns the first pair of some hosts whose path has a channel; nil if there is none.
func (t *paths) pairOver(g *fabric.Graph, p *route.Plan, hosts []int32, channel int32) []int32 {
	for _, dst := range hosts {
		if channel == fabric.Nothing {
			break
		}
		t.read(g, p, dst)
		for _, src := range hosts {
			if t.depth[g.EndSwitch[src]] < 0 || g.EndNode[src] == g.EndNode[dst] {
				continue
			}
			for c := t.next[g.EndSwitch[src]]; c >= 0; c = t.next[g.To[c]] {
				if c == channel {
					return []int32{src, dst}
				}
			}
		}
	}
	return nil
}

// numbers lists the members of a set.
func numbers(set uint16) (list []int) {
	for ; set != 0; set &= set - 1 {
		list = append(list, bits.TrailingZeros16(set))
	}
	return list
}

// addVLs adds the VLs of the packets of some hosts to a destination, by channel, and returns their
// SLs.
func (t *paths) addVLs(g *fabric.Graph, p *route.Plan, hosts []int32, dst int32, vls []uint16) (sls uint16) {
	clear(t.sls)
	for _, h := range hosts {
		x, in, sl := g.EndSwitch[h], g.EndPort[h], p.SL.At(h, p.Ends.Base[dst])
		if t.count[x] == 0 || g.EndNode[h] == g.EndNode[dst] || t.sls[x]>>sl&1 != 0 {
			continue
		}
		if p.SL2VL.Switch[x].By != route.ByInOut { // the next host gets the same VLs
			t.sls[x] |= 1 << sl
		}
		sls |= 1 << sl
		for c := t.next[x]; c >= 0; c = t.next[x] {
			if vl := p.SL2VL.Table(g, x, in, g.FromPort[c])[sl]; vl != route.DropVL {
				vls[c] |= 1 << vl
			}
			x, in = g.To[c], g.ToPort[c]
		}
	}
	return sls
}

// read reads the paths of all switches to an end port.
func (t *paths) read(g *fabric.Graph, p *route.Plan, dst int32) {
	const unknown, open = -2, -3
	home := g.EndSwitch[dst]
	for x := range t.next {
		t.next[x], _ = g.At(int32(x), p.Tables.Port(int32(x), p.Ends.Base[dst]))
		t.depth[x] = unknown
	}
	t.next[home], t.depth[home] = fabric.Nothing, 0
	var way []int32
	for x := range int32(len(t.next)) {
		way = way[:0]
		y := x
		for t.depth[y] == unknown {
			way = append(way, y)
			t.depth[y] = open
			if t.next[y] < 0 {
				break
			}
			y = g.To[t.next[y]]
		}
		end := t.depth[y]
		if end == open { // a hole or a circle
			end = -1
		}
		for _, z := range slices.Backward(way) {
			if end >= 0 {
				end++
			}
			t.depth[z] = end
		}
	}
}
