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
	"fmt"
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

// limits bound the memory of Count.
type limits struct {
	passes int // channels that all jobs pass, each job counted by itself
	beside int // length of all Beside
}

// usualLimits are 256 MB, and 32 MB.
var usualLimits = limits{1 << 25, 1 << 22}

// Count counts the pairs of some jobs, each a list of host ports. It refuses jobs that together
// pass too many channels, or share them with too many others.
func Count(ctx context.Context, g *fabric.Graph, p *route.Plan, jobs [][]int32) (*Report, error) {
	return countWithin(ctx, g, p, jobs, usualLimits)
}

// countWithin counts jobs within limits.
func countWithin(ctx context.Context, g *fabric.Graph, p *route.Plan, jobs [][]int32, most limits) (*Report, error) {
	r := &Report{Channels: g.NumChannels, Jobs: make([]Job, len(jobs))}
	c := &counter{
		g: g, plan: p, lanes: p.SL != nil && p.SL2VL != nil, load: make([]int64, g.NumChannels), vls: make([]uint16, g.NumChannels),
		total: make([]int64, g.NumChannels), users: make([][]user, g.NumChannels), bound: newBound(g),
	}
	c.part, _ = g.Components()
	for i, hosts := range jobs {
		if err := c.count(ctx, &r.Jobs[i], int32(i), withLID(p, hosts)); err != nil {
			return nil, err
		}
		if c.passes > most.passes {
			return nil, fmt.Errorf("the first %d of %d jobs pass %d channels in all, and at most %d are counted: ask about fewer jobs", i+1, len(jobs), c.passes, most.passes)
		}
	}
	if err := c.compare(ctx, r, most.beside); err != nil {
		return nil, err
	}
	r.LeastUnused = g.NumChannels - c.bound.most()
	if n := float64(g.NumChannels); n > 0 {
		r.UnusedShare, r.LeastUnusedShare = float64(r.Unused)/n, float64(r.LeastUnused)/n
	}
	return r, nil
}

// counter is the state of Count.
type counter struct {
	g      *fabric.Graph
	plan   *route.Plan
	lanes  bool     // they are known
	part   []int32  // by switch: part of the network
	load   []int64  // by channel: pairs of the present job
	vls    []uint16 // by channel: their VLs
	total  []int64  // by channel: pairs of all jobs
	users  [][]user // by channel
	passes int      // length of all users
	bound  *bound
}

// user is a job that passes a channel, with the set of its VLs there.
type user struct {
	job int32
	vls uint16
}

// count counts the pairs of a job.
func (c *counter) count(ctx context.Context, j *Job, number int32, hosts []int32) error {
	clear(c.load)
	clear(c.vls)
	t, all, sls := &c.bound.paths, uint16(0), uint16(0)
	for _, dst := range hosts {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.read(c.g, c.plan, dst)
		j.Lost += t.addSources(c.g, hosts, dst, c.part)
		t.load(c.g, c.load)
		if c.lanes {
			sls |= t.addVLs(c.g, c.plan, hosts, dst, c.vls)
		}
		c.bound.add()
	}
	j.Hosts, j.Fullest = len(hosts), fabric.Nothing
	for x, n := range c.load {
		if n == 0 {
			continue
		}
		j.Channels++
		if n > j.Largest {
			j.Largest, j.Fullest = n, int32(x)
		}
		j.Mean += float64(n)
		c.total[x] += n
		c.users[x] = append(c.users[x], user{number, c.vls[x]})
		all |= c.vls[x]
	}
	c.passes += j.Channels
	if c.lanes {
		j.SharedOnVL = new(int)
		j.SLs, j.VLs = numbers(sls), numbers(all)
	}
	j.Mean /= float64(max(1, j.Channels))
	j.Pair = t.pairOver(c.g, c.plan, hosts, j.Fullest)
	return nil
}

// compare counts the shared and the unused channels, and lists for each job the jobs that share
// channels with it. It returns an error if these lists have more than most entries together.
func (c *counter) compare(ctx context.Context, r *Report, most int) error {
	words := (len(r.Jobs) + 63) / 64
	beside, here := make([][]uint64, len(r.Jobs)), make([]uint64, words) // sets of jobs
	for x, list := range c.users {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.Largest = max(r.Largest, c.total[x])
		switch len(list) {
		case 0:
			r.Unused++
			continue
		case 1:
			continue
		}
		clear(here)
		once, twice := uint16(0), uint16(0) // VLs of some job, and of several
		for _, u := range list {
			here[u.job/64] |= 1 << (u.job % 64)
			once, twice = once|u.vls, twice|once&u.vls
		}
		for _, u := range list {
			j := &r.Jobs[u.job]
			if j.Shared++; u.vls&twice != 0 {
				*j.SharedOnVL++
			}
			if beside[u.job] == nil {
				beside[u.job] = make([]uint64, words)
			}
			for i, set := range here {
				beside[u.job][i] |= set
			}
		}
	}
	pairs := 0
	for _, set := range beside {
		for _, word := range set {
			pairs += bits.OnesCount64(word)
		}
		pairs -= min(1, len(set)) // a job is in its own set
	}
	if pairs > most {
		return fmt.Errorf("%d times a job shares channels with another one, and at most %d are listed: ask about fewer jobs", pairs, most)
	}
	for j, set := range beside {
		for i, word := range set {
			for ; word != 0; word &= word - 1 {
				if other := i*64 + bits.TrailingZeros64(word); other != j {
					r.Jobs[j].Beside = append(r.Jobs[j].Beside, other)
				}
			}
		}
	}
	return nil
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
