package flow

import (
	"context"
	"math/bits"

	"weft/internal/par"
)

// A2A returns the all-to-all congestion risk of Gliksberg et al. (for Dmodc tables). While all
// pairs of hosts communicate, a channel's risk is the number of its sources or of its targets,
// whichever is lower; A2A returns the largest. targets comes from AllPairs. The figure is defined
// only if every source uses base LIDs. The cost is O(switches with hosts x hosts x hops).
func (n *Network) A2A(ctx context.Context, targets []int64, workers int) (int64, error) {
	var leaves []int32 // switches with hosts
	_, hosts := n.columnHosts()
	for s, h := range hosts {
		if h > 0 {
			leaves = append(leaves, int32(s))
		}
	}
	// A host and its target on the same switch use no channel, so that switches can stand for their
	// sources: 64 at a time, a bit each.
	all := make([]*passers, max(workers, 1))
	err := par.For(ctx, len(all), (len(leaves)+63)/64, func(worker, i int) error {
		if all[worker] == nil {
			all[worker] = &passers{n: n, mark: make([]uint64, len(n.to)), hosts: make([]int64, len(n.to))}
		}
		return all[worker].add(ctx, leaves[i*64:min((i+1)*64, len(leaves))], hosts)
	})
	if err != nil {
		return 0, err
	}
	risk := int64(0)
	for c, count := range targets {
		slot, sources := n.slotOf(int32(c)), int64(0)
		for _, p := range all {
			if p != nil {
				sources += p.hosts[slot]
			}
		}
		risk = max(risk, min(sources, count))
	}
	return risk, nil
}

// passers counts the sources that use each channel. It is scratch memory and sums of one worker.
type passers struct {
	n     *Network
	mark  []uint64 // by slot: which of 64 switches use it
	hosts []int64  // by slot: hosts of the switches counted before
}

// add counts the hosts of up to 64 switches.
func (p *passers) add(ctx context.Context, leaves, hosts []int32) error {
	n := p.n
	clear(p.mark)
	for i, h := range n.Hosts {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		column := n.column(n.lids.first[h])
		for i, s := range leaves {
			for column[s] != 0 {
				slot := n.base[s] + int32(column[s])
				if s = n.to[slot]; s < 0 {
					break
				}
				p.mark[slot] |= 1 << i
			}
		}
	}
	for slot, set := range p.mark {
		for ; set != 0; set &= set - 1 {
			p.hosts[slot] += int64(hosts[leaves[bits.TrailingZeros64(set)]])
		}
	}
	return nil
}
