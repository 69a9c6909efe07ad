package collective

import (
	"context"
	"math/rand/v2"
	"testing"

	"weft/apps/machine"
)

// sum runs an operation and returns the bytes of all its messages, and of those between servers.
func sum(t *testing.T, s *Spec) (all, between int64) {
	t.Helper()
	r, err := s.make()
	if err != nil {
		t.Fatal(err)
	}
	for rank := range s.Ranks {
		for round := range r.count {
			for _, x := range r.of(rank, round, nil) {
				if x.recv || x.calc {
					continue
				}
				all += x.bytes
				if s.Group > 0 && rank/s.Group != x.peer/s.Group {
					between += x.bytes
				}
			}
		}
	}
	return all, between
}

// TestEnds: every operation ends for any number of ranks, whether sends wait for their receives or
// not, and a message has the size that its receive expects.
func TestEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 41))
	for _, m := range makers {
		for range 6 {
			p := 2 + rng.IntN(40)
			s := Spec{Name: m.name, Algorithm: m.algorithm, Ranks: p, Bytes: rng.Int64N(3 << 20), Steps: 1 + rng.IntN(2), Calc: rng.Int64N(2) * 1000}
			switch {
			case m.power:
				s.Ranks = 1 << (1 + rng.IntN(5))
			case m.name == "checkpoint":
				s.Group = 1 + rng.IntN(s.Ranks-1)
			case m.grouped != nil:
				s.Group = 2 + rng.IntN(7)
				s.Ranks = s.Group * (2 + rng.IntN(7))
			}
			for _, eager := range []int64{0, 1 << 40} {
				o, err := New(s)
				if err != nil {
					t.Fatal(err)
				}
				run := machine.New(o, machine.Parameters{Latency: 1000, Overhead: 100, GapPerByte: 1, Eager: eager})
				if err := run.Run(context.Background()); err != nil || !o.Done() || len(run.Waiting()) > 0 || run.Unequal > 0 {
					t.Errorf("%+v, eager %d: %v, done %v, %d waiting, %d of unequal size", s, eager, err, o.Done(), len(run.Waiting()), run.Unequal)
				}
			}
		}
	}
}

// TestTotals: operations over rails send the bytes of their formulas, within servers and between
// them; two trees carry the vector up and down once; a scatter sends no byte to a rank twice.
func TestTotals(t *testing.T) {
	const n = 840_000
	for _, c := range []struct {
		text         string
		all, between int64
	}{
		{"allreduce(rails,ranks=24,group=4,size=840003)", 6*2*3*(n+3) + 2*5*(n+3), 2 * 5 * (n + 3)},
		{"alltoall(rails,ranks=24,group=4,size=1000)", 24*3*6*1000 + 24*5*4*1000, 24 * 5 * 4 * 1000},
		{"allreduce(tree,ranks=13,size=840000)", 2 * 12 * n, 0},
		{"broadcast(scatter,ranks=8,size=840000)", 12*n/8 + 7*n, 0},
	} {
		s, err := Parse(c.text, Defaults{})
		if err != nil {
			t.Fatal(err)
		}
		if all, between := sum(t, &s); all != c.all || between != c.between {
			t.Errorf("%s: %d bytes, %d between servers, want %d and %d", c.text, all, between, c.all, c.between)
		}
	}
}

// TestTrees: each of the two trees joins all ranks in few levels. Of an even number of ranks none
// has children in both, of an odd number one may.
func TestTrees(t *testing.T) {
	for p := 2; p < 300; p++ {
		trees := [2]*tree{newTree(p, false), newTree(p, true)}
		both := 0
		for r := range p {
			inner := 0
			for _, x := range trees {
				if len(x.children[r]) > 0 {
					inner++
				}
				if len(x.children[r]) > 2 && x.parent[r] >= 0 || x.depth[r] > log2(p)+1 {
					t.Fatalf("%d ranks: rank %d has %d children, depth %d", p, r, len(x.children[r]), x.depth[r])
				}
			}
			both += max(0, inner-1)
		}
		if both > p%2 {
			t.Errorf("%d ranks: %d of them have children in both trees", p, both)
		}
	}
}

// TestCodes: grids have all ranks, and halos, transforms, sweeps and checkpoints send the bytes of
// their formulas.
func TestCodes(t *testing.T) {
	for _, p := range []int{2, 6, 8, 27, 30, 64, 97} {
		for d := 2; d <= 3; d++ {
			product := 1
			for _, side := range grid(p, d) {
				product *= side
			}
			if product != p {
				t.Errorf("%d ranks in the grid %v", p, grid(p, d))
			}
		}
	}
	for text, want := range map[string]int64{
		"halo(3d,ranks=27,size=10)":               27 * 6 * 10,
		"halo(2d,ranks=12,size=10,steps=3)":       3 * 12 * 4 * 10,
		"fft(ranks=12,size=10)":                   12 * (3 + 2) * 10,
		"sweep(ranks=12,size=10)":                 sweepBlocks * (3*3 + 2*4) * 10,
		"checkpoint(ranks=9,storage=2,size=6MiB)": 7 * 6 << 20,
	} {
		s, err := Parse(text, Defaults{})
		if err != nil {
			t.Fatal(err)
		}
		if all, _ := sum(t, &s); all != want {
			t.Errorf("%s: %d bytes, want %d", text, all, want)
		}
	}
	for text, want := range map[string]string{
		"checkpoint(ranks=9)":                      "needs storage=N",
		"allreduce(rails,ranks=9,group=2)":         "needs group=N",
		"allreduce(ring,ranks=9,group=3)":          "has no group",
		"halo(ranks=8,calc=soon)":                  "a time such as 50us",
		"halo(ranks=8,steps=0)":                    "a number from 1",
		"alltoall(rails,ranks=4,group=4,size=1MB)": "two servers or more",
	} {
		contains(t, text, want)
	}
	for text, want := range map[string]string{
		"broadcast(ranks=8,size=32KiB)": "binomial", "broadcast(ranks=8,size=33KiB)": "scatter", "allgather(ranks=8,size=1)": "doubling",
		"allgather(ranks=6,size=1)": "bruck", "alltoall(ranks=8,size=1MB)": "pairwise", "allreduce(ranks=2,size=1MB)": "doubling",
	} {
		if s, err := Parse(text, Defaults{}); err != nil || s.Algorithm != want {
			t.Errorf("%s: by %s, %v, want %s", text, s.Algorithm, err, want)
		}
	}
	s, err := Parse("allreduce(size=1GiB)", Defaults{Ranks: 32, Group: 8})
	if err != nil || s.Algorithm != "rails" || s.Group != 8 {
		t.Errorf("%+v, %v", s, err)
	}
}
