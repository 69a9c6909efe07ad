package names

import "math/bits"

// cliquer finds a largest clique by branch and bound: the vertices that may still
// join are coloured greedily, and a branch is left when its colours cannot beat the
// best clique so far (Tomita and Seki, "An Efficient Branch-and-Bound Algorithm for
// Finding a Maximum Clique", DMTCS 2003). When the steps run out the best clique so
// far stands: a lower bound of the chromatic number all the same.
type cliquer struct {
	g       *Graph
	best    []int32
	current []int32
	steps   int64
	levels  []cliqueLevel
}

// cliqueLevel is the memory of one depth of the search.
type cliqueLevel struct {
	may, rest, free []uint64
	order, bound    []int32
}

// find returns a clique; it must not be kept.
func (q *cliquer) find(g *Graph, steps int64) []int32 {
	q.g, q.steps = g, steps
	q.best, q.current = q.best[:0], q.current[:0]
	if g.n == 0 {
		return nil
	}
	l := q.level(0)
	for v := range g.n {
		l.may[v/64] |= 1 << (v % 64)
	}
	q.expand(0)
	return q.best
}

// level prepares the memory of a depth, its set empty.
func (q *cliquer) level(depth int) *cliqueLevel {
	for len(q.levels) <= depth {
		q.levels = append(q.levels, cliqueLevel{})
	}
	l := &q.levels[depth]
	l.may = zeros(l.may, q.g.words)
	l.rest, l.free = resize(l.rest, q.g.words), resize(l.free, q.g.words)
	return l
}

// expand tries every vertex of the level's set, those of the last colour first.
func (q *cliquer) expand(depth int) {
	q.levels[depth].sort(q.g)
	for i := len(q.levels[depth].order) - 1; i >= 0; i-- {
		next := q.level(depth + 1)
		l := &q.levels[depth]
		if len(q.current)+int(l.bound[i]) <= len(q.best) || q.steps <= 0 {
			return
		}
		q.steps--
		v := l.order[i]
		q.current = append(q.current, v)
		left := uint64(0)
		for k, w := range q.g.row(v) {
			next.may[k] = w & l.may[k]
			left |= next.may[k]
		}
		if left != 0 {
			q.expand(depth + 1)
		} else if len(q.current) > len(q.best) {
			q.best = append(q.best[:0], q.current...)
		}
		q.current = q.current[:len(q.current)-1]
		q.levels[depth].may[v/64] &^= 1 << (v % 64)
	}
}

// sort colours the set greedily: order lists it by colour, and bound tells how many
// colours the vertices up to each one have.
func (l *cliqueLevel) sort(g *Graph) {
	l.order, l.bound = l.order[:0], l.bound[:0]
	copy(l.rest, l.may)
	for colour := int32(1); ; colour++ {
		copy(l.free, l.rest)
		found := false
		for i := range l.free {
			for l.free[i] != 0 {
				b := bits.TrailingZeros64(l.free[i])
				v := int32(i*64 + b)
				found = true
				l.rest[i] &^= 1 << b
				l.free[i] &^= 1 << b
				for k, w := range g.row(v)[i:] {
					l.free[i+k] &^= w
				}
				l.order = append(l.order, v)
				l.bound = append(l.bound, colour)
			}
		}
		if !found {
			return
		}
	}
}
