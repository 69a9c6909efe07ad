package graph

import (
	"testing"

	"pgregory.net/rapid"
)

// TestReplicates: vertices of one node, merged in any order, find one root with the shifts of their
// offsets; vertices of two nodes never do.
func TestReplicates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type truth struct{ node, offset int }
		var (
			r  replicates
			is []truth
		)
		for range rapid.IntRange(1, 30).Draw(t, "vertices") {
			r.add()
			is = append(is, truth{rapid.IntRange(0, 3).Draw(t, "node"), rapid.IntRange(-7, 7).Draw(t, "offset")})
		}
		one := make([]int, len(is)) // by vertex: the set that it is in, dumbly
		for v := range one {
			one[v] = v
		}
		for range rapid.IntRange(0, 60).Draw(t, "merges") {
			a, b := rapid.IntRange(0, len(is)-1).Draw(t, "a"), rapid.IntRange(0, len(is)-1).Draw(t, "b")
			if is[a].node != is[b].node {
				continue
			}
			ra, sa := r.find(int32(a))
			rb, sb := r.find(int32(b))
			if ra == rb {
				continue
			}
			// Port 0 of b is port offset(b)-offset(a) of a.
			r.merge(ra, rb, is[b].offset-is[a].offset+sa-sb)
			from, to := one[b], one[a]
			for v := range one {
				if one[v] == from {
					one[v] = to
				}
			}
		}
		c := r.clone()
		for a := range is {
			if root, _ := c.find(int32(a)); !c.isRoot(root) || c.isRoot(int32(a)) != (root == int32(a)) {
				t.Fatalf("%d is the root of %d, and a root: %v", root, a, c.isRoot(root))
			}
			for b := range is {
				ra, sa := c.find(int32(a))
				rb, sb := c.find(int32(b))
				if (ra == rb) != (one[a] == one[b]) {
					t.Fatalf("%d and %d: roots %d and %d, sets %d and %d", a, b, ra, rb, one[a], one[b])
				}
				if ra == rb && sa-sb != is[a].offset-is[b].offset {
					t.Fatalf("%d and %d: shifts %d and %d, offsets %v and %v", a, b, sa, sb, is[a], is[b])
				}
			}
		}
	})
}
