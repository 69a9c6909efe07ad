package collective

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// pieces is a dumb simulation of an operation on a vector, or on blocks, in pieces. For each rank
// and piece it keeps the set of ranks whose contributions are in what the rank has of the piece.
type pieces struct {
	rounds rounds
	size   []int64  // by piece
	whole  []uint64 // by piece: all contributions
	begin  func(rank, piece int) uint64
	// carries lists the pieces of the message from one rank to another in a round, as the
	// description of the algorithm has it.
	carries func(from, to, round int) []int
	wants   func(rank, piece int) bool // at the end
	repeats bool                       // a rank may get a piece that it has
}

// follow runs the operation. A message must have the size of its pieces, its sender must have them,
// no contribution may be added twice, and no rank may get a piece that it has already.
func (q *pieces) follow(t *testing.T, name string, p int) {
	t.Helper()
	has := make([][]uint64, p)
	for r := range has {
		has[r] = make([]uint64, len(q.size))
		for c := range has[r] {
			has[r][c] = q.begin(r, c)
		}
	}
	for round := range q.rounds.count {
		before := make([][]uint64, p)
		for r := range has {
			before[r] = slices.Clone(has[r])
		}
		for r := range p {
			for _, x := range q.rounds.of(r, round, nil) {
				if x.recv {
					continue
				}
				var bytes int64
				for _, c := range q.carries(r, x.peer, round) {
					bytes += q.size[c]
					switch came, there := before[r][c], has[x.peer][c]; {
					case came == 0:
						t.Fatalf("%s of %d ranks, round %d: rank %d sends piece %d, of which it has nothing", name, p, round, r, c)
					case there == q.whole[c] && !q.repeats:
						t.Fatalf("%s of %d ranks, round %d: rank %d gets piece %d, which it has", name, p, round, x.peer, c)
					case came == q.whole[c]:
						has[x.peer][c] = came
					case came&there != 0:
						t.Fatalf("%s of %d ranks, round %d: piece %d of rank %d gets a contribution twice from %d", name, p, round, c, x.peer, r)
					default:
						has[x.peer][c] |= came
					}
				}
				if bytes != x.bytes {
					t.Fatalf("%s of %d ranks, round %d: rank %d sends %d bytes to %d, its pieces have %d", name, p, round, r, x.bytes, x.peer, bytes)
				}
			}
		}
	}
	for r := range p {
		for c := range q.size {
			if q.wants(r, c) && has[r][c] != q.whole[c] {
				t.Fatalf("%s of %d ranks: rank %d has %b of piece %d at the end, want %b", name, p, r, has[r][c], c, q.whole[c])
			}
		}
	}
}

