package collective

import (
	"slices"
	"testing"
)

// TestChunks follows each chunk of a ring: no contribution is added twice, and at the end all ranks
// have all of every chunk, or one rank has it. A message does not say which chunk it is. But chunks
// differ in size for some sizes of the vector, so the sizes of a message in runs with several of
// these identify its chunk.
func TestChunks(t *testing.T) {
	for _, name := range []string{"allreduce", "reducescatter"} {
		for _, p := range []int{2, 3, 6, 8, 12, 32} {
			var runs []rounds
			chunks := make([][]int64, p) // by chunk: its size in each run
			for rest := range p {
				n := int64(1000*p + rest)
				r, err := (&Spec{Name: name, Algorithm: "ring", Ranks: p, Bytes: n}).make()
				if err != nil {
					t.Fatal(err)
				}
				runs = append(runs, r)
				for i := range chunks {
					chunks[i] = append(chunks[i], int64(i+1)*n/int64(p)-int64(i)*n/int64(p))
				}
			}
			all := uint64(1)<<p - 1
			has := make([][]uint64, p) // by rank and chunk: the ranks whose data are in it
			for r := range has {
				has[r] = slices.Repeat([]uint64{1 << r}, p)
			}
			for round := range runs[0].count {
				before := make([][]uint64, p)
				for r := range has {
					before[r] = slices.Clone(has[r])
				}
				for r := range p {
					var sizes []int64
					to := -1
					for _, run := range runs {
						x := run.of(r, round, nil)[0]
						to, sizes = x.peer, append(sizes, x.bytes)
					}
					c := slices.IndexFunc(chunks, func(own []int64) bool { return slices.Equal(own, sizes) })
					if c < 0 {
						t.Fatalf("%s of %d ranks, round %d: rank %d sends no chunk: %v", name, p, round, r, sizes)
					}
					switch came := before[r][c]; {
					case came == all:
						has[to][c] = all
					case came&before[to][c] != 0:
						t.Fatalf("%s of %d ranks, round %d: chunk %d at rank %d gets a contribution twice", name, p, round, c, to)
					default:
						has[to][c] |= came
					}
				}
			}
			for c := range p {
				whole := 0
				for r := range p {
					if has[r][c] == all {
						whole++
					}
				}
				if name == "allreduce" && whole != p || whole == 0 {
					t.Errorf("%s of %d ranks: %d have all of chunk %d", name, p, whole, c)
				}
			}
			for i := range chunks {
				if k := slices.IndexFunc(chunks, func(o []int64) bool { return slices.Equal(o, chunks[i]) }); k != i {
					t.Errorf("%d ranks: chunks %d and %d cannot be told apart", p, k, i)
				}
			}
		}
	}
}
