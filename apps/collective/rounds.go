package collective

import "weft/apps/program"

// transfer is a message that a rank sends or receives in a round, or a computation.
type transfer struct {
	peer  int
	bytes int64 // or nanoseconds
	recv  bool
	calc  bool
}

// op returns the operation of a transfer in a round.
func (t *transfer) op(round int32) program.Op {
	o := program.Op{Kind: program.Send, Peer: int32(t.peer), Tag: round, Size: t.bytes}
	switch {
	case t.recv:
		o.Kind = program.Recv
	case t.calc:
		o = program.Op{Kind: program.Calc, Size: t.bytes}
	}
	return o
}

// rounds describes an operation: the transfers of a rank in each of its rounds.
type rounds struct {
	count int
	of    func(rank, round int, to []transfer) []transfer
}

// Operation is a collective operation as a Program.
type Operation struct {
	Spec
	rounds rounds
	at     []int32        // by rank: its round
	left   []int32        // by rank: transfers of the round that have not ended
	ready  []program.Time // by rank: when the last of them ended
	free   []transfer
}

// New returns the Program of an operation.
func New(s Spec) (*Operation, error) {
	r, err := s.make()
	if err != nil {
		return nil, err
	}
	return newOperation(s, r), nil
}

func newOperation(s Spec, r rounds) *Operation {
	return &Operation{Spec: s, rounds: r, at: make([]int32, s.Ranks), left: make([]int32, s.Ranks), ready: make([]program.Time, s.Ranks)}
}

// Rounds returns the number of rounds of the operation.
func (o *Operation) Rounds() int { return o.rounds.count }

// Shape returns the number of ranks; each has one processor and one network port.
func (o *Operation) Shape() program.Shape { return program.Shape{Ranks: o.Ranks, CPUs: 1, NICs: 1} }

// First returns the transfers of a rank's first round.
func (o *Operation) First(rank int32, to []program.Op) []program.Op {
	o.at[rank], o.left[rank], o.ready[rank] = -1, 0, 0
	return o.next(rank, to)
}

// Began returns nothing: rounds wait for ends alone.
func (o *Operation) Began(_, _ int32, _ program.Time, to []program.Op) []program.Op { return to }

// Ended counts a transfer, and after the last one returns the transfers of the next round.
func (o *Operation) Ended(rank, _ int32, at program.Time, to []program.Op) []program.Op {
	o.ready[rank] = max(o.ready[rank], at)
	if o.left[rank]--; o.left[rank] > 0 {
		return to
	}
	return o.next(rank, to)
}

// next returns the transfers of a rank's next round that has some.
func (o *Operation) next(rank int32, to []program.Op) []program.Op {
	for o.at[rank]++; int(o.at[rank]) < o.rounds.count; o.at[rank]++ {
		o.free = o.rounds.of(int(rank), int(o.at[rank]), o.free[:0])
		if len(o.free) == 0 {
			continue
		}
		o.left[rank] = int32(len(o.free))
		for i, t := range o.free {
			op := t.op(o.at[rank])
			op.ID, op.Ready = int32(i), o.ready[rank]
			to = append(to, op)
		}
		return to
	}
	return to
}

// Done reports whether every rank has gone through all rounds.
func (o *Operation) Done() bool {
	for r := range o.at {
		if int(o.at[r]) < o.rounds.count {
			return false
		}
	}
	return true
}

// Share returns how far the first rank is.
func (o *Operation) Share() float64 {
	return float64(max(o.at[0], 0)) / float64(max(o.rounds.count, 1))
}