// all lists the numbers below n.
func all(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// reduction is an operation of p ranks on pieces of some bytes, to which each rank contributes.
func reduction(r rounds, p, count int, bytes int64, carries func(from, to, round int) []int) *pieces {
	return &pieces{
		rounds: r, size: slices.Repeat([]int64{bytes}, count), whole: slices.Repeat([]uint64{1<<p - 1}, count),
		begin: func(rank, _ int) uint64 { return 1 << rank }, carries: carries, wants: func(int, int) bool { return true },
	}
}

// distribution is an operation on pieces that one rank has at first. They are their own
// contribution.
func distribution(r rounds, size []int64, owner func(piece int) int, carries func(from, to, round int) []int, wants func(rank, piece int) bool) *pieces {
	begin := func(rank, c int) uint64 {
		if owner(c) == rank {
			return 1
		}
		return 0
	}
	return &pieces{rounds: r, size: size, whole: slices.Repeat([]uint64{1}, len(size)), begin: begin, carries: carries, wants: wants}
}

// drawRanks draws numbers of ranks from 2 to 33, or powers of two up to 64.
func drawRanks(power bool) (list []int) {
	rng := rand.New(rand.NewPCG(41, 3))
	for range 10 {
		if power {
			list = append(list, 1<<(1+rng.IntN(6)))
		} else {
			list = append(list, 2+rng.IntN(32))
		}
	}
	return list
}

// made returns the rounds of an operation.
func made(t *testing.T, s Spec) rounds {
	t.Helper()
	r, err := s.make()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPiecesOfReductions follows doubling and halving: after halving by bit j a rank keeps the
// pieces whose numbers have its own bits up to j. With other numbers of ranks than powers of two
// the first ones fold in pairs.
func TestPiecesOfReductions(t *testing.T) {
	for _, p := range drawRanks(false) {
		power := 1 << (bits.Len(uint(p)) - 1)
		extra, k := p-power, bits.Len(uint(power))-1
		inner := func(r int) int { // a rank's number among those that are left after folding
			if r < 2*extra {
				return r / 2
			}
			return r - extra
		}
		for _, algorithm := range []string{"doubling", "halving"} {
			r := made(t, Spec{Name: "allreduce", Algorithm: algorithm, Ranks: p, Bytes: 96 * int64(power)})
			carries := func(from, to, round int) (list []int) {
				if extra > 0 {
					if round--; round < 0 || round == r.count-2 {
						return all(power)
					}
				}
				if algorithm == "doubling" {
					return all(power)
				}
				a, b := inner(from), inner(to)
				for c := range power {
					if round < k && (c^a)&(1<<round-1) == 0 && (c^b)>>round&1 == 0 ||
						round >= k && (c^a)&(1<<(2*k-round)-1) == 0 {
						list = append(list, c)
					}
				}
				return list
			}
			reduction(r, p, power, 96, carries).follow(t, "allreduce by "+algorithm, p)
		}
	}
}

// TestPiecesOfTrees follows the chunks of each of the two trees, in the order in which a rank sends
// them: up to its parent, or down to a child. The parents are those of the description, not the
// program's.
func TestPiecesOfTrees(t *testing.T) {
	const chunks, half = 5, 5 * 1000
	for _, p := range drawRanks(false) {
		for _, second := range []bool{false, true} {
			tree := newTree(p, second)
			place := func(r int) int { // of a rank in the first tree
				switch {
				case !second:
					return r
				case p%2 == 0:
					return p - 1 - r
				}
				return (r + p - 1) % p
			}
			isParent := func(up, r int) bool {
				v := place(r)
				if v == 0 {
					return false
				}
				w := v & -v
				want := v ^ w | 2*w
				if want >= p {
					want = v ^ w
				}
				return place(up) == want
			}
			deepest := bits.Len(uint(p-1)) + 1
			r := rounds{chunks + 2*deepest - 1, func(r, s int, to []transfer) []transfer { return tree.pass(r, s, to, deepest, chunks, half) }}
			sent := map[[2]int]int{}
			carries := func(from, to, _ int) []int {
				if !isParent(to, from) && !isParent(from, to) {
					t.Fatalf("tree of %d ranks: %d and %d are not parent and child", p, from, to)
				}
				c := sent[[2]int{from, to}]
				sent[[2]int{from, to}]++
				return []int{c}
			}
			reduction(r, p, chunks, half/chunks, carries).follow(t, "allreduce by a tree", p)
		}
	}
}

// TestPiecesOfRooted follows broadcast and reduce.
func TestPiecesOfRooted(t *testing.T) {
	for _, p := range drawRanks(false) {
		one := func(int, int, int) []int { return []int{0} }
		reduce := reduction(made(t, Spec{Name: "reduce", Algorithm: "binomial", Ranks: p, Bytes: 70}), p, 1, 70, one)
		reduce.wants = func(rank, _ int) bool { return rank == 0 }
		reduce.follow(t, "reduce", p)
		root := func(int) int { return 0 }
		everywhere := func(int, int) bool { return true }
		distribution(made(t, Spec{Name: "broadcast", Algorithm: "binomial", Ranks: p, Bytes: 70}), []int64{70}, root, one, everywhere).follow(t, "broadcast", p)

		size := make([]int64, p)
		n := int64(1000*p + p/2)
		for c := range size {
			size[c] = int64(c+1)*n/int64(p) - int64(c)*n/int64(p)
		}
		k := bits.Len(uint(p - 1))
		scatter := func(from, to, round int) []int {
			if round >= k {
				return []int{((from-(round-k))%p + p) % p}
			}
			return all(p)[to:min(to+1<<(k-1-round), p)]
		}
		q := distribution(made(t, Spec{Name: "broadcast", Algorithm: "scatter", Ranks: p, Bytes: n}), size, root, scatter, everywhere)
		q.repeats = true // the ring sends all pieces to all, although inner ranks of the tree have some
		q.follow(t, "broadcast by scatter", p)
	}
}

// TestPiecesOfBlocks follows the blocks of all-gather and all-to-all. No rank gets a block twice.
func TestPiecesOfBlocks(t *testing.T) {
	for _, p := range drawRanks(true) {
		own := func(c int) int { return c }
		everywhere := func(int, int) bool { return true }
		blocks := slices.Repeat([]int64{10}, p)
		distribution(made(t, Spec{Name: "allgather", Algorithm: "doubling", Ranks: p, Bytes: 10}), blocks, own, func(from, _, j int) (list []int) {
			for c := range p {
				if c>>j == from>>j {
					list = append(list, c)
				}
			}
			return list
		}, everywhere).follow(t, "allgather by doubling", p)
	}
	for _, p := range drawRanks(false) {
		own := func(c int) int { return c }
		everywhere := func(int, int) bool { return true }
		blocks := slices.Repeat([]int64{10}, p)
		distribution(made(t, Spec{Name: "allgather", Algorithm: "ring", Ranks: p, Bytes: 10}), blocks, own, func(from, _, s int) []int {
			return []int{(from - s + p) % p}
		}, everywhere).follow(t, "allgather by ring", p)
		distribution(made(t, Spec{Name: "allgather", Algorithm: "bruck", Ranks: p, Bytes: 10}), blocks, own, func(from, _, j int) (list []int) {
			for i := range min(1<<j, p-1<<j) {
				list = append(list, (from+i)%p)
			}
			return list
		}, everywhere).follow(t, "allgather by bruck", p)

		// Block from*p+to.
		source, target := func(c int) int { return c / p }, func(rank, c int) bool { return c%p == rank }
		pairs := slices.Repeat([]int64{10}, p*p)
		for _, algorithm := range []string{"pairwise", "shift", "atonce"} {
			direct := func(from, to, _ int) []int { return []int{from*p + to} }
			distribution(made(t, Spec{Name: "alltoall", Algorithm: algorithm, Ranks: p, Bytes: 10}), pairs, source, direct, target).follow(t, "alltoall by "+algorithm, p)
		}
		distribution(made(t, Spec{Name: "alltoall", Algorithm: "bruck", Ranks: p, Bytes: 10}), pairs, source, func(from, _, j int) (list []int) {
			for c := range p * p {
				away := (c%p - c/p + p) % p // a block goes this far, bit by bit
				if away>>j&1 == 1 && (c/p+away&(1<<j-1))%p == from {
					list = append(list, c)
				}
			}
			return list
		}, target).follow(t, "alltoall by bruck", p)
	}
	for _, servers := range []int{2, 3, 5} {
		for _, group := range []int{2, 3, 4} {
			p := servers * group
			distribution(made(t, Spec{Name: "alltoall", Algorithm: "rails", Ranks: p, Group: group, Bytes: 10}), slices.Repeat([]int64{10}, p*p), func(c int) int { return c / p },
				func(from, to, s int) (list []int) {
					for c := range p * p {
						source, target := c/p, c%p
						if s == 0 && source == from && target%group == to%group ||
							s > 0 && source/group == from/group && target == to {
							list = append(list, c)
						}
					}
					return list
				}, func(rank, c int) bool { return c%p == rank }).follow(t, "alltoall by rails", p)
		}
	}
}
