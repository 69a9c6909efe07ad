package collective

import (
	"testing"

	"weft/apps/program"
)

// TestSize: the predicted size is what a count over all ranks and rounds finds; of large operations
// at most twice as much, and at least half.
func TestSize(t *testing.T) {
	for _, m := range makers {
		for _, ranks := range []int{2, 3, 8, 24, 60, 256, 400, 512} {
			steps := 1
			if ranks < 100 {
				steps = 3
			}
			s := Spec{Name: m.name, Algorithm: m.algorithm, Ranks: ranks, Bytes: 1 << 20, Steps: steps, Calc: int64(ranks % 2)}
			if m.grouped != nil {
				s.Group = 4
			}
			o, err := New(s)
			if err != nil {
				continue // not for this number of ranks
			}
			got, err := s.Size()
			if err != nil {
				t.Fatal(err)
			}
			want := counted(o)
			if ranks <= sampledRanks && o.Rounds() <= sampledRounds*max(s.Steps, 1) && got != want {
				t.Errorf("%+v: predicted %+v, counted %+v", s, got, want)
			}
			if !near(got.Messages, want.Messages) || !near(got.Bytes, want.Bytes) || !near(got.AtOnce, want.AtOnce) {
				t.Errorf("%+v: predicted %+v, counted %+v", s, got, want)
			}
		}
	}
}

func near(got, want float64) bool { return got <= 2*want && got >= want/2 }

// counted counts the messages of an operation.
func counted(o *Operation) (size Size) {
	for round := range o.Rounds() {
		n := 0.0
		for rank := range o.Ranks {
			o.free = o.rounds.of(rank, round, o.free[:0])
			for _, t := range o.free {
				if op := t.op(0); op.Kind == program.Send {
					n++
					size.Bytes += float64(op.Size)
				}
			}
		}
		size.Messages += n
		size.AtOnce = max(size.AtOnce, n)
	}
	return size
}
