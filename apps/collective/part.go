package collective

import "weft/apps/program"

// Part is an operation of some ranks within a larger Program.
type Part struct {
	rounds rounds
	free   []transfer
}

// NewPart returns an operation as a Part.
func NewPart(s Spec) (*Part, error) {
	r, err := s.make()
	return &Part{rounds: r}, err
}

// Rounds returns the number of rounds.
func (p *Part) Rounds() int { return p.rounds.count }

// Ops appends the work of a rank of the operation in a round. Peers have their numbers among the
// operation's ranks.
func (p *Part) Ops(rank, round int, to []program.Op) []program.Op {
	p.free = p.rounds.of(rank, round, p.free[:0])
	for i := range p.free {
		to = append(to, p.free[i].op(0))
	}
	return to
}

// Best returns an operation of some ranks, by the algorithm that is usual for its size.
func Best(name string, ranks int, bytes int64) Spec {
	s := Spec{Name: name, Ranks: ranks, Bytes: bytes}
	s.chooseAlgorithm(0)
	return s
}
