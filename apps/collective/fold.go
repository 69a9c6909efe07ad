package collective

// Fold returns an operation over rails with one rank for each server, in place of all. It sends to
// itself the messages of a rank to another one of its server. The ranks of a server do the same at
// the same times if their rails are alike, so one of them has the times of all. Fold returns nil if
// they do not send the same bytes.
func (s *Spec) Fold() *Operation {
	if s.Name != "allreduce" || s.Algorithm != "rails" || s.Group < 2 || s.Bytes%int64(s.Group) != 0 {
		return nil
	}
	all, err := s.make()
	if err != nil {
		return nil
	}
	one := rounds{all.count, func(server, round int, to []transfer) []transfer {
		from := len(to)
		to = all.of(server*s.Group, round, to)
		for i := range to[from:] {
			to[from+i].peer /= s.Group
		}
		return to
	}}
	folded := *s
	folded.Ranks /= s.Group
	return newOperation(folded, one)
}

// FoldRing returns a ring of two ranks in place of all. They send each other the messages that all
// send to their neighbours. On a network that treats all alike, the two have the times of all.
// FoldRing returns nil for other operations, and for a vector whose chunks are unequal.
func (s *Spec) FoldRing() *Operation {
	if s.Algorithm != "ring" || s.Name != "allgather" && s.Bytes%int64(s.Ranks) != 0 {
		return nil
	}
	all, err := s.make()
	if err != nil {
		return nil
	}
	folded := *s
	folded.Ranks = 2
	return newOperation(folded, rounds{all.count, func(rank, round int, to []transfer) []transfer {
		from := len(to)
		to = all.of(rank, round, to)
		for i := range to[from:] {
			to[from+i].peer = 1 - rank
		}
		return to
	}})
}
