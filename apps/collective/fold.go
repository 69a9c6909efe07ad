package collective

// Fold returns an operation over rails with one rank for each server, in place of all: what a rank
// sends to another one of its server it sends to itself. The ranks of a server do the same at the
// same times if their rails are alike, so one of them tells the times of all. It returns nil if
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
