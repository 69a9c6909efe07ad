package ftree

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/route/internal/updown"
)

// TestReach: on any network with any order, and drained switches, there is a way
// exactly where some path goes up and then down; whatever is chosen on it, the path goes
// up and then down, ends after as many hops as it should, and passes nothing drained.
// No switch is farther than from one above it, but where another leads down to it.
func TestReach(t *testing.T) {
	bound := 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 14).Draw(t, "switches")
		links := rapid.IntRange(n-1, min(n*(n-1)/2, 3*n)).Draw(t, "links")
		g := *drawn(t, fmt.Sprintf("random(switches=%d,hosts=1,links=%d,seed=%d)", n, links, rapid.IntRange(0, 1<<20).Draw(t, "seed")))
		g.Drained = make([]bool, n)
		rank, bit := updown.New(n), make([]int32, n)
		places := rapid.Permutation(sequence(n)).Draw(t, "places")
		for s := range n {
			g.Drained[s] = rapid.IntRange(0, 7).Draw(t, "drained") == 0
			rank[s] = int32(rapid.IntRange(0, 4).Draw(t, "rank"))
			if bit[s] = places[s]; g.Drained[s] {
				rank[s] = updown.Bottom
			}
		}
		tr := recognise(&g, nil, nil)
		copy(tr.Level, sequence(n)) // no switch has a mate
		r, err := newReachability(t.Context(), tr, rank, bit, noLinks, 2)
		if err != nil {
			t.Fatal(err)
		}
		rises := func(u, v int32) bool {
			return rank.Above(v, u) && !(g.Drained[u] && g.Drained[v])
		}
		block := &r.blocks[0]
		for x := range int32(n) {
			legal := legalHops(tr, x, rises)
			hops := func(s int32) int {
				for k := range block.hops {
					if block.hops[k][s].contains(bit[x]) {
						return k
					}
				}
				return -1
			}
			for s := range int32(n) {
				k := hops(s)
				if (k < 0) != (legal[s] < 0) || k < legal[s] {
					t.Fatalf("from %d to %d: %d hops, a legal path has %d", s, x, k, legal[s])
				}
				must := block.downOnly[s].contains(bit[x])
				if k > legal[s] {
					bound++
				}
				ways := 0
				first, last := tr.BundlesOf(s)
				for i := first; i < last && k > 0; i++ {
					if v := tr.Neighbour[i]; !must && rises(s, v) && hops(v) >= 0 && hops(v) < k-1 {
						t.Fatalf("from %d to %d: %d hops, %d from %d above it", s, x, k, hops(v), v)
					}
					if !block.isNextHop(r, s, i, bit[x], k) {
						continue
					}
					ways++
					v := tr.Neighbour[i]
					switch up := rises(s, v); {
					case hops(v) != k-1, g.Drained[v] && v != x, up && must:
						t.Fatalf("from %d by %d to %d: %d hops then %d, up %v, must lead down %v", s, v, x, k, hops(v), up, must)
					case !up && v != x && !block.downOnly[v].contains(bit[x]):
						t.Fatalf("from %d down to %d, which may lead up again to %d", s, v, x)
					}
				}
				if k > 0 && ways == 0 {
					t.Fatalf("no way from %d to %d", s, x)
				}
			}
		}
	})
	t.Logf("%d ways are longer than the shortest legal path", bound)
}

// legalHops is the length of the shortest legal path from every switch to one, by
// relaxing until nothing changes.
func legalHops(t *tree, x int32, rises func(u, v int32) bool) []int {
	g := t.G
	down, all := make([]int, g.NumSwitches), make([]int, g.NumSwitches)
	for s := range down {
		down[s], all[s] = -1, -1
	}
	down[x], all[x] = 0, 0
	better := func(old *int, from int) bool {
		if from < 0 || *old >= 0 && *old <= from+1 {
			return false
		}
		*old = from + 1
		return true
	}
	for changed := true; changed; {
		changed = false
		for c := range g.NumChannels {
			u, v := g.From[c], g.To[c]
			if u == v || g.Drained[v] && v != x {
				continue
			}
			if rises(u, v) {
				changed = better(&all[u], all[v]) || changed
			} else {
				changed = better(&down[u], down[v]) || changed
				changed = better(&all[u], down[v]) || changed
			}
		}
	}
	return all
}

func sequence(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

func drawn(t *rapid.T, formula string) *fabric.Graph {
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f.Compile()
}

// isNextHop reports whether a shortest legal path from switch s to target j of the block, k hops
// away, may begin with bundle i.
func (b *targetBlock) isNextHop(r *reachability, s, i, j int32, k int) bool {
	v := r.t.Neighbour[i]
	if r.leadsUp[i] {
		return !b.downOnly[s].contains(j) && b.hops[k-1][v].contains(j)
	}
	return k < len(b.downHops) && !r.unused[i] && (k == 1 || !r.endsPath[i]) && b.downHops[k-1][v].contains(j)
}
