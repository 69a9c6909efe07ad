package joblanes

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"weft/fabric"
)

// countShared counts, by pair of jobs, the channels between switches that both use.
func (w *work) countShared(ctx context.Context) ([][]int32, error) {
	words := (w.g.NumChannels + 63) / 64
	used := make([][]uint64, len(w.req.Hosts))
	for j, hosts := range w.req.Hosts {
		used[j] = make([]uint64, words)
		if err := w.addChannels(ctx, used[j], hosts); err != nil {
			return nil, err
		}
	}
	shared := make([][]int32, len(used))
	for j := range shared {
		shared[j] = make([]int32, len(used))
		for k := range j {
			n := 0
			for i, set := range used[j] {
				n += bits.OnesCount64(set & used[k][i])
			}
			shared[j][k], shared[k][j] = int32(n), int32(n)
		}
	}
	return shared, nil
}

// addChannels adds the channels of all pairs of some hosts to a set.
func (w *work) addChannels(ctx context.Context, set []uint64, hosts []int32) error {
	g, p := w.g, w.plan
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
			return err
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
	return nil
}

// colour chooses a copy for each job whose lane is negative, so that jobs on the same copy share
// few channels.
func colour(lane []int, shared [][]int32, copies int) {
	var free []int
	total := make([]int64, len(lane))
	for j := range lane {
		if lane[j] < 0 {
			free = append(free, j)
		}
		for k, n := range shared[j] {
			if k != j {
				total[j] += int64(n)
			}
		}
	}
	slices.SortStableFunc(free, func(a, b int) int { return cmp.Compare(total[b], total[a]) })
	sums := make([]int64, copies)
	best := func(j int) bool {
		clear(sums)
		for k, n := range shared[j] {
			if k != j && lane[k] >= 0 {
				sums[lane[k]] += int64(n)
			}
		}
		least := slices.Index(sums, slices.Min(sums))
		if lane[j] >= 0 && sums[lane[j]] == sums[least] {
			return false
		}
		lane[j] = least
		return true
	}
	for changed := true; changed; {
		changed = false
		for _, j := range free {
			changed = best(j) || changed
		}
	}
}
