package joblanes

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"weft/fabric"
	"weft/route"
)

// Channels is a set of channels between switches, by bits.
type Channels []uint64

// Shared counts the channels of both sets.
func (a Channels) Shared(b Channels) (n int) {
	for i, set := range a {
		n += bits.OnesCount64(set & b[i])
	}
	return n
}

// countShared counts, by pair of jobs, the channels between switches that both use.
func (w *work) countShared(ctx context.Context) ([][]int32, error) {
	used := make([]Channels, len(w.req.Hosts))
	for j, hosts := range w.req.Hosts {
		var err error
		if used[j], err = Used(ctx, w.g, w.plan, hosts); err != nil {
			return nil, err
		}
	}
	shared := make([][]int32, len(used))
	for j := range shared {
		shared[j] = make([]int32, len(used))
		for k := range j {
			n := int32(used[j].Shared(used[k]))
			shared[j][k], shared[k][j] = n, n
		}
	}
	return shared, nil
}

// Used returns the channels between switches of all pairs of some hosts.
func Used(ctx context.Context, g *fabric.Graph, p *route.Plan, hosts []int32) (Channels, error) {
	set := make(Channels, (g.NumChannels+63)/64)
	var switches []int32
	for _, h := range hosts {
		if p.Ends.Base[h] != 0 {
			switches = append(switches, g.EndSwitch[h])
		}
	}
	slices.Sort(switches)
	switches = slices.Compact(switches)
	passed, round := make([]int, g.NumSwitches), 0 // by switch: the last destination
	for _, dst := range hosts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for k := range p.Ends.Count(dst) {
			round++
			for _, x := range switches {
				for x != g.EndSwitch[dst] && passed[x] != round {
					passed[x] = round
					c, _ := g.At(x, p.Tables.Port(x, p.Ends.Base[dst]+fabric.LID(k)))
					if c < 0 {
						break
					}
					set[c/64] |= 1 << (c % 64)
					x = g.To[c]
				}
			}
		}
	}
	return set, nil
}

// orders is the maximum number of orders of jobs that colour tries.
const orders = 16

// colour chooses a copy for each job whose lane is negative, so that jobs on the same copy share
// few channels.
func colour(lane []int, shared [][]int32, copies int) {
	c := &colouring{lane: slices.Clone(lane), shared: shared, sums: make([]int64, copies)}
	total := make([]int64, len(lane))
	for j := range lane {
		if lane[j] < 0 {
			c.free = append(c.free, j)
		}
		for k, n := range shared[j] {
			if k != j {
				total[j] += int64(n)
			}
		}
	}
	slices.SortStableFunc(c.free, func(a, b int) int { return cmp.Compare(total[b], total[a]) })
	best := int64(-1)
	for range min(orders, len(c.free)) {
		for _, j := range c.free {
			c.lane[j] = -1
		}
		if sum := c.run(); best < 0 || sum < best {
			best = sum
			copy(lane, c.lane)
		}
		c.free = append(c.free[1:], c.free[0])
	}
}

// colouring is the state of colour.
type colouring struct {
	lane   []int // by job, negative for none yet
	shared [][]int32
	free   []int // jobs to choose copies for
	sums   []int64
}

// run gives the free jobs copies in their order, and lets single jobs change until none gains. It
// returns the sum of the conflicts between jobs on the same copy, each counted from both jobs.
func (c *colouring) run() (sum int64) {
	for changed := true; changed; {
		changed = false
		for _, j := range c.free {
			changed = c.choose(j) || changed
		}
	}
	for j := range c.lane {
		for k, n := range c.shared[j] {
			if k != j && c.lane[k] == c.lane[j] {
				sum += int64(n)
			}
		}
	}
	return sum
}

// choose gives a job the copy with the least conflicts, and reports whether it has another now.
func (c *colouring) choose(j int) bool {
	clear(c.sums)
	for k, n := range c.shared[j] {
		if k != j && c.lane[k] >= 0 {
			c.sums[c.lane[k]] += int64(n)
		}
	}
	least := slices.Index(c.sums, slices.Min(c.sums))
	if c.lane[j] >= 0 && c.sums[c.lane[j]] == c.sums[least] {
		return false
	}
	c.lane[j] = least
	return true
}
