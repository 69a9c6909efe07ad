package collective

import "weft/apps/program"

// Schedule writes the operation down: all messages of all ranks, each with the messages of the
// round before that it waits for.
func (s *Spec) Schedule() (*program.Schedule, error) {
	r, err := s.make()
	if err != nil {
		return nil, err
	}
	b := program.NewBuilder(0, 0)
	var transfers []transfer
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
