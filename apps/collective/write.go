package collective

import (
	"fmt"

	"weft/apps/program"
)

// mostWritten is the number of operations of a schedule that is written down: some GB of memory.
const mostWritten = 1 << 26

// Schedule writes the operation down: all messages of all ranks, each with the messages of the
// round before that it waits for.
func (s *Spec) Schedule() (*program.Schedule, error) {
	r, err := s.make()
	if err != nil {
		return nil, err
	}
	var transfers []transfer
	for round, n := 0, 0; round < r.count; round++ {
		transfers = r.of(s.Ranks-1, round, transfers[:0])
		if n += len(transfers); n > mostWritten/s.Ranks {
			return nil, fmt.Errorf("%s by %s of %d ranks has over %d operations, too many for a schedule: run it without writing it", s.Name, s.Algorithm, s.Ranks, mostWritten)
		}
	}
	b := program.NewBuilder(0, 0)
	for rank := range s.Ranks {
		b.Rank()
		var before []int32
		for round := range r.count {
			transfers = r.of(rank, round, transfers[:0])
			var now []int32
			for _, t := range transfers {
				op, err := b.Add(t.op(int32(round)), "")
				if err != nil {
					return nil, err
				}
				for _, earlier := range before {
					b.Wait(op, earlier, false)
				}
				now = append(now, op)
			}
			if len(now) > 0 {
				before = now
			}
		}
	}
	return b.Schedule()
}
