package collective

import (
	"math/rand/v2"
	"testing"
)

// knowledge says from which ranks a rank has data.
type knowledge []uint64

// follow runs an operation round by round. A message carries what its sender had before the round.
// It returns what each rank has at the end.
func follow(t *testing.T, s *Spec) []knowledge {
	t.Helper()
	r, err := s.make()
	if err != nil {
		t.Fatal(err)
	}
	words := (s.Ranks + 63) / 64
	has := make([]knowledge, s.Ranks)
	for i := range has {
		has[i] = make(knowledge, words)
		has[i][i/64] |= 1 << (i % 64)
	}
	type pair struct{ from, to int }
	for round := range r.count {
		sent := map[pair][]int64{}
		before := make([]knowledge, s.Ranks)
		for i := range has {
			before[i] = append(knowledge(nil), has[i]...)
			for _, x := range r.of(i, round, nil) {
				if !x.recv {
					sent[pair{i, x.peer}] = append(sent[pair{i, x.peer}], x.bytes)
				}
			}
		}
		for i := range has {
			for _, x := range r.of(i, round, nil) {
				if !x.recv {
					continue
				}
				list := sent[pair{x.peer, i}]
				if len(list) == 0 || list[0] != x.bytes {
					t.Fatalf("%+v, round %d: rank %d expects %d bytes from %d, which sends %v", s, round, i, x.bytes, x.peer, list)
				}
				sent[pair{x.peer, i}] = list[1:]
				for w, bits := range before[x.peer] {
					has[i][w] |= bits
				}
			}
		}
		for p, list := range sent {
			if len(list) > 0 {
				t.Fatalf("%+v, round %d: rank %d sends %d bytes to %d, which does not expect them", s, round, p.from, list[0], p.to)
			}
		}
	}
	return has
}

// TestReach: for any number of ranks each message has its receive in the same round, and the data
// of all ranks reach all, or those of the root.
func TestReach(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 41))
	for _, m := range makers {
		if m.name == "halo" || m.name == "fft" || m.name == "sweep" || m.name == "checkpoint" {
			continue
		}
		for draw := range 10 {
			most := 50
			if draw == 0 {
				most = 199
			}
			s := Spec{Name: m.name, Algorithm: m.algorithm, Ranks: 2 + rng.IntN(most), Bytes: 1 + rng.Int64N(1<<20)}
			if m.power {
				s.Ranks = 1 << (1 + rng.IntN(7))
			}
			if m.grouped != nil {
				s.Group = 2 + rng.IntN(8)
				s.Ranks = s.Group * (2 + rng.IntN(most/8))
			}
			has := follow(t, &s)
			for rank, known := range has {
				for from := range s.Ranks {
					needed := m.name != "broadcast" && m.name != "reduce" || m.name == "broadcast" && from == 0 || m.name == "reduce" && rank == 0
					if needed && known[from/64]>>(from%64)&1 == 0 {
						t.Fatalf("%+v: rank %d has nothing of rank %d", s, rank, from)
					}
				}
			}
		}
	}
}
