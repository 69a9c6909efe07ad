package collective

import "math/bits"

// tree is a binary tree over all ranks.
type tree struct {
	parent, depth []int
	children      [][]int
}

// parentOf returns the parent of a rank in the first tree. Ranks of odd number are leaves.
func parentOf(r, p int) int {
	low := r & -r
	if up := (r ^ low) | 2*low; up < p {
		return up
	}
	return r ^ low
}

// newTree returns the first or the second tree. The second is the first with other names, so that
// no rank is an inner one of both.
func newTree(p int, second bool) *tree {
	name := func(v int) int { // of place v of the first tree
		switch {
		case !second:
			return v
		case p%2 == 0:
			return p - 1 - v
		}
		return (v + 1) % p
	}
	t := &tree{make([]int, p), make([]int, p), make([][]int, p)}
	for v := range p {
		if v == 0 {
			t.parent[name(0)] = -1
			continue
		}
		r, up := name(v), name(parentOf(v, p))
		t.parent[r] = up
		t.children[up] = append(t.children[up], r)
		for x := v; x != 0; x = parentOf(x, p) {
			t.depth[r]++
		}
	}
	return t
}

// treeChunk is the size of the chunks that follow each other through a tree.
const treeChunk = 128 << 10

// doubleTree is an all-reduce over two trees, each for half of the vector: chunks go up, and down
// again from the root. In one round a rank passes on the chunks of the round before.
func doubleTree(p int, size int64) rounds {
	trees := [2]*tree{newTree(p, false), newTree(p, true)}
	deepest := bits.Len(uint(p-1)) + 1
	chunks := int(max(1, (size/2+treeChunk-1)/treeChunk))
	return rounds{chunks + 2*deepest - 1, func(r, s int, to []transfer) []transfer {
		for i, t := range trees {
			to = t.pass(r, s, to, deepest, chunks, chunk(i, 2, size))
		}
		return to
	}}
}

// pass appends the transfers of a rank in a round. Chunk c leaves a rank upwards in round
// c+deepest-depth, and downwards in round c+deepest+depth.
func (t *tree) pass(r, s int, to []transfer, deepest, chunks int, half int64) []transfer {
	d := t.depth[r]
	size := func(c int) (int64, bool) {
		if c < 0 || c >= chunks {
			return 0, false
		}
		return chunk(c, chunks, half), true
	}
	if bytes, ok := size(s - deepest + d); ok && d > 0 {
		to = send(to, t.parent[r], bytes)
	}
	if bytes, ok := size(s - deepest + d + 1); ok {
		for _, c := range t.children[r] {
			to = receive(to, c, bytes)
		}
	}
	if bytes, ok := size(s - deepest - d); ok {
		for _, c := range t.children[r] {
			to = send(to, c, bytes)
		}
	}
	if bytes, ok := size(s - deepest - d + 1); ok && d > 0 {
		to = receive(to, t.parent[r], bytes)
	}
	return to
}
